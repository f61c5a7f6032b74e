import { describeModels } from './model-suite.js';
import { nodeGpu } from './node-gpu.js';

// What the device says of itself is tried in Chromium, with all models.
for (const software of [true, false])
  for (const subgroups of [true, false])
    describeModels({ gpu: nodeGpu, traits: { software, subgroups }, models: 'few' });
