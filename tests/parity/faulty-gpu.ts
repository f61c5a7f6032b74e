// A real WebGPU whose answers differ in one respect: what machines, drivers and other pages may do to ours.
export interface Faults {
  /** What the adapter says of itself, in place of what it is. */
  info?: Partial<GPUAdapterInfo>;
  /** The adapter's features, in place of its own. */
  features?: ReadonlySet<string>;
  /** Limits of adapter and device, in place of its own. */
  limits?: Partial<Record<keyof GPUSupportedLimits, number>>;
  /** Devices that the adapters give, one after the other; after them requests are refused. Default: no end. */
  devices?: number;
  /** Whether this buffer finds no memory. */
  noMemory?: (descriptor: GPUBufferDescriptor) => boolean;
}

/** The object with some of its properties replaced; methods run on the object itself. */
function altered<T extends object>(target: T, changes: Partial<Record<keyof T, unknown>>): T {
  return new Proxy(target, {
    get: (object, key) => {
      if (key in changes) return changes[key as keyof T];
      const value: unknown = Reflect.get(object, key, object);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}

/** `navigator.gpu` with these faults. Devices of its own: nothing that happens to them touches other tests. */
export function faultyGpu(gpu: GPU, faults: Faults): GPU & { devices: GPUDevice[] } {
  const devices: GPUDevice[] = [];
  const requestAdapter = async (): Promise<GPUAdapter | null> => {
    const adapter = await gpu.requestAdapter();
    return adapter && faultyAdapter(adapter, faults, devices);
  };
  return { ...altered(gpu, {}), requestAdapter, devices } as never;
}

function faultyAdapter(adapter: GPUAdapter, faults: Faults, devices: GPUDevice[]): GPUAdapter {
  const requestDevice = async (descriptor?: GPUDeviceDescriptor): Promise<GPUDevice> => {
    if (devices.length === faults.devices) throw new Error('this adapter has given its device already');
    const device = faultyDevice(await adapter.requestDevice(descriptor), faults);
    devices.push(device);
    return device;
  };
  const { features = adapter.features, info = adapter.info } = faults;
  return altered(adapter, { requestDevice, features, info, limits: limitsOf(adapter, faults) });
}

const limitsOf = ({ limits }: GPUAdapter | GPUDevice, faults: Faults): GPUSupportedLimits =>
  altered(limits, faults.limits ?? {});

function faultyDevice(device: GPUDevice, faults: Faults): GPUDevice {
  let lacked = 0;
  const createBuffer = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    if (faults.noMemory?.(descriptor)) lacked += 1;
    return device.createBuffer(descriptor);
  };
  const scopes: GPUErrorFilter[] = [];
  const pushErrorScope = (filter: GPUErrorFilter): void => {
    scopes.push(filter);
    device.pushErrorScope(filter);
  };
  const popErrorScope = async (): Promise<GPUError | null> => {
    const noMemory = scopes.pop() === 'out-of-memory' && lacked > 0;
    if (noMemory) lacked = 0;
    const error = await device.popErrorScope();
    return noMemory ? ({ message: 'allocation failed' } as GPUError) : error;
  };
  return altered(device, { createBuffer, pushErrorScope, popErrorScope, limits: limitsOf(device, faults) });
}
