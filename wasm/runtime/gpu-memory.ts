// Every GPU buffer of the package is made and destroyed here, so that leaks show as numbers.

// Values fixed by the WebGPU standard; not every engine outside browsers has them as globals.
export const bufferUsage = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, uniform: 0x40, storage: 0x80 } as const;
const mapModeRead = 1;

let buffers = 0;
let bytes = 0;

/** GPU buffers alive now, over all executors. */
export function gpuMemory(): { buffers: number; bytes: number } {
  return { buffers, bytes };
}

export function createBuffer(device: GPUDevice, label: string, size: number, usage: number): GPUBuffer {
  const buffer = device.createBuffer({ label, size, usage });
  buffers += 1;
  bytes += size;
  return buffer;
}

export function destroyBuffer(buffer: GPUBuffer): void {
  buffers -= 1;
  bytes -= buffer.size;
  buffer.destroy();
}

const maxKept = 8;
const maxKeptBytes = 16 * 2 ** 20;

/** Buffers for reading back. Each read holds one of its own, so any number may be under way; a few are kept for the next. */
export class StagingPool {
  private readonly idle: GPUBuffer[] = [];
  private readonly busy = new Set<GPUBuffer>();
  private closed = false;

  constructor(private readonly device: GPUDevice) {}

  /** Copies `size` bytes from `source` as they are after all work submitted so far, into `target`. */
  async read(source: GPUBuffer, offset: number, size: number, target: Float32Array): Promise<void> {
    const staging = this.take(size);
    const encoder = this.device.createCommandEncoder({ label: 'read' });
    encoder.copyBufferToBuffer(source, offset, staging, 0, size);
    this.device.queue.submit([encoder.finish()]);
    try {
      await staging.mapAsync(mapModeRead, 0, size);
      target.set(new Float32Array(staging.getMappedRange(0, size)));
      staging.unmap();
      this.give(staging);
    } catch (error) {
      this.drop(staging);
      throw error;
    }
  }

  /** Destroys all; reads under way are rejected. */
  close(): void {
    this.closed = true;
    for (const buffer of [...this.idle, ...this.busy]) destroyBuffer(buffer);
    this.idle.length = 0;
    this.busy.clear();
  }

  private take(size: number): GPUBuffer {
    const fits = this.idle.findIndex((buffer) => buffer.size >= size && buffer.size <= 4 * sizeClass(size));
    const [kept] = fits < 0 ? [] : this.idle.splice(fits, 1);
    const buffer =
      kept ?? createBuffer(this.device, 'staging', sizeClass(size), bufferUsage.mapRead | bufferUsage.copyTarget);
    this.busy.add(buffer);
    return buffer;
  }

  private give(buffer: GPUBuffer): void {
    if (this.idle.length >= maxKept || buffer.size > maxKeptBytes) return this.drop(buffer);
    this.busy.delete(buffer);
    if (!this.closed) this.idle.push(buffer);
  }

  private drop(buffer: GPUBuffer): void {
    if (this.busy.delete(buffer)) destroyBuffer(buffer);
  }
}

/** The next power of two from 256 bytes on, so that reads of like size share buffers; large reads take what they need. */
function sizeClass(size: number): number {
  return size > maxKeptBytes ? size : Math.max(256, 2 ** Math.ceil(Math.log2(size)));
}
