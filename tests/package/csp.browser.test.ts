import { expect, it } from 'vitest';

/** What the module script of a frame with this policy posts, and the policy's complaints. */
function runUnder(policy: string): Promise<Record<string, unknown>> {
  const frame = document.createElement('iframe');
  const script = new URL('./csp-frame.ts', import.meta.url).href;
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><script type="module" src="${script}"></script>`;
  const answer = new Promise<Record<string, unknown>>((resolve) => {
    addEventListener('message', function listen(event) {
      if (event.source !== frame.contentWindow) return;
      removeEventListener('message', listen);
      resolve(event.data as Record<string, unknown>);
    });
  });
  document.body.append(frame);
  return answer.finally(() => frame.remove());
}

it("loads and computes under script-src 'self' 'wasm-unsafe-eval'", async () => {
  const { y, thread, code, error } = await runUnder(
    "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob: data:",
  );
  expect(error).toBeUndefined();
  expect((y as number[]).map((value) => value.toFixed(4))).toEqual(['1.1701', '-1.4892', '-0.2659', '0.5851']);
  expect([thread, code]).toEqual(['worker', 'finished']);
});

it('trains on the page where the policy refuses every worker', async () => {
  const { thread, code } = await runUnder("script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'");
  expect([thread, code]).toEqual(['inline', 'finished']);
});

it('says which source to allow where the policy refuses WebAssembly', async () => {
  const { error } = await runUnder("script-src 'self'");
  expect(error).toMatch(/refuses WebAssembly.*'wasm-unsafe-eval'/);
});
