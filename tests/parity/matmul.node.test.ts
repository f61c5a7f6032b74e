import { describeMatmul } from './matmul-suite.js';
import { nodeGpu } from './node-gpu.js';

describeMatmul(nodeGpu);
