import { nodeGpu } from './node-gpu.js';
import { describeOps } from './ops-suite.js';

// The package looks for WebGPU where browsers have it.
Object.defineProperty(globalThis, 'navigator', { value: { gpu: nodeGpu() }, configurable: true });
describeOps();
