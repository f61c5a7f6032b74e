/**
 * What training reads back from the GPU: every step's statistics through a few mapped buffers in turn, and whole states
 * in one copy. Nothing here waits inside a step.
 */
import { NormscopeError } from './errors.js';
import { describeLoss } from './gpu-loss.js';
import { bufferUsage, createBuffer, destroyBuffer } from './gpu-memory.js';
import { checked } from './gpu-pipelines.js';

const mapModeRead = 1; // GPUMapMode.READ, fixed by the WebGPU standard

/** Staging buffers; a step is begun only while one can take it. */
const nStaging = 3;
/** Milliseconds of steps that share a readback. */
const frame = 16;
/** Milliseconds between two nudges. */
const nudge = 5;
const maxSteps = 64;
const maxBytes = 2 ** 20;
/** Bytes of one buffer of a state's copy, unless a single tensor is larger. */
const maxStateBytes = 64 * 2 ** 20;

/** A staging buffer that takes the statistics of steps. */
interface Chunk {
  buffer: GPUBuffer;
  nStep: number;
  begun: number;
}

export interface BufferRange {
  buffer: GPUBuffer;
  /** Bytes. */
  offset: number;
  size: number;
}

/**
 * Statistics of steps, in their order. A chunk takes as many steps as the GPU does in a frame, which is learned as it
 * goes: a slow GPU never has more than some frames of work ahead, so that a pause does not have to wait for it.
 */
export class StepReadback {
  readonly #buffers: GPUBuffer[] = [];
  readonly #idle: GPUBuffer[] = [];
  readonly #capacity: number;
  readonly #arrivals: Promise<void>[] = [];
  #chunk: Chunk | null = null;
  #nWanted = 1;
  #lastArrival = 0;
  /** The arrival of all that was sent. */
  #tail: Promise<void> = Promise.resolve();

  private constructor(
    private readonly device: GPUDevice,
    private readonly stepBytes: number,
    private readonly onStep: (floats: Float32Array) => void,
  ) {
    this.#capacity = Math.max(1, Math.min(maxSteps, Math.floor(maxBytes / stepBytes)));
  }

  /**
   * `stepBytes`, a multiple of 4, is what a step writes; `onStep` gets a view of it that is gone when it returns.
   * Rejects with 'out-of-memory'.
   */
  static async open(device: GPUDevice, stepBytes: number, onStep: (floats: Float32Array) => void) {
    const readback = new StepReadback(device, stepBytes, onStep);
    try {
      await checked(device, 'the statistics of training steps', () => readback.#allocate());
      return readback;
    } catch (error) {
      readback.free();
      throw error;
    }
  }

  get bytes(): number {
    return this.#buffers.reduce((sum, { size }) => sum + size, 0);
  }

  /** A step may be begun. */
  get ready(): boolean {
    return this.#chunk !== null || this.#idle.length > 0;
  }

  /** Steps were begun that have not arrived. */
  get busy(): boolean {
    return this.#chunk !== null || this.#arrivals.length > 0;
  }

  /** Where the step's statistics are copied to, in the step's own encoder. Only while `ready`. */
  begin(): { buffer: GPUBuffer; offset: number } {
    const chunk = (this.#chunk ??= { buffer: this.#idle.pop()!, nStep: 0, begun: performance.now() });
    return { buffer: chunk.buffer, offset: chunk.nStep++ * this.stepBytes };
  }

  /** The step was submitted. Its chunk is sent when it is full or a frame old. */
  submitted(): void {
    const { nStep, begun } = this.#chunk!;
    if (nStep >= this.#nWanted || performance.now() - begun >= frame) void this.flush();
  }

  /** Sends what there is. Resolves when all steps begun so far have arrived, and before any later one does. */
  flush(): Promise<void> {
    if (!this.#chunk) return this.#tail;
    const chunk = this.#chunk;
    this.#chunk = null;
    const mapped = chunk.buffer
      .mapAsync(mapModeRead, 0, chunk.nStep * this.stepBytes)
      .catch((cause: unknown) => explainFailedMap(this.device, 'the statistics', cause));
    this.#tail = Promise.all([mapped, this.#tail]).then(() => this.#receive(chunk));
    this.#tail.catch(() => undefined); // who waits for `arrival` is told
    this.#arrivals.push(this.#tail);
    return this.#tail;
  }

  /** Waits for the next chunk that was sent. Rejects with 'device-lost' or 'gpu-refused'. */
  async arrival(): Promise<void> {
    await nudged(this.device, this.#arrivals[0] ?? this.#tail);
  }

  /** What is on its way never arrives. */
  free(): void {
    for (const buffer of this.#buffers.splice(0)) destroyBuffer(buffer);
    this.#idle.length = 0;
    this.#chunk = null;
  }

  #allocate(): void {
    const usage = bufferUsage.mapRead | bufferUsage.copyTarget;
    for (let i = 0; i < nStaging; ++i)
      this.#buffers.push(createBuffer(this.device, 'statistics', this.#capacity * this.stepBytes, usage));
    this.#idle.push(...this.#buffers);
  }

  #receive({ buffer, nStep, begun }: Chunk): void {
    const floats = new Float32Array(buffer.getMappedRange(0, nStep * this.stepBytes));
    const width = this.stepBytes / 4;
    for (let i = 0; i < nStep; ++i) this.onStep(floats.subarray(i * width, (i + 1) * width));
    buffer.unmap();
    this.#idle.push(buffer);
    void this.#arrivals.shift();
    this.#learn(nStep, begun);
  }

  /** How many steps the GPU does in a frame; a guess at most doubles. */
  #learn(nStep: number, begun: number): void {
    const now = performance.now();
    const inFrame = Math.floor((frame * nStep) / Math.max(now - Math.max(begun, this.#lastArrival), 0.01));
    this.#nWanted = Math.max(1, Math.min(inFrame, 2 * this.#nWanted, this.#capacity));
    this.#lastArrival = now;
  }
}

/** Copies of the ranges as they are after all work submitted so far. Starts in the caller's turn. */
export async function readRanges(device: GPUDevice, ranges: BufferRange[]): Promise<Float32Array[]> {
  const parts = pack(ranges);
  const buffers: GPUBuffer[] = [];
  try {
    await checked(device, 'the copy of a state', () => copyParts(device, parts, buffers));
    await nudged(device, Promise.all(buffers.map((buffer) => buffer.mapAsync(mapModeRead)))).catch((cause: unknown) =>
      explainFailedMap(device, 'a state', cause),
    );
    return parts.flatMap((part, i) => unpack(part, buffers[i]!.getMappedRange()));
  } finally {
    buffers.forEach(destroyBuffer);
  }
}

/** Neighbours that share a staging buffer. */
function pack(ranges: BufferRange[]): BufferRange[][] {
  const parts: BufferRange[][] = [];
  let bytes = Infinity;
  for (const range of ranges) {
    if (bytes + range.size > maxStateBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(range);
    bytes += range.size;
  }
  return parts;
}

function copyParts(device: GPUDevice, parts: BufferRange[][], buffers: GPUBuffer[]): void {
  const encoder = device.createCommandEncoder({ label: 'state' });
  for (const part of parts) {
    const bytes = part.reduce((sum, { size }) => sum + size, 0);
    const staging = createBuffer(device, 'state', bytes, bufferUsage.mapRead | bufferUsage.copyTarget);
    buffers.push(staging);
    let end = 0;
    for (const { buffer, offset, size } of part) {
      encoder.copyBufferToBuffer(buffer, offset, staging, end, size);
      end += size;
    }
  }
  device.queue.submit([encoder.finish()]);
}

function unpack(part: BufferRange[], mapped: ArrayBuffer): Float32Array[] {
  let end = 0;
  return part.map(({ size }) => new Float32Array(mapped.slice(end, (end += size))));
}

/** Firefox looks after maps only when work is submitted; an empty submit is enough. */
async function nudged<T>(device: GPUDevice, arrival: Promise<T>): Promise<T> {
  const timer = setInterval(() => device.queue.submit([]), nudge);
  try {
    return await arrival;
  } finally {
    clearInterval(timer);
  }
}

/** A map may fail a moment before the loss that caused it is announced. */
async function explainFailedMap(device: GPUDevice, what: string, cause: unknown): Promise<never> {
  if (cause instanceof NormscopeError) throw cause;
  const later = new Promise<null>((resolve) => setTimeout(resolve, 50, null));
  const loss = await Promise.race([device.lost, later]);
  if (loss) throw new NormscopeError('device-lost', describeLoss(loss), { cause });
  throw new NormscopeError('gpu-refused', `reading ${what} from the GPU failed: ${String(cause)}`, { cause });
}
