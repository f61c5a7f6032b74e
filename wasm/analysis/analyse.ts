import { abortable, NormscopeError } from '../runtime/errors.js';
import { specLines } from '../runtime/spec.js';
import type { AnalysedModel } from '../worker/protocol.js';
import { AnalysisLink } from './link.js';
import type { Description, Piece, Variant } from './part.js';
import { PARTS } from './parts.js';
import { readRequest, type Order } from './request.js';
import type { AnalyseRequest, Analysis, AnalysisPart } from './types.js';

/**
 * Measures a fresh or trained model in double: moments and their bounds, Jacobians, the Hamiltonian of each step,
 * distances between clouds, what each block is good for, gradients and growth. Loads a module of its own
 * (core-analysis.wasm) the first time, and computes in a worker where one can be made.
 * @throws NormscopeError bad-spec | bad-data | bad-option | bad-number | bad-snapshot | out-of-memory | aborted | …
 */
export async function analyse(request: AnalyseRequest): Promise<Analysis> {
  const order = await readRequest(request);
  return computeAnalysis(order, request);
}

async function computeAnalysis(order: Order, request: AnalyseRequest): Promise<Analysis> {
  const { signal, thread, onProgress } = request;
  if (signal?.aborted) throw aborted(signal);
  const opening = AnalysisLink.open(request, thread);
  const link = await abortable(opening, signal, 'analyse').catch((error: unknown) => {
    void opening.then((late) => late.close()).catch(() => undefined);
    throw error;
  });
  const onAbort = (): void => link.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await new Computation(link, order, onProgress).compute();
  } catch (error) {
    throw signal?.aborted ? aborted(signal) : error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    link.close();
  }
}

const aborted = (signal: AbortSignal): NormscopeError =>
  new NormscopeError('aborted', 'analyse was aborted by its signal', { cause: signal.reason });

/** One analysis: opens the models that its pieces are of, and counts. */
class Computation {
  #open: Variant | undefined;
  #nDone = 0;
  #nPiece = 1;

  constructor(
    private readonly link: AnalysisLink,
    private readonly order: Order,
    private readonly onProgress: AnalyseRequest['onProgress'],
  ) {}

  async compute(): Promise<Analysis> {
    const { parts, wishes, snapshots, model } = this.order;
    const found = (await this.link.open(model)) as Description;
    const { spec, points, steps, loss, wiring } = found;
    this.#nPiece = parts.reduce((sum, part) => sum + PARTS[part].count(found, wishes, snapshots.length), 0);
    const analysis: Analysis = { spec, points, steps, loss, wiring };
    for (const part of parts) {
      const run = (piece: Piece): Promise<unknown> => this.#run(part, piece);
      Object.assign(analysis, { [part]: await PARTS[part].compute(run, found, wishes, snapshots.length) });
    }
    return analysis;
  }

  async #run(part: AnalysisPart, { name, options, of }: Piece): Promise<unknown> {
    if (of !== this.#open) await this.link.open(this.#modelOf(of));
    this.#open = of;
    const result = await this.link.run(name, options);
    this.#nDone += 1;
    this.onProgress?.({ fraction: Math.min(1, this.#nDone / this.#nPiece), part });
    return result;
  }

  /** Fresh models take their parameters from the seed; of a trained one, the seed changes the batch alone. */
  #modelOf(of: Variant | undefined): AnalysedModel {
    const { model, snapshots, spec, data } = this.order;
    if (!of) return model;
    if ('snapshot' in of) return snapshots[of.snapshot]!;
    const { seed, nLayer } = of;
    const tensors = nLayer === undefined && model.tensors ? withoutBatch(model.tensors) : null;
    return { spec: specLines({ ...spec, seed, ...(nLayer === undefined ? {} : { nLayer }) }), data, step: 0, tensors };
  }
}

function withoutBatch(tensors: Record<string, Float32Array>): Record<string, Float32Array> {
  return Object.fromEntries(Object.entries(tensors).filter(([name]) => name !== 'tokens' && name !== 'targets'));
}
