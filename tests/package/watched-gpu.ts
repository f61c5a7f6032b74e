/** A GPU of which a test sees every device, and which can be told to misbehave. */

export interface Mood {
  /** There is no adapter; the adapter gives no device, as one that was used before; it passes for hardware. */
  adapter?: 'missing' | 'consumed' | 'hardware';
  /** What every error scope of this kind reports. */
  scopes?: 'out-of-memory' | 'validation';
}

export class WatchedGpu {
  readonly devices: GPUDevice[] = [];

  constructor(
    private readonly real: GPU,
    private readonly mood: Mood = {},
  ) {}

  async requestAdapter(): Promise<unknown> {
    const adapter = await this.real.requestAdapter();
    if (!adapter || this.mood.adapter === 'missing') return null;
    const { vendor, architecture } = adapter.info;
    const isFallbackAdapter = this.mood.adapter !== 'hardware';
    const requestDevice = (wanted: GPUDeviceDescriptor): Promise<GPUDevice> => this.#open(adapter, wanted);
    const { limits, features } = adapter;
    return { info: { vendor, architecture, isFallbackAdapter }, limits, features, requestDevice };
  }

  /** What a driver reset does to all devices of a page. */
  lose(): void {
    for (const device of this.devices) device.destroy();
  }

  async #open(adapter: GPUAdapter, wanted: GPUDeviceDescriptor): Promise<GPUDevice> {
    if (this.mood.adapter === 'consumed') throw new DOMException('the adapter is consumed', 'OperationError');
    const device = await adapter.requestDevice(wanted);
    this.devices.push(device);
    if (this.mood.scopes) complain(device, this.mood.scopes);
    return device;
  }
}

function complain(device: GPUDevice, about: GPUErrorFilter): void {
  const open: GPUErrorFilter[] = [];
  device.pushErrorScope = (filter) => void open.push(filter);
  device.popErrorScope = async () =>
    open.pop() === about ? ({ message: `simulated: ${about}` } as unknown as GPUError) : null;
}
