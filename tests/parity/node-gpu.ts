// A real WebGPU adapter in Node: Dawn, on the machine's Vulkan driver or on the software one that lies beside Chromium
// (VK_ICD_FILENAMES). A missing adapter is an error: these tests exist to run on one.
import { create, globals } from 'webgpu';

let gpu: GPU | undefined;

export function nodeGpu(): GPU {
  if (!gpu) {
    Object.assign(globalThis, globals);
    gpu = create(process.platform === 'linux' ? ['backend=vulkan'] : []) as GPU;
  }
  return gpu;
}
