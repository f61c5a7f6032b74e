import { nodeGpu } from './node-gpu.js';
import { describeTrainingOps } from './training-ops-suite.js';

describeTrainingOps(nodeGpu);
