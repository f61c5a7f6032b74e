import type { Localized } from './language.js';

const en = {
  title: 'LayerNorm lens',
  presets: {
    label: 'Start from',
    course: 'Course example',
    outlier: 'Outlier',
    constant: 'Constant',
    offset: 'Big offset',
    'heavy-tail': 'Heavy tail',
    own: 'My own',
  },
  notes: {
    course:
      'The row “The” is an example that many courses compute by hand. Some round σ to 1.9 on the way and get [1.16, −1.47, −0.26, 0.58]. The exact σ is 1.8802, and the exact result stands below.',
    outlier:
      'One feature is far larger than the rest. In LayerNorm it sets σ almost alone, so every other feature is pressed towards a common small value – and it cannot pass √(d−1) itself, however large it gets.',
    constant:
      'No spread at all: σ = 0. Only ε keeps LayerNorm’s division finite, and the output is β, whatever the input was. In the last row σ is far below √ε, so x̂ stays small; with ε near 0 its largest value would be 1.73.',
    offset:
      'The rows of the course example plus 10,000. LayerNorm subtracts μ, so almost nothing changes (fp32 numbers near 10,000 lie about 0.001 apart). Switch to RMSNorm: it keeps the offset, and every feature becomes nearly 1.',
    'heavy-tail':
      'Mostly small numbers and a few large ones. LayerNorm shifts and scales a row; it does not change the shape. The tail stays a tail.',
    own: 'Paste a vector, or several rows in brackets, from your notebook. Up to 64 features and 8 rows.',
  },
  kind: { label: 'Normalization', layernorm: 'LayerNorm', rmsnorm: 'RMSNorm', batchnorm: 'BatchNorm' },
  axis: {
    layernorm: 'Each row is averaged by itself: one token, all its features.',
    rmsnorm: 'Each row by itself, without subtracting the mean: only the size is set.',
    batchnorm: 'Each column is averaged over all rows: one feature, all tokens of the batch.',
  },
  grid: {
    before: 'Before: x',
    after: 'After: y',
    token: 'Token',
    lookAt: (name: string) => `Look at token “${name}”`,
    padding: 'padding',
    feature: (name: string) => `Look at feature ${name}`,
    unchanged: 'unchanged',
    changed: 'changed',
    compared: 'compared with the untouched grid',
  },
  batch: {
    alone: 'Batch of one: only this token',
    padded: 'Add two rows of padding (zeros)',
  },
  effect: {
    still: 'Change a number, or one of the two boxes, and watch which rows of the output move.',
    rowsKept: 'The other tokens did not move: every row has its own μ and σ.',
    rowsMoved: (count: string) =>
      `Other tokens whose output moved although their own numbers did not: ${count}. They share μ and σ with the row you touched.`,
    sameAlone: 'Alone or in company, this token comes out the same.',
    zeroAlone:
      'With one row, every feature is its own mean: x̂ = 0, and only β is left. That is why BatchNorm needs running averages at inference.',
    samePadded: 'Padding changes nothing: no token looks at another row.',
    movedPadded:
      'The zeros entered the averages, so every real token came out different. Batching sentences of different lengths does exactly this.',
  },
  bench: {
    heading: (name: string) => `Token “${name}”`,
    hint: 'Drag a bar, use the arrow keys, or type.',
    slider: (feature: string) => `Slide ${feature}`,
    number: (feature: string) => `Value of ${feature}`,
    before: 'x',
    after: 'x̂, normalized',
    meanMark: 'μ and μ ± σ',
    rmsMark: 'zero and ± rms',
    boundMark: 'largest possible |x̂|',
    reset: 'Undo my changes',
  },
  paste: {
    label: 'Whole row: type or paste',
    apply: 'Use it',
    filled: 'The width changed, so the other rows were filled with ready-made numbers.',
    done: 'Taken.',
    count: (count: string) =>
      `Read as ${count} numbers: a comma separates numbers. Write a point for the decimal, and thousands without a mark.`,
  },
  facts: {
    mean: 'Mean after',
    variance: 'Variance after',
    largest: 'Largest |x̂|',
    limit: 'its limit',
    inColumn: (fact: string, feature: string) => `${fact}, column ${feature}`,
  },
  steps: {
    heading: 'Step by step',
    ofRow: (name: string) => `for the token “${name}”`,
    ofColumn: (feature: string) => `for the feature ${feature}, over all rows`,
    mean: 'Mean',
    centred: 'Centre',
    sigma: 'Spread',
    rms: 'Size (root mean square)',
    normalized: 'Divide',
    affine: 'Scale and shift',
    divisor: 'The divisor is d, not d − 1.',
    divisorColumn: 'The divisor is the number of rows.',
    epsilon: (eps: string, root: string) => `ε = ${eps} stands inside the root: √(σ² + ε) = ${root}.`,
    epsilonRms: (eps: string, root: string) => `ε = ${eps} stands inside the root: √(rms² + ε) = ${root}.`,
    learned: 'γ and β are learned, one of each per feature.',
    learnedGain: 'γ is learned, one per feature. RMSNorm has no β.',
    shortcut: (wrong: string, right: string) =>
      `Careful: the shortcut mean(x²) − μ² gives σ² = ${wrong} here in 32-bit arithmetic; the true value is ${right}. Normscope subtracts μ first.`,
    more: (count: string) => `… ${count} more`,
  },
  controls: {
    heading: 'γ, β and ε',
    gamma: 'Gain γ, all features',
    beta: 'Shift β, all features',
    eps: 'Stabiliser ε',
    epsSlider: 'ε, as a power of ten',
    perFeature: 'A γ and β for each feature',
    gammaVector: 'γ per feature',
    betaVector: 'β per feature',
    betaUnused: 'RMSNorm has no β.',
    length: (want: string, got: string) => `One number, or ${want} of them; these are ${got}.`,
  },
  histogram: {
    heading: 'The shape stays',
    text: 'Each dot is one of the numbers that are normalized together. Normalizing shifts and scales their axis; order and shape stay.',
    before: 'before: x',
    after: 'after: x̂',
    summary: (count: string, low: string, high: string) => `${count} values from ${low} to ${high}.`,
  },
  table: {
    summary: 'All numbers as a table',
    caption: 'Input, normalized value and output',
    feature: 'Feature',
    token: 'Token',
  },
  device: {
    label: 'Compute with',
    wasm: 'WebAssembly',
    webgpu: 'WebGPU',
    ran: (device: string) => `Computed by ${device}.`,
    adapter: (name: string) => `Adapter: ${name}.`,
    noGpu: 'This browser has no usable WebGPU; WebAssembly gives the same numbers up to rounding.',
    gpuFailed: (reason: string) =>
      `WebGPU did not start (${reason}). Back to WebAssembly, which gives the same numbers up to rounding.`,
    starting: 'Starting the core …',
  },
  figure: (name: string, values: string) => `Bars of token “${name}”: ${values}.`,
};

export type LensMessages = typeof en;

const ko: LensMessages = {
  title: '레이어 정규화 렌즈',
  presets: {
    label: '시작할 값',
    course: '강의 예제',
    outlier: '이상치',
    constant: '상수',
    offset: '큰 오프셋',
    'heavy-tail': '두꺼운 꼬리',
    own: '직접 입력',
  },
  notes: {
    course:
      '“The” 행은 여러 강의에서 손으로 계산해 보는 예제입니다. 중간에 σ를 1.9로 반올림하면 [1.16, −1.47, −0.26, 0.58]이 나오지만, 정확한 σ는 1.8802이고 정확한 결과는 아래와 같습니다.',
    outlier:
      '피처 하나가 나머지보다 훨씬 큽니다. LayerNorm에서는 σ가 거의 이 값으로 정해지므로 다른 피처는 모두 비슷한 작은 값으로 눌립니다. 이 피처도 아무리 커져도 √(d−1)을 넘지 못합니다.',
    constant:
      '값이 모두 같아 σ = 0입니다. LayerNorm에서 0으로 나누는 것을 막아 주는 것은 ε뿐이고, 입력이 무엇이든 출력은 β가 됩니다. 마지막 행은 σ가 √ε보다 훨씬 작아서 x̂도 작게 남습니다. ε이 0에 가까우면 최댓값은 1.73이 됩니다.',
    offset:
      '강의 예제의 모든 값에 10,000을 더했습니다. LayerNorm은 μ를 빼므로 결과가 거의 그대로입니다(10,000 근처에서 fp32 수의 간격은 약 0.001입니다). RMSNorm으로 바꾸면 오프셋이 남아 모든 피처가 1에 가까워집니다.',
    'heavy-tail':
      '대부분 작고 몇 개만 큰 값입니다. LayerNorm은 한 행의 값을 옮기고 늘이거나 줄일 뿐 분포의 모양은 바꾸지 않습니다. 두꺼운 꼬리도 그대로 남습니다.',
    own: '노트북에서 벡터 하나 또는 대괄호로 묶은 여러 행을 복사해 붙여 넣으세요. 피처는 64개, 행은 8개까지 넣을 수 있습니다.',
  },
  kind: { label: '정규화 방법', layernorm: 'LayerNorm', rmsnorm: 'RMSNorm', batchnorm: 'BatchNorm' },
  axis: {
    layernorm: '행마다 따로 평균을 냅니다. 토큰 하나의 모든 피처를 함께 정규화합니다.',
    rmsnorm: '행마다 따로 계산하지만 평균은 빼지 않고 크기만 맞춥니다.',
    batchnorm: '열마다 모든 행에 걸쳐 평균을 냅니다. 배치에 있는 모든 토큰의 같은 피처를 함께 정규화합니다.',
  },
  grid: {
    before: '정규화 전: x',
    after: '정규화 후: y',
    token: '토큰',
    lookAt: (name) => `토큰 “${name}” 보기`,
    padding: '패딩',
    feature: (name) => `피처 ${name} 보기`,
    unchanged: '그대로',
    changed: '바뀜',
    compared: '처음 값과 비교',
  },
  batch: {
    alone: '배치 크기 1: 이 토큰만',
    padded: '패딩(0) 두 행 추가',
  },
  effect: {
    still: '숫자를 바꾸거나 두 체크 상자를 눌러 보고, 출력의 어느 행이 달라지는지 보세요.',
    rowsKept: '다른 토큰의 출력은 그대로입니다. 행마다 자신의 μ와 σ를 쓰기 때문입니다.',
    rowsMoved: (count) =>
      `입력은 그대로인데 출력이 달라진 다른 토큰: ${count}개. 방금 바꾼 행과 μ, σ를 함께 쓰기 때문입니다.`,
    sameAlone: '혼자 있든 다른 토큰과 함께 있든 이 토큰의 결과는 같습니다.',
    zeroAlone:
      '행이 하나뿐이면 각 피처의 값이 곧 평균이므로 x̂ = 0이 되고 β만 남습니다. 그래서 BatchNorm은 추론할 때 이동 평균이 필요합니다.',
    samePadded: '패딩을 넣어도 결과는 같습니다. 어떤 토큰도 다른 행의 영향을 받지 않습니다.',
    movedPadded:
      '0이 평균에 섞여 실제 토큰의 결과가 모두 달라졌습니다. 길이가 다른 문장을 한 배치에 넣으면 바로 이런 일이 생깁니다.',
  },
  bench: {
    heading: (name) => `토큰 “${name}”`,
    hint: '막대를 끌거나, 화살표 키를 쓰거나, 숫자를 입력하세요.',
    slider: (feature) => `${feature} 조절`,
    number: (feature) => `${feature}의 값`,
    before: 'x',
    after: 'x̂, 정규화한 값',
    meanMark: 'μ와 μ ± σ',
    rmsMark: '0과 ± rms',
    boundMark: '|x̂|의 상한',
    reset: '바꾼 값 되돌리기',
  },
  paste: {
    label: '한 행 전체: 입력하거나 붙여 넣기',
    apply: '적용',
    filled: '너비가 바뀌어 나머지 행은 미리 정해 둔 숫자로 채웠습니다.',
    done: '적용했습니다.',
    count: (count) =>
      `숫자 ${count}개로 읽었습니다. 쉼표는 숫자를 나누는 기호입니다. 소수점은 마침표로 쓰고, 천 단위에는 쉼표를 넣지 마세요.`,
  },
  facts: {
    mean: '정규화 후 평균',
    variance: '정규화 후 분산',
    largest: '가장 큰 |x̂|',
    limit: '한계',
    inColumn: (fact, feature) => `${feature} 열, ${fact}`,
  },
  steps: {
    heading: '단계별 계산',
    ofRow: (name) => `토큰 “${name}”`,
    ofColumn: (feature) => `피처 ${feature}, 모든 행`,
    mean: '평균',
    centred: '평균 빼기',
    sigma: '표준편차',
    rms: '크기(제곱평균제곱근)',
    normalized: '나누기',
    affine: '스케일과 시프트',
    divisor: 'd − 1이 아니라 d로 나눕니다.',
    divisorColumn: '행의 개수로 나눕니다.',
    epsilon: (eps, root) => `ε은 제곱근 안에 들어갑니다. ε = ${eps}, √(σ² + ε) = ${root}.`,
    epsilonRms: (eps, root) => `ε은 제곱근 안에 들어갑니다. ε = ${eps}, √(rms² + ε) = ${root}.`,
    learned: 'γ와 β는 학습되는 파라미터로, 피처마다 하나씩 있습니다.',
    learnedGain: 'γ는 학습되는 파라미터로, 피처마다 하나씩 있습니다. RMSNorm에는 β가 없습니다.',
    shortcut: (wrong, right) =>
      `주의: 간편 공식 mean(x²) − μ²을 fp32로 계산하면 여기서는 틀린 값이 나옵니다(σ² = ${wrong}, 참값 ${right}). Normscope는 μ를 먼저 뺍니다.`,
    more: (count) => `… 외 ${count}개`,
  },
  controls: {
    heading: 'γ, β, ε',
    gamma: '스케일 γ, 모든 피처',
    beta: '시프트 β, 모든 피처',
    eps: '안정화 상수 ε',
    epsSlider: 'ε, 10의 거듭제곱',
    perFeature: '피처마다 다른 γ와 β',
    gammaVector: '피처별 γ',
    betaVector: '피처별 β',
    betaUnused: 'RMSNorm에는 β가 없습니다.',
    length: (want, got) => `숫자 하나 또는 ${want}개가 필요합니다. 지금은 ${got}개입니다.`,
  },
  histogram: {
    heading: '모양은 그대로',
    text: '점 하나가 함께 정규화하는 값 하나입니다. 정규화하면 축이 옮겨지고 늘어나거나 줄어들 뿐, 값의 순서와 분포의 모양은 그대로입니다.',
    before: '정규화 전: x',
    after: '정규화 후: x̂',
    summary: (count, low, high) => `값 ${count}개, ${low}에서 ${high}까지.`,
  },
  table: {
    summary: '모든 숫자를 표로 보기',
    caption: '입력, 정규화한 값, 출력',
    feature: '피처',
    token: '토큰',
  },
  device: {
    label: '계산 장치',
    wasm: 'WebAssembly',
    webgpu: 'WebGPU',
    ran: (device) => `${device}로 계산했습니다.`,
    adapter: (name) => `어댑터: ${name}.`,
    noGpu: '이 브라우저에서는 WebGPU를 쓸 수 없습니다. WebAssembly로도 반올림 오차를 빼면 같은 값이 나옵니다.',
    gpuFailed: (reason) =>
      `WebGPU를 시작하지 못했습니다(${reason}). WebAssembly로 돌아갑니다. 반올림 오차를 빼면 같은 값이 나옵니다.`,
    starting: '코어를 시작하는 중 …',
  },
  figure: (name, values) => `토큰 “${name}”의 막대: ${values}.`,
};

export const lens = { en, ko } satisfies Localized<LensMessages>;
