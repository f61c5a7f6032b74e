/** What a run is worth on data that it was not trained on: computed on its host, after its last step. */
import type { CpuExecutor } from '../runtime/cpu-executor.js';
import { checkInteger, checkKeys, checkNumber } from '../runtime/checks.js';
import { NormscopeError } from '../runtime/errors.js';
import { findTensor } from '../runtime/plan.js';
import { embeddingSimilarity, meanRouge, meanScore, rougeScores, wordsOf } from '../runtime/text-scores.js';
import type { EvaluationRequest, EvaluationResult, PlanInfo, TextSample } from '../runtime/types.js';

interface FullEvaluation {
  nBatch: number;
  sample?: Required<NonNullable<EvaluationRequest['sample']>>;
}

/** The request with its defaults. */
export function readEvaluation(request: EvaluationRequest): FullEvaluation {
  checkKeys('evaluation', request, ['nBatch', 'sample']);
  const nBatch = checkInteger('evaluation.nBatch', request.nBatch ?? 16, 1, 2 ** 20);
  if (request.sample === undefined) return { nBatch };
  checkKeys('evaluation.sample', request.sample, ['nSample', 'nPrompt', 'nToken', 'temperature']);
  const { nSample = 4, nPrompt = 16, nToken = 32, temperature = 0 } = request.sample;
  checkInteger('evaluation.sample.nSample', nSample, 1, 1024);
  checkInteger('evaluation.sample.nPrompt', nPrompt, 1, 4096);
  checkInteger('evaluation.sample.nToken', nToken, 1, 4096);
  if (checkNumber('evaluation.sample.temperature', temperature) < 0)
    throw new NormscopeError('bad-number', `evaluation.sample.temperature is ${temperature}; expected 0 or more`);
  return { nBatch, sample: { nSample, nPrompt, nToken, temperature } };
}

/** Refuses, before the first step, samples that this model or this text cannot give. */
export function checkEvaluation(core: Pick<CpuExecutor, 'generate'>, plan: PlanInfo, request: EvaluationRequest): void {
  const { sample } = readEvaluation(request);
  if (sample && plan.dataset!.kind === 'text') core.generate(0, sample.nPrompt, sample.nToken, 0);
}

/** Parameters and moments are only read; the counters are put back as they were. */
export function evaluate(executor: CpuExecutor, plan: PlanInfo, request: EvaluationRequest): EvaluationResult {
  const { nBatch, sample } = readEvaluation(request);
  const counters = plan.tensors.filter(({ role, name }) => role === 'state' && !name.includes('.'));
  const before = counters.map((tensor) => executor.copy(tensor));
  try {
    const loss = heldOutLoss(executor, plan, nBatch);
    const samples = sample && plan.dataset!.kind === 'text' ? scoreSamples(executor, plan, sample) : WITHOUT_SAMPLES;
    return { nBatch, loss, perplexity: Math.exp(loss), ...samples };
  } finally {
    counters.forEach((tensor, i) => executor.write(tensor, before[i]!));
  }
}

/** Batches 0 … nBatch - 1 of the seed, whatever step the run has reached. */
function heldOutLoss(executor: CpuExecutor, plan: PlanInfo, nBatch: number): number {
  const control = findTensor(plan, 'control');
  const loss = findTensor(plan, 'loss');
  let sum = 0;
  for (let i = 0; i < nBatch; ++i) {
    executor.write(control, Float32Array.of(i));
    executor.beginStep('held-out');
    executor.run(['evaluate']);
    sum += executor.copy(loss, undefined, 0, 1)[0]!;
  }
  return sum / nBatch;
}

const WITHOUT_SAMPLES = { samples: [], rougeTokens: null, rougeWords: null, embeddingSimilarity: null };

function scoreSamples(
  executor: CpuExecutor,
  plan: PlanInfo,
  { nSample, nPrompt, nToken, temperature }: NonNullable<FullEvaluation['sample']>,
): Omit<EvaluationResult, 'nBatch' | 'loss' | 'perplexity'> {
  const { symbols } = plan.dataset!;
  const { prompt, text, reference } = executor.generate(nSample, nPrompt, nToken, temperature);
  const table = executor.copy(findTensor(plan, 'token_embedding.weight'));
  const spell = (tokens: number[]): string => tokens.map((token) => symbols[token]).join('').normalize('NFC'); // prettier-ignore
  const samples = text.map((written, i): TextSample => ({ prompt: spell(prompt[i]!), text: spell(written), reference: spell(reference[i]!) })); // prettier-ignore
  return {
    samples,
    rougeTokens: meanRouge(text.map((written, i) => rougeScores(written.map(String), reference[i]!.map(String)))),
    rougeWords: meanRouge(samples.map((each) => rougeScores(wordsOf(each.text), wordsOf(each.reference)))),
    embeddingSimilarity: meanScore(
      text.map((written, i) => embeddingSimilarity(written, reference[i]!, table, Number(plan.spec.d_model))),
    ),
  };
}
