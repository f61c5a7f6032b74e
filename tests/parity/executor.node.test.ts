import { describeExecutor } from './executor-suite.js';
import { nodeGpu } from './node-gpu.js';

describeExecutor(nodeGpu);
