import { nodeGpu } from './node-gpu.js';
import { describeSessions } from './session-suite.js';

// The package looks for WebGPU where browsers have it.
Object.defineProperty(globalThis, 'navigator', { value: { gpu: nodeGpu() }, configurable: true });
describeSessions();
