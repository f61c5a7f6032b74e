import { nodeGpu } from './node-gpu.js';
import { describeNorms } from './norms-suite.js';

describeNorms(nodeGpu);
