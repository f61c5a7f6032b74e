import type { Localized } from './language.js';

/**
 * The page's prose. HTML without attributes other than href; `{{name}}` stands for the formula of that name and
 * `{{placements}}` for the diagrams. Read when the site is built, so that the text is there without JavaScript.
 */
const en = {
  title: 'Normscope – normalization under the lens',
  description:
    'Compute layer normalization by hand, move it inside a transformer block and watch Pre-LN and Peri-LN train live in your browser.',
  skip: 'Skip to the content',
  theme: { dark: 'Dark', light: 'Light' },
  lead: `<h1>Normalization, under the lens</h1>
<p>Deep transformers train because two small parts keep their numbers in order: layer normalization and the residual connection. Here you can compute one by hand, move it inside the block, and watch real models train with it – live, in your browser.</p>`,
  layernorm: `<h2>Layer normalization</h2>
<p>Take the vector of <em>one token</em>. Subtract its own mean μ, divide by its own standard deviation σ, then give every feature a learned gain γ and shift β.</p>
{{ln}}
<p>It is a volume control for a single voice: shouting or whispering, everything leaves at the same level, and γ and β let the model choose another level where that helps. No other token takes part, so batch size and sentence length do not matter.</p>`,
  details: [
    `<h3>Mind the root</h3>
<p>The divisor is √(σ² + ε), not σ² + ε. Without the root the course example would end with variance 0.28 instead of 1. ε stands inside the root; it only matters when σ is tiny. And σ² divides by d, not by d − 1.</p>`,
    `<h3>RMSNorm</h3>
<p>Leave the mean alone and only set the size. One sum less, no β, and in practice as good – Llama, Mistral, Qwen and Gemma use it.</p>
{{rmsnorm}}`,
    `<h3>Not BatchNorm</h3>
<p>BatchNorm averages each feature over the batch, so tokens depend on their neighbours, on padding and on the batch size, and inference needs stored averages. LayerNorm gives the same answer for one sentence as for a thousand.</p>`,
  ],
  residual: `<h2>The residual connection</h2>
<p>Stack more layers on a plain network and, at some depth, even the <em>training</em> error rises. That is not overfitting: the signal and its gradient have to pass through every layer, and little of them arrives. He and colleagues (2015) called it the degradation problem and added one thing, the input itself:</p>
{{residual}}
<p>Now the gradient has a direct road. Whatever the sublayer does, the identity I lets it through:</p>
{{residual-gradient}}
<p>The two parts need each other. The residual lets depth help instead of hurt; but sums grow, and the inputs of deep layers keep shifting while the layers below them learn. The norm keeps every sublayer’s input at a known scale. The open question is <em>where</em> to put it.</p>`,
  placement: `<h2>Where does the norm go?</h2>
<p>Write N for a norm and f for a sublayer, attention or MLP. Three places have names.</p>
{{placements}}`,
  placements: {
    'post-ln': {
      name: 'Post-LN',
      text: `<p>The original Transformer. The norm stands <em>on</em> the road, after the addition, so the hidden state has constant variance at every depth. At initialization the expected gradients near the <em>output</em> are large, so training wants a learning-rate warm-up; and each norm on the road rescales the gradient, which in deep models fades towards the input. Where it trains, its quality is good.</p>`,
      diagram: 'Block diagram: the input goes through f, is added to the input, and the sum is normalized.',
    },
    'pre-ln': {
      name: 'Pre-LN',
      text: `<p>The norm stands on the branch, before f, and the road stays free: gradients reach every layer, and a long warm-up is seldom needed. One more norm before the output head is required. The price: nothing limits what a branch adds. The hidden state grows with depth, so late layers change it less and less, and it can leave the range of 16-bit numbers.</p>`,
      diagram: 'Block diagram: the input is normalized, goes through f, and is added to the input.',
    },
    'peri-ln': {
      name: 'Peri-LN',
      text: `<p>A norm before f and another on its output, <em>before</em> the addition. Every step adds a vector of known size, whatever the weights are. The hidden state grows at most linearly and its variance at most quadratically with depth.</p>`,
      diagram:
        'Block diagram: the input is normalized, goes through f, is normalized again, and is added to the input.',
    },
  },
  usedBy: 'Used by',
  stability: `<h2>Watch them train</h2>
<p>The models below start from the same weights and read the same batches. Only the place of the norm differs. Before you press play: which hidden state will grow, and which will not? The default learning rate is far too high on purpose; at an ordinary one both train alike, and one click shows that too.</p>`,
  theory: `<h2>What the theory says</h2>
<p>Kan and colleagues (2025) read a transformer as a controlled system: depth is time, the sublayers are the velocity. For Pre-LN without weight decay the Hamiltonian is <em>unbounded</em> – a larger weight always pays, so the optimal velocity does not exist. With weight decay the hidden state can still grow like e<sup>D</sup>; this is an upper bound, and well-tuned decay stays below it. In Peri-LN the output norm holds the velocity on an ellipsoid, the Hamiltonian is <em>bounded</em>, and for any weights</p>
{{peri-bound}}
<p>The size of the activations also drops out of Peri-LN’s local sensitivity. That is a promise of invariance, not of smallness: a residual step Δt below 1 makes it small as well. In their GPT-2 experiments Pre-LN diverged in 1 of 5 runs with weight decay and 3 of 5 without; Peri-LN in none, and Δt = 0.1 gave the best results.</p>`,
  code: `<h2>In your own code</h2>
<p>The same core is an npm package, in the browser and in Node.</p>`,
  sources: 'Sources',
  fallback:
    'This figure shows the course example: on the left the vector x, on the right the same vector after LayerNorm. The live version needs JavaScript and WebAssembly.',
  fallbackLab:
    'The training lab needs JavaScript, WebAssembly and workers. In the verified small recipe (6 layers, width 32, learning rate 0.2, 300 steps) Pre-LN’s hidden state passes 65,504, the largest 16-bit number, while Peri-LN’s stays below 1,000.',
  noScript: 'JavaScript is off, so nothing is computed here. The text and the figures remain.',
  slow: 'The live parts have not started. A course site or browser setting may block scripts, workers or WebAssembly.',
};

export type PageMessages = typeof en;

const ko: PageMessages = {
  title: 'Normscope – 정규화를 렌즈로 들여다보기',
  description:
    '레이어 정규화를 손으로 계산하고, 트랜스포머 블록 안에서 자리를 옮겨 보고, Pre-LN과 Peri-LN의 학습을 브라우저에서 바로 지켜보세요.',
  skip: '본문으로 건너뛰기',
  theme: { dark: '어둡게', light: '밝게' },
  lead: `<h1>정규화를 렌즈로 들여다보기</h1>
<p>깊은 트랜스포머를 학습할 수 있는 것은 작은 부품 두 개, 레이어 정규화(layer normalization)와 잔차 연결(residual connection)이 숫자를 다스려 주기 때문입니다. 여기서는 정규화를 손으로 계산해 보고, 블록 안에서 자리를 옮겨 보고, 실제 모델이 학습되는 모습을 브라우저에서 바로 지켜볼 수 있습니다.</p>`,
  layernorm: `<h2>레이어 정규화</h2>
<p><em>토큰 하나</em>의 벡터를 봅니다. 그 벡터 자신의 평균 μ를 빼고, 자신의 표준편차 σ로 나눈 다음, 피처마다 학습한 스케일 γ를 곱하고 시프트 β를 더합니다.</p>
{{ln}}
<p>목소리 하나에 달린 음량 조절기와 같습니다. 크게 들어오든 작게 들어오든 같은 크기로 나가고, 다른 크기가 나은 곳에서는 모델이 γ와 β로 다시 고릅니다. 다른 토큰은 끼어들지 않으므로 배치 크기나 문장 길이의 영향을 받지 않습니다.</p>`,
  details: [
    `<h3>제곱근을 잊지 마세요</h3>
<p>나누는 값은 σ² + ε이 아니라 √(σ² + ε)입니다. 제곱근을 빠뜨리면 강의 예제의 분산은 1이 아니라 0.28이 됩니다. ε은 제곱근 안에 들어가며 σ가 아주 작을 때만 의미가 있습니다. σ²은 d − 1이 아니라 d로 나누어 구합니다.</p>`,
    `<h3>RMSNorm</h3>
<p>평균은 그대로 두고 크기만 맞춥니다. 합이 하나 줄고 β도 없지만 실제 성능은 비슷합니다. Llama, Mistral, Qwen, Gemma가 씁니다.</p>
{{rmsnorm}}`,
    `<h3>배치 정규화와 다른 점</h3>
<p>배치 정규화는 피처마다 배치 전체에서 평균을 냅니다. 그래서 토큰의 결과가 이웃, 패딩, 배치 크기에 따라 달라지고 추론할 때는 저장해 둔 평균이 필요합니다. 레이어 정규화는 문장이 하나든 천 개든 같은 답을 냅니다.</p>`,
  ],
  residual: `<h2>잔차 연결</h2>
<p>단순히 층을 더 쌓으면 어느 깊이부터는 <em>학습</em> 오차마저 커집니다. 과적합 때문이 아닙니다. 신호와 그래디언트(gradient)가 모든 층을 지나야 해서 끝까지 도착하는 양이 적기 때문입니다. He 등(2015)은 이를 열화 문제(degradation problem)라 부르고 한 가지, 입력 자신을 더했습니다.</p>
{{residual}}
<p>이제 그래디언트가 곧장 지나갈 길이 생깁니다. 서브 레이어가 무엇을 하든 항등 행렬 I가 그래디언트를 통과시킵니다.</p>
{{residual-gradient}}
<p>두 부품은 서로를 필요로 합니다. 잔차 연결은 깊이가 해가 아니라 득이 되게 합니다. 하지만 더하다 보면 값이 커지고, 아래층이 배우는 동안 깊은 층의 입력 분포는 계속 바뀝니다. 정규화는 모든 서브 레이어의 입력을 정해진 크기로 맞춥니다. 남은 질문은 정규화를 <em>어디에</em> 두느냐입니다.</p>`,
  placement: `<h2>정규화를 어디에 둘까?</h2>
<p>정규화를 N, 서브 레이어(어텐션 또는 MLP)를 f라고 씁니다. 이름이 붙은 자리는 세 가지입니다.</p>
{{placements}}`,
  placements: {
    'post-ln': {
      name: 'Post-LN',
      text: `<p>원래 트랜스포머의 방식입니다. 정규화가 더하기 뒤, 곧 큰길 <em>위</em>에 있어서 은닉 상태의 분산이 깊이와 상관없이 일정합니다. 초기화 시점에는 <em>출력</em> 쪽의 기대 그래디언트가 커서 학습률 웜업(warm-up)이 필요합니다. 또 길 위의 정규화마다 그래디언트의 크기가 다시 조절되어, 깊은 모델에서는 입력 쪽으로 갈수록 약해집니다. 학습에 성공하면 성능은 좋습니다.</p>`,
      diagram: '블록 그림: 입력이 f를 지나 입력과 더해지고, 그 합을 정규화합니다.',
    },
    'pre-ln': {
      name: 'Pre-LN',
      text: `<p>정규화가 분기 위, f 앞에 있어서 큰길이 비어 있습니다. 그래디언트가 모든 층에 닿고 긴 웜업이 거의 필요 없습니다. 출력 헤드 앞에는 정규화가 하나 더 있어야 합니다. 대가도 있습니다. 분기가 더하는 값을 막는 것이 없어서 깊어질수록 은닉 상태가 커집니다. 그래서 뒤쪽 층의 영향은 점점 옅어지고, 값이 16비트 수의 범위를 벗어날 수도 있습니다.</p>`,
      diagram: '블록 그림: 입력을 정규화해 f에 넣고, 그 결과를 입력과 더합니다.',
    },
    'peri-ln': {
      name: 'Peri-LN',
      text: `<p>f 앞에 하나, f의 출력에 또 하나를 두되 더하기 <em>전에</em> 둡니다. 가중치가 어떻든 단계마다 정해진 크기의 벡터가 더해집니다. 그래서 깊이에 따라 은닉 상태는 많아야 선형으로, 분산은 많아야 이차로 커집니다.</p>`,
      diagram: '블록 그림: 입력을 정규화해 f에 넣고, 출력을 다시 정규화한 뒤 입력과 더합니다.',
    },
  },
  usedBy: '쓰는 모델',
  stability: `<h2>학습을 지켜보세요</h2>
<p>아래 모델들은 같은 가중치에서 시작해 같은 배치를 읽습니다. 다른 것은 정규화의 자리뿐입니다. 재생을 누르기 전에 생각해 보세요. 어느 쪽 은닉 상태가 커지고 어느 쪽이 그대로일까요? 기본 학습률은 일부러 아주 높게 잡았습니다. 보통 학습률에서는 둘 다 비슷하게 학습되며, 이것도 클릭 한 번으로 확인할 수 있습니다.</p>`,
  theory: `<h2>이론이 말하는 것</h2>
<p>Kan 등(2025)은 트랜스포머를 제어되는 시스템으로 봅니다. 깊이가 시간이고 서브 레이어가 속도입니다. 가중치 감쇠가 없는 Pre-LN에서는 해밀토니안이 <em>유계가 아닙니다</em>. 가중치를 키울수록 항상 이득이라 최적 속도가 존재하지 않습니다. 가중치 감쇠가 있어도 은닉 상태는 e<sup>D</sup>까지 커질 수 있는데, 이는 상한이며 감쇠를 잘 조정하면 그보다 작게 머뭅니다. Peri-LN에서는 출력 정규화가 속도를 타원체 위에 묶어 두므로 해밀토니안이 <em>유계</em>이고, 어떤 가중치에서도 다음이 성립합니다.</p>
{{peri-bound}}
<p>Peri-LN의 국소 민감도에서는 활성화 값의 크기도 사라집니다. 민감도가 작다는 뜻이 아니라 변하지 않는다는 뜻입니다. 잔차 단계 Δt를 1보다 작게 하면 작아지기까지 합니다. GPT-2 실험에서 Pre-LN은 가중치 감쇠가 있을 때 5번 중 1번, 없을 때 5번 중 3번 발산했고 Peri-LN은 한 번도 발산하지 않았으며, Δt = 0.1일 때 결과가 가장 좋았습니다.</p>`,
  code: `<h2>내 코드에서 쓰기</h2>
<p>같은 코어를 npm 패키지로 브라우저와 Node에서 쓸 수 있습니다.</p>`,
  sources: '참고 문헌',
  fallback:
    '강의 예제의 그림입니다. 왼쪽은 벡터 x, 오른쪽은 레이어 정규화를 거친 같은 벡터입니다. 직접 움직여 보려면 JavaScript와 WebAssembly가 필요합니다.',
  fallbackLab:
    '학습 실험실에는 JavaScript, WebAssembly, 워커가 필요합니다. 검증한 작은 설정(6층, 너비 32, 학습률 0.2, 300단계)에서 Pre-LN의 은닉 상태는 16비트 수의 최댓값인 65,504를 넘고, Peri-LN은 1,000 아래에 머뭅니다.',
  noScript: 'JavaScript가 꺼져 있어 계산은 할 수 없습니다. 글과 그림은 그대로 볼 수 있습니다.',
  slow: '움직이는 부분이 시작되지 않았습니다. 강의 사이트나 브라우저 설정이 스크립트, 워커, WebAssembly를 막고 있을 수 있습니다.',
};

export const page = { en, ko } satisfies Localized<PageMessages>;

/** Papers behind the text, by their own titles. */
export const SOURCES: readonly { text: string; href: string }[] = [
  {
    text: 'He, Zhang, Ren, Sun (2015). Deep residual learning for image recognition.',
    href: 'https://arxiv.org/abs/1512.03385',
  },
  { text: 'Ba, Kiros, Hinton (2016). Layer normalization.', href: 'https://arxiv.org/abs/1607.06450' },
  { text: 'Vaswani et al. (2017). Attention is all you need.', href: 'https://arxiv.org/abs/1706.03762' },
  { text: 'Zhang, Sennrich (2019). Root mean square layer normalization.', href: 'https://arxiv.org/abs/1910.07467' },
  {
    text: 'Xiong et al. (2020). On layer normalization in the transformer architecture.',
    href: 'https://arxiv.org/abs/2002.04745',
  },
  {
    text: 'Takase et al. (2022). B2T connection: serving stability and performance in deep transformers.',
    href: 'https://arxiv.org/abs/2206.00330',
  },
  {
    text: 'Kim et al. (2025). Peri-LN: revisiting layer normalization in the transformer architecture.',
    href: 'https://arxiv.org/abs/2502.02732',
  },
  {
    text: 'Kan et al. (2025). Stability of transformers under layer normalization.',
    href: 'https://arxiv.org/abs/2510.09904',
  },
];
