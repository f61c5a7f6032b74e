/** Texts about the rows of the placement table and about runs with several seeds. Part of the lab's texts. */
import { topic } from './particles.js';
import type { Localized } from './language.js';

/** Names that both languages write alike. */
const TERMS = {
  'post-ln': 'Post-LN',
  'pre-ln': 'Pre-LN',
  'peri-ln': 'Peri-LN',
  'output-ln': 'Output-LN',
  'sandwich-ln': 'Sandwich-LN',
  deepnorm: 'DeepNorm',
  'ln-scaling': 'LN-Scaling',
  rezero: 'ReZero',
  layerscale: 'LayerScale',
  'mix-ln': 'Mix-LN',
  hybridnorm: 'HybridNorm',
  keel: 'Keel',
};

const en = {
  placements: {
    none: 'No norm',
    plain: 'Plain',
    'plain-ln': 'Plain + LN',
    ...TERMS,
    own: 'Your own wiring',
  },
  families: {
    branch: 'Norm on the branch',
    stream: 'Norm on the stream',
    mixed: 'Different by step or depth',
    scaled: 'No norm',
    'no-skip': 'No residual connection',
  },
  /** The table's own words; Korean has others for those that are more than symbols and names. */
  equationOf: (_row: string, given: string) => given,
  usersOf: (_row: string, given: string) => given,
  familyCount: (chosen: string, total: string) => `${chosen} of ${total}`,
  comparePlacements: 'Compare all placements',
  placementTable: {
    title: 'All placements side by side',
    note: 'N is a norm, f a sublayer (attention or MLP, the feed-forward network), l the block counted from 1, α and s factors. Diagrams are drawn from the same fields that the models are built from.',
    diagram: 'Residual step',
    equation: 'Equation',
    source: 'Source',
    users: 'Used by',
    picture: (name: string, step: string) => `${name}, ${step}`,
  },
  steps: {
    every: 'every step',
    attention: 'attention step',
    mlp: 'MLP step',
    early: 'early blocks',
    late: 'later blocks',
    'late-attention': 'later blocks, attention',
    'late-mlp': 'later blocks, MLP',
  },
  normKindTitle: 'Kind of norm',
  normKinds: { row: 'as the row says', layernorm: 'LayerNorm', rmsnorm: 'RMSNorm', dyt: 'DyT' },
  normKindHint: {
    row: 'LayerNorm, unless the row or your own wiring says otherwise.',
    layernorm: 'Centre, divide by the standard deviation, then γ and β.',
    rmsnorm: 'Divide by the root mean square, then γ; the mean stays.',
    dyt: 'γ·tanh(αx) + β with a learned α: no statistics at all.',
  },
  decayGamma: 'weight decay acts on γ, too',
  runCount: (placements: string, seeds: string, total: string) =>
    `Placements ${placements} × seeds ${seeds} = ${total} runs.`,
  manyRuns: 'They share the processor, so this takes a while.',
  seeds: {
    note: 'Bold: median over the seeds; thin: each seed. A diverged seed counts as infinite.',
    lostOf: (lost: string, total: string) => `${lost} of ${total} diverged`,
    mostLost: 'diverged',
    runOf: (name: string, seed: string) => `${name}, seed ${seed}`,
    mapOf: (seed: string) => `Shown: seed ${seed}.`,
    eachRun: (n: string) => `Each of the ${n} runs`,
    diverged: 'Diverged',
    finalLoss: 'Final loss: median (range)',
    maxAbs: 'max |x|: median (range)',
    passed: 'Past 65,504',
    of: (n: string, total: string) => `${n} of ${total}`,
    lost: 'diverged',
    lostSome: (name: string, lost: string, total: string, first: string, last: string) =>
      `${name} diverged in ${lost} of ${total} seeds (${first === last ? `step ${first}` : `steps ${first} to ${last}`}).`,
    finished: (name: string, total: string, middle: string, low: string, high: string) =>
      `${name} finished with all ${total} seeds; final loss ${middle} in the median (${low} to ${high}).`,
    survivedSome: (n: string, value: string) =>
      `${n} placements stayed within fp16’s range; the largest value among them is ${value}.`,
    boundsHold: (n: string, percent: string) =>
      `${n} placements stay under their bounds at every layer; the closest point reaches ${percent} % of its bound.`,
    ratio: (a: string, b: string, ratio: string) =>
      `The largest hidden value of ${a} is ${ratio} times that of ${b} (medians).`,
  },
};

export type PlacementMessages = typeof en;

const KO_EQUATIONS: Record<string, string> = {
  deepnorm: 'N((2L)^(1/4) x + Δt f(x)), 시작할 때 v, 출력, MLP 가중치에 (8L)^(-1/4)배',
  'ln-scaling': 'x + Δt f(N(x) / √l), l은 1부터 센 블록 번호',
  rezero: 'x + Δt s f(x), 시작할 때 s = 0',
  layerscale: 'x + Δt s ⊙ f(N(x)), 시작할 때 s = 0.1',
  'mix-ln': '앞쪽 1/4 블록은 N(x + Δt f(x)), 나머지는 x + Δt f(N(x))',
  hybridnorm: 'h = x + Δt Attn(x), q, k, v를 헤드별로 정규화; N(h) + Δt MLP(N(h))',
  keel: 'N(L x + Δt f(N(x))), L은 블록 수',
};

const KO_USERS: Record<string, string> = {
  none: '정규화를 뺀 ResNet',
  plain: '잔차 연결이 나오기 전의 네트워크',
  'plain-ln': '비교용: 잔차 연결 없이 정규화만',
  deepnorm: 'DeepNet (1,000층)',
};

const ko: PlacementMessages = {
  placements: {
    none: '정규화 없음',
    plain: '잔차 없음',
    'plain-ln': '잔차 없음 + LN',
    ...TERMS,
    own: '직접 만든 구조',
  },
  families: {
    branch: '분기 안에 정규화',
    stream: '잔차 경로 위에 정규화',
    mixed: '단계나 깊이에 따라 다름',
    scaled: '정규화 없음',
    'no-skip': '잔차 연결 없음',
  },
  equationOf: (row, given) => KO_EQUATIONS[row] ?? given,
  usersOf: (row, given) =>
    KO_USERS[row] ?? (given === 'no released model known to us' ? '알려진 공개 모델 없음' : given),
  familyCount: (chosen, total) => `${total}개 중 ${chosen}개`,
  comparePlacements: '모든 정규화 위치 비교하기',
  placementTable: {
    title: '모든 정규화 위치 나란히 보기',
    note: 'N은 정규화, f는 서브 레이어(어텐션 또는 MLP, 곧 피드포워드 네트워크), l은 1부터 센 블록 번호, α와 s는 곱하는 계수입니다. 그림은 모델을 만들 때 쓰는 값과 같은 값으로 그립니다.',
    diagram: '잔차 단계',
    equation: '식',
    source: '출처',
    users: '사용하는 모델',
    picture: (name, step) => `${name}, ${step}`,
  },
  steps: {
    every: '모든 단계',
    attention: '어텐션 단계',
    mlp: 'MLP 단계',
    early: '앞쪽 블록',
    late: '뒤쪽 블록',
    'late-attention': '뒤쪽 블록의 어텐션',
    'late-mlp': '뒤쪽 블록의 MLP',
  },
  normKindTitle: '정규화의 종류',
  normKinds: { row: '위치에 따름', layernorm: 'LayerNorm', rmsnorm: 'RMSNorm', dyt: 'DyT' },
  normKindHint: {
    row: '고른 위치나 직접 만든 구조에 따로 정해져 있지 않으면 LayerNorm입니다.',
    layernorm: '평균을 빼고 표준편차로 나눈 뒤 γ와 β를 적용합니다.',
    rmsnorm: '제곱평균제곱근(RMS)으로 나눈 뒤 γ를 곱하며, 평균은 빼지 않습니다.',
    dyt: '학습되는 α로 γ·tanh(αx) + β를 계산하며, 통계량을 전혀 쓰지 않습니다.',
  },
  decayGamma: '가중치 감쇠를 γ에도 적용',
  runCount: (placements, seeds, total) => `위치 ${placements}개 × 시드 ${seeds}개 = 실행 ${total}개`,
  manyRuns: '프로세서를 나누어 쓰므로 시간이 꽤 걸립니다.',
  seeds: {
    note: '굵은 선은 시드들의 중앙값, 가는 선은 시드 하나하나입니다. 발산한 시드는 무한대로 셉니다.',
    lostOf: (lost, total) => `${total}개 중 ${lost}개 발산`,
    mostLost: '발산',
    runOf: (name, seed) => `${name}, 시드 ${seed}`,
    mapOf: (seed) => `시드 ${seed}의 값입니다.`,
    eachRun: (n) => `실행 ${n}개 각각 보기`,
    diverged: '발산',
    finalLoss: '최종 손실: 중앙값(범위)',
    maxAbs: '최대 |x|: 중앙값(범위)',
    passed: '65,504 초과',
    of: (n, total) => `${total}개 중 ${n}개`,
    lost: '발산',
    lostSome: (name, lost, total, first, last) =>
      `${topic(name)} 시드 ${total}개 중 ${lost}개에서 발산했습니다(${first === last ? `${first}스텝` : `${first}~${last}스텝`}).`,
    finished: (name, total, middle, low, high) =>
      `${topic(name)} 시드 ${total}개 모두 끝까지 학습했으며, 최종 손실의 중앙값은 ${middle}입니다(${low}~${high}).`,
    survivedSome: (n, value) => `위치 ${n}개는 끝까지 fp16의 범위 안에 있었으며, 그중 최댓값은 ${value}입니다.`,
    boundsHold: (n, percent) =>
      `위치 ${n}개는 모든 층에서 상한보다 작습니다. 가장 가까운 곳이 상한의 ${percent}%입니다.`,
    ratio: (a, b, ratio) => `은닉 상태의 최댓값(중앙값)은 ${a} 쪽이 ${b} 쪽의 ${ratio}배입니다.`,
  },
};

export const placements: Localized<PlacementMessages> = { en, ko };
