// In the page: every case with every candidate that can do it. A candidate is { run, settle, output, free }: `run` submits
// one call, `settle` waits until the GPU has done all of them, `output` reads the result back.
import { requestGpu } from '../../../wasm/runtime/gpu-device.ts';
import { interleave } from '../measure.mjs';
import { casesOf } from './cases.mjs';
import * as jax from './jax.mjs';
import * as normscope from './normscope.mjs';
import * as ort from './ort.mjs';
import * as tfjs from './tfjs.mjs';

const PEERS = { 'jax-js': jax, tfjs, ort };

async function adapter() {
  const answer = await requestGpu();
  if (answer.state !== 'ready') throw new Error(`this bench needs a WebGPU adapter: ${answer.reason}`);
  return { adapter: answer.adapter, software: answer.fallback };
}

const wanted = (names, name) => !names || names.some((part) => name.includes(part));

const titles = ({ shapes, only }) =>
  casesOf(shapes)
    .filter(({ kind }) => wanted(only, kind))
    .map(({ title }) => title);

async function run(title, { shapes, rounds, peers }) {
  const work = casesOf(shapes).find((candidate) => candidate.title === title);
  const candidates = { normscope: await normscope.open(work) };
  const notes = [];
  for (const [name, peer] of Object.entries(PEERS).filter(([name]) => wanted(peers, name))) {
    const candidate = await peer.open(work).catch((error) => void notes.push(`${name}: ${error.message}`));
    if (candidate) candidates[name] = candidate;
  }
  if (Object.keys(candidates).length === 1) notes.push('none of these peers does this here');
  notes.push(...(await differences(candidates)));
  const times = await interleave(candidates, rounds);
  for (const candidate of Object.values(candidates)) await candidate.free();
  return { times, notes };
}

/** Who computes something else than we do. A training step has no result to compare: each model has its own start. */
async function differences(candidates) {
  const outputs = {};
  for (const [name, candidate] of Object.entries(candidates)) {
    await candidate.run();
    await candidate.settle();
    outputs[name] = await candidate.output?.();
  }
  const { normscope: right, ...others } = outputs;
  return Object.entries(others).flatMap(([name, values]) => {
    if (!right || !values) return [];
    const off = right.reduce((most, value, i) => Math.max(most, Math.abs(value - values[i])), 0);
    return off < 1e-3 ? [] : [`${name} is up to ${off.toExponential(1)} away from our result`];
  });
}

window.bench = { adapter, titles, run };
