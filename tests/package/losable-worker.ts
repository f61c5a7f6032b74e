/** The address of a worker that runs the script at `url` and loses its GPU device when it is sent { type: 'lose' }. */
export function losable(url: string | URL): string {
  const source = `
    const request = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...wanted) {
      const device = await request.apply(this, wanted);
      addEventListener('message', ({ data }) => data.type === 'lose' && device.destroy());
      return device;
    };
    import ${JSON.stringify(String(url))};`;
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}
