/** Runs inside a frame whose content security policy is strict, and reports to its parent. */
import { layerNorm, train } from 'normscope';

// The test server wraps every dynamic import for a runner that this frame has not.
Object.assign(globalThis, { __vitest_browser_runner__: { wrapDynamicImport: (load: () => unknown) => load() } });

async function report(): Promise<object> {
  const { y } = await layerNorm({ x: [3.2, -1.8, 0.5, 2.1], dModel: 4 });
  const run = train({
    spec: { nLayer: 1, dModel: 8, nHead: 2, nCtx: 8, nBatch: 2 },
    data: { kind: 'markov' },
    steps: 3,
  });
  const [info] = await run.started;
  const [verdict] = await run.finished;
  return { y: Array.from(y), thread: info!.thread, code: verdict!.code };
}

report().then(
  (result) => parent.postMessage(result, '*'),
  (error: unknown) => parent.postMessage({ error: String(error) }, '*'),
);
