// Who is told when a GPU device is lost. A device's `lost` promise keeps its listeners for good, so there is one for all.

type Listener = (info: GPUDeviceLostInfo) => void;

const listeners = new WeakMap<GPUDevice, Set<Listener>>();

/** Calls `tell` when the device is lost, in a later turn; the result takes the listener back. */
export function whenLost(device: GPUDevice, tell: Listener): () => void {
  let known = listeners.get(device);
  if (!known) {
    const told = (known = new Set());
    listeners.set(device, told);
    void device.lost.then((info) => told.forEach((listener) => listener(info)));
  }
  known.add(tell);
  return () => void known.delete(tell);
}

export const describeLoss = ({ reason, message }: GPUDeviceLostInfo): string =>
  `the GPU was lost (${message.trim() || reason || 'driver reset or removed'})`;
