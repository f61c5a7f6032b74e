import { test } from 'vitest';
import { PLACEMENTS } from '../../build/generated/placements.js';
import { ModelPair, tiny, lossDrift } from './model-pair.js';
import { nodeGpu } from './node-gpu.js';
import { testDevice } from './test-device.js';
const R: any = {plain:.003,'plain-ln':.003,'peri-ln':.005,'output-ln':.005,'sandwich-ln':.005};
const norm = (a: Float32Array) => Math.hypot(...a);
test('margins', async () => {
  const device = await testDevice(nodeGpu());
  for (const { name } of PLACEMENTS) {
    const pair = await ModelPair.open(device, [{ ...tiny, placement: name, learningRate: R[name] ?? 0.01, ...(name === 'mix-ln' && { nLayer: 4 }) }]);
    const worst = async () => { await pair.draw(); await pair.run('forward', 'backward', 'observe'); let w = [0, ''] as any; let largest = 0; const all = [];
      for (const t of pair.plan.tensors.filter((t) => t.role === 'gradient')) { const { right, got } = await pair.both(t); all.push([t.name, right[0]!, got[0]!] as const); largest = Math.max(largest, norm(right[0]!)); }
      for (const [n, r, g] of all) if (norm(r) >= 1e-5 * largest) { const o = norm(g.map((v, i) => v - r[i]!)) / norm(r); if (o > w[0]) w = [o, n]; } return w; };
    const a = await worst(); await pair.run('update'); await pair.train(49); const d = await lossDrift(pair, 50); await pair.align(); const b = await worst();
    console.log('MARGIN', name, a[0].toExponential(1), b[0].toExponential(1), b[1], (100 * d).toFixed(4) + '%'); pair.free();
  }
}, 300000);
