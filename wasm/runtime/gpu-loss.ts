// Who is told when a GPU device is lost. A device's `lost` promise keeps its listeners for good, so there is one for all.

type Listener = (info: GPUDeviceLostInfo) => void;

const listeners = new WeakMap<GPUDevice, Set<Listener>>();
const lost = new WeakSet<GPUDevice>();

/** Notes a loss from here on. */
export function watchDevice(device: GPUDevice): Set<Listener> {
  let known = listeners.get(device);
  if (!known) {
    const told = (known = new Set());
    listeners.set(device, told);
    void device.lost.then((info) => {
      lost.add(device);
      told.forEach((listener) => listener(info));
    });
  }
  return known;
}

/** Whether the device was lost, as far as it is watched. */
export const isLost = (device: GPUDevice): boolean => lost.has(device);

/** Calls `tell` when the device is lost, in a later turn; the result takes the listener back. */
export function whenLost(device: GPUDevice, tell: Listener): () => void {
  const told = watchDevice(device);
  told.add(tell);
  return () => void told.delete(tell);
}

export const describeLoss = ({ reason, message }: GPUDeviceLostInfo): string =>
  `the GPU was lost (${message.trim() || reason || 'driver reset or removed'})`;
