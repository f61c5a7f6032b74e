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
<p>Deep transformers train because two small parts keep their numbers in order: layer normalization and the residual connection. Here you can compute one by hand, move it inside the block, and watch small but real models train with it – live, in your browser.</p>
<p><a href="#layernorm">The LayerNorm lens</a> <a href="#stability">The stability lab</a></p>`,
  layernorm: `<h2>Layer normalization</h2>
<p>Take the vector of <em>one token</em>. Subtract its own mean μ, divide by its own standard deviation σ, then give every feature a learned gain γ and shift β.</p>
{{ln}}
<p>It is a volume control for a single voice: shouting or whispering, everything leaves at the same level, and γ and β let the model choose another level where that helps. No other token takes part, so batch size and sentence length do not matter. And because every layer starts from numbers of a known size, signals and gradients are less likely to vanish or explode on the way.</p>`,
  details: [
    `<h3>Mind the root</h3>
<p>The divisor is √(σ² + ε), not σ² + ε. Without the root the course example would end with variance 0.28 instead of 1. ε stands inside the root; it only matters when σ is tiny. And σ² divides by d, not by d − 1.</p>`,
    `<h3>RMSNorm</h3>
<p>Leave the mean alone and only set the size. One sum less, no β, and in practice about as good: Llama, Mistral, Qwen and Gemma use it.</p>
{{rmsnorm}}`,
    `<h3>Not BatchNorm</h3>
<p>BatchNorm averages each feature over the batch, so a token’s result depends on its neighbours, on padding and on the batch size. In small batches the averages are noisy, and inference needs stored ones. LayerNorm gives a token the same answer whether one sentence is in the batch or a thousand.</p>`,
  ],
  residual: `<h2>The residual connection</h2>
<p>Stack more layers on a plain network and, at some depth, even the <em>training</em> error rises. That is not overfitting: the signal and its gradient have to pass through every layer, so a deeper plain network is harder to optimize. He and colleagues (2015) called this the degradation problem. Their answer was to add the input itself:</p>
{{residual}}
<p>Now there is a direct road past the sublayer. Whatever the sublayer does, the identity I lets the gradient through:</p>
{{residual-gradient}}
<p>This made networks of more than a hundred layers trainable. The two parts need each other: the residual connection cures degradation, and the norm lets a deep residual network train without special initialization. Sums grow with depth, and while the layers below learn, the inputs of deep layers keep changing – covariate shift, though how much of the norm’s benefit that explains is disputed. The norm brings the numbers back to a known scale. The question is <em>where</em> to put it.</p>`,
  placement: `<h2>Where does the norm go?</h2>
<p>Write N for a norm and f for a sublayer, attention or MLP. Three placements are compared here. The lab below has a dozen more, from Output-LN (OLMo 2, EXAONE 4), which normalizes only what f puts out, to a wiring of your own.</p>
{{placements}}`,
  placements: {
    'post-ln': {
      name: 'Post-LN',
      text: `<p>The original Transformer. The norm stands <em>on</em> the road, after the addition, so the hidden state’s variance does not grow with depth. At initialization the expected gradients near the <em>output</em> are large, so training needs a learning-rate warm-up; and every norm on the road rescales the gradient, which in deep models can fade towards the input. Whether a Post-LN model that does train has richer features than Pre-LN is debated.</p>`,
      diagram: 'Block diagram: the input goes through f, is added to the input, and the sum is normalized.',
    },
    'pre-ln': {
      name: 'Pre-LN',
      text: `<p>The usual choice since GPT-2. The norm stands on the branch, before f, and the road stays free: gradients reach every layer, and a short warm-up, or none, often suffices. The output head needs one more norm before it. The price: nothing limits what a branch adds. The hidden state grows with depth and can leave the range of fp16. Late layers then change it less and less: their share is diluted, and states of neighbouring layers become nearly alike (representation collapse).</p>`,
      diagram: 'Block diagram: the input is normalized, goes through f, and is added to the input.',
    },
    'peri-ln': {
      name: 'Peri-LN',
      text: `<p>A norm before f and another on its output, <em>before</em> the addition; after it, the norm would stand on the road as in Post-LN. What a step can add is limited by γ and β of the output norm alone, whatever the other weights are. So with depth the mean absolute value grows at most linearly and the variance at most quadratically. Like Pre-LN, it ends with one more norm before the head.</p>`,
      diagram:
        'Block diagram: the input is normalized, goes through f, is normalized again, and is added to the input.',
    },
  },
  usedBy: 'Used by',
  stability: `<h2>Watch them train</h2>
<p>The models below start from the same weights and read the same batches. Only the place of the norm differs. They read the Universal Declaration of Human Rights letter by letter, or a text of yours. Before you press Run: which hidden state will blow up, and which will stay bounded? The default learning rate is high on purpose; at an ordinary one both train alike, and one click shows that too.</p>`,
  theory: `<h2>What the theory says</h2>
<p>Training a deep model can fail forwards, when hidden states grow until they overflow, or backwards, when gradients explode. Where to put the norm was long a matter of experience. Kan and colleagues (2025) analyse it as a problem of optimal control, for trained models rather than at initialization: depth is time, the hidden state is what is steered, the sublayers give its velocity, and every residual step advances time by Δt, which is 1 in an ordinary transformer.</p>
<p>The Hamiltonian of this problem is the most that one step can promise to gain. For Pre-LN without weight decay it is <em>unbounded</em>: a larger weight always promises more, so there is no optimal velocity, and nothing limits the hidden state. With weight decay there is an upper bound, but it grows like e<sup>D</sup> with the number D of residual steps; with well-tuned decay the measured growth stays below it. In Peri-LN the output norm holds the velocity on an ellipsoid. For given γ and β of that norm the Hamiltonian is then <em>bounded</em>, and whatever the other weights are</p>
{{peri-bound}}
<p>An overline is a mean absolute value. It grows at most linearly with depth, the variance at most quadratically. The paper has bounds of this form; the constants here are our own derivation.</p>
<p>Local sensitivity says how strongly one step passes on a small change. In Pre-LN it can grow with the weights and activations; in Peri-LN their size cancels. That is a promise of invariance, not of smallness. A residual step Δt below 1 makes the sensitivity of a step smaller too and tightens the bound, at no extra cost. Peri-LN also limits how far apart two input distributions can drift by the last layer, measured as Wasserstein distance, so uncertainty about the input stays under control; Pre-LN has no such limit.</p>
<p>The authors trained GPT-2 models of 124M to 1.5B parameters on OpenWebText. Pre-LN diverged in 1 of 5 runs with weight decay and in 3 of 5 without, Peri-LN in none. Peri-LN’s quality matched that of tuned Pre-LN, and with Δt = 0.1 it was the best on every reported measure. They suggest such an analysis as a check on new architectures before an expensive training run. Weight decay and Δt are among the settings of the lab above; its analysis measures each of these claims, and its check of a wiring is such a test in small.</p>`,
  code: `<h2>In your own code</h2>
<p>The same core is an npm package, in the browser and in Node.</p>`,
  sources: 'Sources',
  fallback:
    'This figure shows the course example: on the left the vector x, on the right the same vector after LayerNorm. The live version needs JavaScript and WebAssembly.',
  fallbackLab:
    'The training lab needs JavaScript, WebAssembly and workers. In the verified small recipe (6 layers, width 32, learning rate 0.2, 300 steps) Pre-LN’s hidden state passes 65,504, the largest fp16 number, while Peri-LN’s stays below 1,000.',
  noScript: 'JavaScript is off, so nothing is computed here. The text and the figures remain.',
  slow: 'The live parts have not started. A course site or browser setting may block scripts, workers or WebAssembly.',
};

export type PageMessages = typeof en;

const ko: PageMessages = {
  title: 'Normscope – 정규화를 렌즈로 들여다보기',
  description:
    '레이어 정규화를 직접 계산하고, 트랜스포머 블록 안에서 위치를 옮겨 보고, Pre-LN과 Peri-LN의 학습을 브라우저에서 바로 지켜보세요.',
  skip: '본문으로 건너뛰기',
  theme: { dark: '어둡게', light: '밝게' },
  lead: `<h1>정규화를 렌즈로 들여다보기</h1>
<p>깊은 트랜스포머를 학습할 수 있는 것은 두 가지 작은 구성 요소, 레이어 정규화(layer normalization)와 잔차 연결(residual connection)이 값의 크기를 안정적으로 잡아 주기 때문입니다. 여기서는 정규화를 직접 계산해 보고, 블록 안에서 위치를 옮겨 보고, 작지만 실제로 학습되는 모델을 브라우저에서 바로 지켜볼 수 있습니다.</p>
<p><a href="#layernorm">레이어 정규화 렌즈</a> <a href="#stability">안정성 실험실</a></p>`,
  layernorm: `<h2>레이어 정규화</h2>
<p><em>토큰 하나</em>의 벡터를 봅니다. 이 벡터의 평균 μ를 빼고 표준편차 σ로 나눈 다음, 피처(feature)마다 학습된 스케일 γ를 곱하고 시프트 β를 더합니다.</p>
{{ln}}
<p>목소리 하나하나에 달린 음량 조절기와 같습니다. 크게 들어오든 작게 들어오든 같은 크기로 나가고, 다른 크기가 더 좋은 곳에서는 모델이 γ와 β를 학습해 다시 조절합니다. 다른 토큰은 계산에 들어가지 않으므로 배치 크기나 문장 길이의 영향을 받지 않습니다. 또 층마다 값의 크기가 일정하게 맞춰지므로 신호와 그래디언트(gradient)가 도중에 사라지거나 폭주할 위험이 줄어듭니다.</p>`,
  details: [
    `<h3>제곱근을 잊지 마세요</h3>
<p>나누는 값은 σ² + ε이 아니라 √(σ² + ε)입니다. 제곱근을 빠뜨리면 강의 예제의 결과는 분산이 1이 아니라 0.28이 됩니다. ε은 제곱근 안에 들어가며 σ가 아주 작을 때만 영향을 줍니다. σ²은 d − 1이 아니라 d로 나누어 구합니다.</p>`,
    `<h3>RMSNorm</h3>
<p>평균은 빼지 않고 크기만 맞춥니다. 합을 한 번 덜 구하고 β도 없지만 실제 성능은 비슷합니다. Llama, Mistral, Qwen, Gemma가 사용합니다.</p>
{{rmsnorm}}`,
    `<h3>배치 정규화와 다른 점</h3>
<p>배치 정규화(batch normalization)는 피처마다 배치 전체에 걸쳐 평균을 냅니다. 그래서 한 토큰의 결과가 다른 토큰, 패딩, 배치 크기에 따라 달라집니다. 배치가 작으면 통계량이 크게 흔들리고, 추론할 때는 저장해 둔 통계량이 필요합니다. 레이어 정규화는 배치에 문장이 하나든 천 개든 토큰마다 같은 결과를 냅니다.</p>`,
  ],
  residual: `<h2>잔차 연결</h2>
<p>잔차 연결 없이 층만 더 쌓으면 어느 깊이부터는 <em>학습</em> 오차마저 커집니다. 과적합 때문이 아닙니다. 신호와 그래디언트가 모든 층을 차례로 지나야 하므로 깊을수록 최적화가 어려워지기 때문입니다. He 등(2015)은 이를 열화 문제(degradation problem)라고 불렀고, 입력 자신을 더하는 것을 해법으로 내놓았습니다.</p>
{{residual}}
<p>이제 서브 레이어(sublayer)를 거치지 않고 곧장 지나는 잔차 경로가 생깁니다. 서브 레이어가 무엇을 하든 항등 행렬 I를 통해 그래디언트가 흐릅니다.</p>
{{residual-gradient}}
<p>이 덧셈 하나로 백 층이 넘는 네트워크도 학습할 수 있게 되었습니다. 두 요소는 서로 보완합니다. 열화 문제를 해결하는 것은 잔차 연결이고, 깊은 잔차 네트워크를 특별한 초기화 없이 학습하게 해 주는 것은 정규화입니다. 계속 더하다 보면 값이 커지고, 앞쪽 층이 학습되는 동안 깊은 층의 입력 분포도 계속 바뀝니다. 이를 공변량 변화(covariate shift)라고 하는데, 정규화의 효과를 이것으로 얼마나 설명할 수 있는지에는 이견이 있습니다. 정규화는 값을 다시 일정한 크기로 맞춥니다. 남은 질문은 정규화를 <em>어디에</em> 두느냐입니다.</p>`,
  placement: `<h2>정규화를 어디에 둘까?</h2>
<p>정규화를 N, 서브 레이어(어텐션 또는 MLP)를 f라고 씁니다. 여기서는 세 가지 위치를 비교합니다. 아래 실험실에는 f의 출력만 정규화하는 Output-LN(OLMo 2, EXAONE 4)을 비롯해 열두 가지가 더 있고, 직접 만든 구조도 시험해 볼 수 있습니다.</p>
{{placements}}`,
  placements: {
    'post-ln': {
      name: 'Post-LN',
      text: `<p>원래 트랜스포머의 방식입니다. 정규화가 덧셈 뒤, 곧 잔차 경로 <em>위</em>에 있어서 깊어져도 은닉 상태(hidden state)의 분산이 커지지 않습니다. 초기화 시점에는 <em>출력</em> 쪽 층의 기대 그래디언트가 커서 학습률 웜업(warm-up)이 필요합니다. 또 경로 위의 정규화마다 그래디언트의 크기가 바뀌므로, 깊은 모델에서는 입력 쪽으로 갈수록 약해질 수 있습니다. 학습에 성공한 Post-LN의 표현력이 Pre-LN보다 나은지에는 논쟁이 있습니다.</p>`,
      diagram: '블록 그림: 입력이 f를 지나 입력과 더해지고, 그 합을 정규화합니다.',
    },
    'pre-ln': {
      name: 'Pre-LN',
      text: `<p>GPT-2 이후 가장 널리 쓰이는 방식입니다. 정규화가 분기 안, f 앞에 있어서 잔차 경로가 비어 있습니다. 그래디언트가 모든 층에 전달되고, 웜업은 짧거나 없어도 되는 경우가 많습니다. 출력 헤드 앞에는 정규화가 하나 더 필요합니다. 대가도 있습니다. 분기가 더하는 값의 크기에 제한이 없어서 깊어질수록 은닉 상태가 커지고, fp16의 범위를 벗어날 수도 있습니다. 그러면 뒤쪽 층의 영향이 점점 희석되어 이웃한 층의 은닉 상태가 거의 같아집니다(표현 붕괴, representation collapse).</p>`,
      diagram: '블록 그림: 입력을 정규화해 f에 넣고, 그 결과를 입력과 더합니다.',
    },
    'peri-ln': {
      name: 'Peri-LN',
      text: `<p>f 앞에 하나, f의 출력에 또 하나를 두되 더하기 <em>전에</em> 둡니다. 더한 뒤에 두면 Post-LN처럼 잔차 경로 위에 놓이게 됩니다. 다른 가중치가 어떻든, 한 단계에서 더해지는 값의 크기는 출력 정규화의 γ와 β로만 제한됩니다. 그래서 깊이에 따라 평균 절댓값은 기껏해야 선형으로, 분산은 기껏해야 이차로 커집니다. Pre-LN처럼 출력 헤드 앞에도 정규화를 둡니다.</p>`,
      diagram: '블록 그림: 입력을 정규화해 f에 넣고, 출력을 다시 정규화한 뒤 입력과 더합니다.',
    },
  },
  usedBy: '사용하는 모델',
  stability: `<h2>학습을 지켜보세요</h2>
<p>아래 모델들은 같은 가중치에서 시작해 같은 배치를 읽습니다. 다른 것은 정규화의 위치뿐입니다. 세계 인권 선언이나 직접 넣은 텍스트를 글자 단위로 읽습니다. 실행을 누르기 전에 생각해 보세요. 어느 쪽 은닉 상태가 폭주하고, 어느 쪽이 일정한 범위에 머물까요? 기본 학습률은 일부러 높게 잡았습니다. 보통 학습률에서는 둘 다 비슷하게 학습되며, 이것도 클릭 한 번으로 확인할 수 있습니다.</p>`,
  theory: `<h2>이론이 말하는 것</h2>
<p>깊은 모델의 학습은 두 방향에서 실패할 수 있습니다. 순방향에서는 은닉 상태가 계속 커져 오버플로가 나고, 역방향에서는 그래디언트가 폭주합니다. 정규화의 위치는 오랫동안 경험에 따라 정해 왔습니다. Kan 등(2025)은 이 문제를 최적 제어로 다루며, 초기화 시점이 아니라 학습이 끝난 모델을 분석합니다. 깊이가 시간, 은닉 상태가 제어할 상태, 서브 레이어가 속도이고, 잔차 단계마다 시간이 Δt만큼 흐릅니다. 보통 트랜스포머에서는 Δt = 1입니다.</p>
<p>이 문제의 해밀토니안(Hamiltonian)은 한 단계에서 기대할 수 있는 이득의 최댓값입니다. 가중치 감쇠(weight decay)가 없는 Pre-LN에서는 해밀토니안이 <em>유계가 아닙니다</em>. 가중치를 키울수록 얻을 수 있는 이득이 늘어나 최적 속도가 존재하지 않고, 은닉 상태의 크기를 제한하는 것도 없습니다. 가중치 감쇠가 있으면 상한이 생기지만, 그 상한은 잔차 단계의 수 D에 대해 e<sup>D</sup> 꼴로 커집니다. 감쇠를 잘 조정하면 실제 측정값은 이보다 작게 유지됩니다. Peri-LN에서는 출력 정규화가 속도를 타원체 위에 묶어 둡니다. 그래서 그 정규화의 γ와 β가 주어지면 해밀토니안이 <em>유계</em>이고, 다른 가중치가 어떻든 다음이 성립합니다.</p>
{{peri-bound}}
<p>식에서 윗줄은 평균 절댓값을 뜻합니다. 깊이에 따라 평균 절댓값은 기껏해야 선형으로, 분산은 기껏해야 이차로 커집니다. 논문의 상한도 이런 꼴이며, 위 식의 상수는 Normscope에서 직접 유도한 것입니다.</p>
<p>국소 민감도는 작은 변화가 한 단계를 지나며 얼마나 커지는지를 나타냅니다. Pre-LN에서는 가중치와 활성화 값이 커지면 민감도도 커질 수 있지만, Peri-LN에서는 그 크기가 상쇄됩니다. 민감도가 작다는 뜻이 아니라 크기에 따라 변하지 않는다는 뜻입니다. 잔차 단계 Δt를 1보다 작게 하면 추가 계산 없이 한 단계의 민감도가 작아지고 상한도 낮아집니다. 또 Peri-LN은 두 입력 분포가 마지막 층까지 얼마나 멀어질 수 있는지를 바서슈타인(Wasserstein) 거리로 제한하므로 입력의 불확실성이 무한정 커지지 않습니다. Pre-LN에는 이런 제한이 없습니다.</p>
<p>저자들은 파라미터가 1억 2,400만 개에서 15억 개인 GPT-2 모델을 OpenWebText로 학습했습니다. Pre-LN은 가중치 감쇠가 있을 때 5번 중 1번, 없을 때 5번 중 3번 발산했고, Peri-LN은 한 번도 발산하지 않았습니다. Peri-LN의 성능은 잘 조정한 Pre-LN과 비슷했으며, Δt = 0.1을 함께 쓰자 보고된 모든 지표에서 가장 좋았습니다. 저자들은 새로운 구조를 큰 비용을 들여 학습하기 전에 이런 분석으로 먼저 점검해 볼 것을 제안합니다. 가중치 감쇠와 Δt는 위의 실험실에서 바꿔 볼 수 있습니다. 실험실의 분석은 이 주장들을 하나하나 측정하고, 구조 점검은 이런 점검을 작은 규모로 해 봅니다.</p>`,
  code: `<h2>내 코드에서 쓰기</h2>
<p>같은 코어를 npm 패키지로 브라우저와 Node에서 쓸 수 있습니다.</p>`,
  sources: '참고 문헌',
  fallback:
    '강의 예제를 그린 그림입니다. 왼쪽은 벡터 x, 오른쪽은 같은 벡터를 레이어 정규화한 결과입니다. 값을 직접 바꿔 보려면 JavaScript와 WebAssembly가 필요합니다.',
  fallbackLab:
    '학습 실험실에는 JavaScript, WebAssembly, 워커가 필요합니다. 검증한 작은 설정(6층, 너비 32, 학습률 0.2, 300스텝)에서 Pre-LN의 은닉 상태는 fp16의 최댓값인 65,504를 넘고, Peri-LN은 1,000 아래에 머뭅니다.',
  noScript: 'JavaScript가 꺼져 있어 계산할 수 없습니다. 글과 그림은 그대로 볼 수 있습니다.',
  slow: '대화형 부분이 시작되지 않았습니다. 강의 사이트나 브라우저 설정이 스크립트, 워커, WebAssembly를 막고 있을 수 있습니다.',
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
  {
    text: 'Santurkar et al. (2018). How does batch normalization help optimization?',
    href: 'https://arxiv.org/abs/1805.11604',
  },
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
