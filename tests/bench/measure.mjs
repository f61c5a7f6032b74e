// Interleaved rounds: every candidate of a case runs in turn in one process, so that only ratios are read.

/** @returns {number} the median */
export function median(values) {
  const sorted = values.toSorted ? values.toSorted((a, b) => a - b) : [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

async function timed({ run, settle }, calls) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) await run();
  await settle?.();
  return (performance.now() - start) / calls;
}

/** Calls per round so that a round takes about 30 ms. */
async function callsFor(candidate) {
  await timed(candidate, 1);
  return Math.max(1, Math.round(30 / Math.max(await timed(candidate, 1), 0.01)));
}

/**
 * Milliseconds per call of each candidate: { name: [per round] }. A candidate is a function, or { run, settle } where the
 * work is only begun by run() and settle() waits for all of it.
 * @param {Record<string, (() => unknown) | { run: () => unknown, settle?: () => unknown }>} candidates
 */
export async function interleave(candidates, rounds) {
  const entries = Object.entries(candidates).map(([name, candidate]) => {
    return [name, typeof candidate === 'function' ? { run: candidate } : candidate];
  });
  const calls = {};
  for (const [name, candidate] of entries) calls[name] = await callsFor(candidate);
  const times = Object.fromEntries(entries.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, candidate] of entries) times[name].push(await timed(candidate, calls[name]));
  return times;
}

/** How many times faster the first candidate (ours) is than each other one, as median of the rounds' ratios. */
function ratios(times) {
  const [ours, ...peers] = Object.keys(times);
  return peers.map((peer) => [peer, median(times[peer].map((time, i) => time / times[ours][i]))]);
}

/** One line per candidate: median time and how many times faster ours is. */
export function report(title, times) {
  const [ours] = Object.keys(times);
  console.log(`\n${title}`);
  console.log(`  ${ours.padEnd(28)} ${median(times[ours]).toFixed(3)} ms`);
  for (const [peer, ratio] of ratios(times))
    console.log(`  ${peer.padEnd(28)} ${median(times[peer]).toFixed(3)} ms   ours is ${ratio.toFixed(2)}x as fast`);
}

/** Without times, where they would say more about the machine than about the candidates. */
export function reportRatios(title, times) {
  console.log(`\n${title}`);
  for (const [peer, ratio] of ratios(times))
    console.log(`  ours is ${ratio.toFixed(2).padStart(6)}x as fast as ${peer}`);
}
