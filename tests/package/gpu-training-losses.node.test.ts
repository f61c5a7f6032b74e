// Dawn in Node, on a GPU that is told to misbehave.
import { nodeGpu } from '../parity/node-gpu.js';
import { describeGpuLosses } from './gpu-training-losses.js';

describeGpuLosses(nodeGpu);
