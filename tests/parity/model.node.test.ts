import { describeModels } from './model-suite.js';
import { nodeGpu } from './node-gpu.js';

// The shaders for hardware. What the device says of itself, a software adapter, is tried in Chromium with all models.
for (const subgroups of [true, false])
  describeModels({ gpu: nodeGpu, traits: { software: false, subgroups }, models: 'few' });
