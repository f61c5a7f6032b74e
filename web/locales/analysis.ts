/** Texts of the analysis: themes, figures, findings. English defines the keys. */
import type { Localized } from './language.js';
import { topic } from './particles.js';

/** A figure's texts. `read` says how to read it; x and y name the axes with their units. */
export interface FigureText {
  title: string;
  read: string;
  x: string;
  y: string;
}

const en = {
  title: 'Analysis',
  intro:
    'The same nets under the microscope, computed in double precision with dropout off. Trained runs are analysed as they stand; without a run, the fresh nets of the settings above. Of several seeds the first is taken.',
  run: 'Analyse',
  again: 'Analyse again',
  cancel: 'Cancel',
  cancelled: 'Cancelled.',
  progress: 'Analysis progress',
  working: (name: string, part: string, n: string, total: string) => `${name} (${n} of ${total}): ${part}`,
  preparing: 'Preparing …',
  failed: 'The analysis failed.',
  done: 'Analysis finished.',
  empty: 'Press Analyse; the figures appear here.',
  ofFresh: 'Analysed: fresh nets, before training.',
  ofTrained: (step: string) => `Analysed: the runs after step ${step}.`,
  outdated: 'The runs have moved on since.',
  notFinite: (names: string) => `Not analysed, since its parameters are no longer finite: ${names}.`,
  themeLabel: 'Theme',
  table: 'Numbers as a table',
  findingsOf: (n: string) => `What the numbers say (${n})`,
  place: 'Place',
  follow: 'Follow the weights over 100 training steps',
  followNote:
    'Trains on from here, twice: as it is, and as a control with the matrices in front of output norms held at their length. The optimizer starts afresh.',
  stepChoice: 'Step shown',
  runChoice: 'Net shown',
  parts: {
    moments: 'moments',
    sensitivity: 'sensitivity',
    activationScale: 'activation scale',
    hamiltonian: 'Hamiltonian',
    uncertainty: 'uncertainty',
    usefulness: 'depth',
    weights: 'weights',
    gradients: 'gradients over seeds',
    growth: 'growth with depth',
    weightPath: 'weights over training',
    layerNormJacobian: 'Jacobian of the norm',
  },
  places: {
    embedding: 'embedding',
    attention: (block: string) => `block ${block}, attention`,
    mlp: (block: string) => `block ${block}, MLP`,
    block: (block: string) => `block ${block}`,
  },
  legend: {
    bound: (name: string) => `bound, ${name}`,
    branch: 'thin: the branch alone',
    eachStep: 'thin: each step; bold: their median',
    ownMatrix: 'thin: the step’s own matrix',
    support: (name: string) => `cap, ${name}`,
    spread: 'thin: mean ± one standard deviation over the seeds',
    fit: 'thin: the better fit',
    thinLeftOut: 'thin lines are left out, with this many nets',
    outputs: 'branch outputs, one dot per token',
    maximizers: 'where −p·v would be largest',
    surface: 'the ellipsoid’s outline',
    held: (name: string) => `held, ${name}`,
    identity: 'identity, 1',
  },
  themes: {
    forward: {
      name: 'Forward: growth',
      intro:
        'How large the hidden state is after each step. Where every branch ends in a norm, the γ and β of that norm bound all three moments, whatever the other weights are. Without one there is no such bound; the state may still be small.',
    },
    backward: {
      name: 'Backward: sensitivity',
      intro:
        '‖J‖, the spectral norm of a Jacobian, is the most by which a step can stretch a small change of its input. At ordinary weights a net with output norms can well be the more sensitive one, because its branches have size 1 from the start. What the output norm gives is invariance: make the branch’s last matrix c times as large, and at the same input the branch’s Jacobian stays as it is.',
    },
    control: {
      name: 'Control: Hamiltonian',
      intro:
        'p is the gradient of the loss at the state behind a step, v the velocity: what the branch puts out before the factor Δt (with a norm on the stream, the whole step). To first order the step takes Δt·(−p·v) off the loss; the Hamiltonian is the largest −p·v that any weights could give, p held fixed. Without a norm behind the branch and without weight decay, larger weights always give more. With one, v stays on an ellipsoid, and −p·v has a cap that holds for the present γ and β and grows with them. These curves say what optimal control could ask for, not what training does: in front of a final norm a recomputed p shrinks as the state grows.',
    },
    uncertainty: {
      name: 'Uncertainty',
      intro:
        'The same tokens as they are and with a little noise on the embedding give two clouds of states. W₂, the Wasserstein distance, pairs the points of the clouds so that the root mean square distance of the pairs is as small as possible. Look at both figures: a distance that grows only because the whole stream grows says little.',
    },
    depth: {
      name: 'Depth: what blocks do',
      intro:
        'Whether late blocks still change the state, and whether the loss misses them. Small changes are not idle by themselves; the loss without a block is the better judge.',
    },
    weights: {
      name: 'Weights and gradients',
      intro:
        'Directly in front of a norm the size of a matrix (with its bias) has no effect on the output, up to ε. Its gradient is then at right angles to it, so without weight decay plain gradient steps can only lengthen it, and the same learning rate turns it less and less: the effective rate falls.',
    },
  },
  figures: {
    meanAbs: {
      title: 'Mean |x| after each step',
      read: 'Each line is a net, from the embedding on the left to the last state on the right; dotted lines are bounds from the current γ and β.',
      x: 'depth in blocks',
      y: 'mean |x|',
    },
    entryVariance: {
      title: 'Variance over the features of a token',
      read: 'Logarithmic. For given γ and β the dotted bound grows quadratically with depth at most, a sum of uncorrelated branches linearly.',
      x: 'depth in blocks',
      y: 'variance',
    },
    dataVariance: {
      title: 'Variance of a feature over the tokens',
      read: 'Logarithmic. Far below the variance over features, it means that the net’s states hardly depend on the token.',
      x: 'depth in blocks',
      y: 'variance',
    },
    growth: {
      title: 'Variance of the last state against total depth',
      read: 'Fresh nets of several depths, mean of several seeds; both axes logarithmic. The fit is to what the steps add to the embedding’s variance. So few depths tell a power law from an exponential only roughly, and the upper bound e^D for Pre-LN is about trained nets with weight decay.',
      x: 'residual steps D',
      y: 'variance of the last state',
    },
    sensitivity: {
      title: 'Local sensitivity ‖J‖ of each step',
      read: 'Bold: the whole step, skip path included; thin: the branch alone, as it is added. At 1 a step passes a small change on without stretching it.',
      x: 'depth in blocks',
      y: 'spectral norm',
    },
    activationScale: {
      title: 'Sensitivity of the branch when its last matrix is c times as large',
      read: 'Every step at its own unchanged input. Both axes are logarithmic: with slope 1 a branch follows c, with slope 0 it is invariant.',
      x: 'factor c',
      y: '‖J‖ of the branch',
    },
    wholeNet: {
      title: 'The last state’s variance when all last matrices are c times as large',
      read: 'In the whole net later steps see another stream as well, so this is a measurement, not a law.',
      x: 'factor c',
      y: 'variance of the last state',
    },
    gradients: {
      title: 'Gradient of each block’s last matrix',
      read: 'Frobenius norm, logarithmic; mean over several seeds (of a trained net: over several batches). In a Post-LN run that fails, the profile can tilt far more than at the start: pause one and analyse it.',
      x: 'block',
      y: '‖∂L/∂W‖',
    },
    normJacobian: {
      title: 'Which directions a norm lets through',
      read: 'Singular values of the Jacobian of the first norm at one token, largest first. A LayerNorm drops two directions: the common shift of all features and, but for ε, that of x̂ itself; an RMSNorm drops only the latter.',
      x: 'number of the singular value',
      y: 'singular value',
    },
    hamiltonian: {
      title: 'First-order gain −p·v against the weights’ size',
      read: 'Bold: a last matrix c times as large as the step’s own, pointing against its gradient; thin: the step’s own matrix times c, missing where it is negative, as the axes are logarithmic; dotted: the cap by the ellipsoid.',
      x: 'factor c',
      y: '−p·v, nats per token',
    },
    ellipsoid: {
      title: 'The outputs of an output norm lie on an ellipsoid',
      read: 'The features with the largest |γ|. In more than three dimensions this is a projection: dots may lie inside the outline, none outside. With width d = 3 or 2 the picture is exact.',
      x: 'feature',
      y: 'feature',
    },
    w2: {
      title: 'Distance W₂ between the two clouds',
      read: 'Exact distance by assignment, logarithmic; dotted: the bound from γ and Δt, where every step has an output norm.',
      x: 'depth in blocks',
      y: 'W₂',
    },
    w2Relative: {
      title: 'The same distance, relative to the stream’s own spread',
      read: 'W₂ divided by the standard deviation of the state. A level line means that the noise grows as the stream does.',
      x: 'depth in blocks',
      y: 'W₂ / std',
    },
    cosine: {
      title: 'How much a step turns the state',
      read: '1 − cos of the states before and after a step, mean over tokens. Logarithmic: 10⁻⁴ means nearly the same direction.',
      x: 'depth in blocks',
      y: '1 − cos',
    },
    relativeChange: {
      title: 'How much a step changes the state',
      read: 'Length of the change relative to the state before, mean over tokens. Logarithmic.',
      x: 'depth in blocks',
      y: '‖Δx‖ / ‖x‖',
    },
    dropLoss: {
      title: 'How much the loss grows without a block',
      read: 'Loss without the block minus the loss, per block. Near 0: the rest of the net does not miss it. Below 0: it does better without.',
      x: 'block',
      y: 'nats per token',
    },
    tokenSimilarity: {
      title: 'How alike the tokens of a sequence are',
      read: 'Mean cosine of pairs of tokens. At 1 all point the same way.',
      x: 'depth in blocks',
      y: 'cosine',
    },
    massive: {
      title: 'Largest against typical value',
      read: 'max |x| over median |x|, logarithmic. Activations a thousand times the median or more are called massive.',
      x: 'depth in blocks',
      y: 'max / median',
    },
    matrixNorm: {
      title: 'Size of the branches’ last matrices',
      read: 'Frobenius norm, one point per step.',
      x: 'depth in blocks',
      y: '‖W‖',
    },
    matrixGrad: {
      title: 'Size of their gradients',
      read: 'Frobenius norm, logarithmic.',
      x: 'depth in blocks',
      y: '‖∂L/∂W‖',
    },
    matrixProduct: {
      title: 'Size times gradient',
      read: 'Logarithmic. Making a scale-invariant matrix larger leaves this product as it is: its gradient shrinks by the same factor.',
      x: 'depth in blocks',
      y: '‖W‖·‖∂L/∂W‖',
    },
    gammaOut: {
      title: 'Gain γ of the output norms',
      read: 'Root mean square per step. With β and Δt it sets how much a branch with an output norm can add.',
      x: 'depth in blocks',
      y: 'rms of γ',
    },
    pathNorm: {
      title: 'Size of the last matrices over further training',
      read: 'Median over the residual steps; dotted: the control, held at its length where an output norm follows.',
      x: 'training step',
      y: '‖W‖',
    },
    pathRate: {
      title: 'Effective rate over further training',
      read: 'About how far an update turns a matrix: with AdamW the learning rate over the root mean square of its weights, with SGD over ‖W‖². Median over the residual steps, logarithmic; dotted: the control.',
      x: 'training step',
      y: 'effective rate',
    },
    pathGamma: {
      title: 'Gain γ of the output norms over further training',
      read: 'Root mean square, median over the residual steps; dotted: the control. The bounds of the other themes grow with it.',
      x: 'training step',
      y: 'rms of γ',
    },
    pathLoss: {
      title: 'Loss over further training',
      read: 'Mean over the steps since the last point; dotted: the control, whose effective rate cannot fall by itself.',
      x: 'training step',
      y: 'nats per token',
    },
  },
  findings: {
    boundHolds: (name: string) => `${name}: all three moments stay under their bounds.`,
    boundBroken: (name: string) => `${name}: a moment is above its bound. That must not happen: please report it.`,
    boundNone: (name: string) => `${name}: the wiring gives no bound at some or all places.`,
    power: (name: string, exponent: string, residual: string, other: string) =>
      `${name}: a power law fits better, added variance ∝ D^${exponent} (residual ${residual}; exponential ${other}).`,
    exponential: (name: string, exponent: string, residual: string, other: string) =>
      `${name}: an exponential fits better, added variance ∝ e^(${exponent}·D) (residual ${residual}; power law ${other}).`,
    noGrowth: (name: string) => `${name}: the variance does not grow with depth, or too few depths were measured.`,
    product: (name: string, product: string, net: string) =>
      `${name}: product of the steps ${product} (an upper bound); the whole net, measured, ${net}.`,
    scale: (name: string, low: string, high: string) =>
      low === high
        ? `${name}: slope against c ${low} at every step.`
        : `${name}: slope against c from ${low} to ${high} over the steps.`,
    gain: (name: string, first: string, last: string) =>
      `${name}: a random change of the embedding comes out ${first} times as large at the smallest c, ${last} times at the largest.`,
    profile: (name: string, ratio: string, n: string) => `${name}: last block / first block ${ratio} (${n} seeds).`,
    rank: (name: string, rank: string, d: string, norm: string) =>
      `${name}: ${norm} lets ${rank} of ${d} directions through.`,
    support: (name: string, cap: string, slope: string) => `${name}: cap ${cap}; slope of the bold curve ${slope}.`,
    noSupport: (name: string, slope: string) =>
      `${name}: no norm behind the branch, no cap; slope of the bold curve ${slope}.`,
    regularized: (name: string, value: string) =>
      `${name}: with this weight decay on its last matrix the Hamiltonian of this step is finite, ${value}.`,
    lemma: (name: string, held: string, total: string, excess: string) =>
      `${name}: ${held} of ${total} output norms keep to their ellipsoid (largest relative excess ${excess}; above 0 would be outside).`,
    w2Holds: (name: string) => `${name}: W₂ stays under its bound.`,
    w2Broken: (name: string) => `${name}: W₂ is above its bound. That must not happen: please report it.`,
    w2None: (name: string) => `${name}: the wiring gives no bound.`,
    massive: (name: string, ratio: string, place: string, channel: string) =>
      `${name}: at most ${ratio} times the median (${place}, channel ${channel}).`,
    invariant: (name: string, n: string, total: string) =>
      `${name}: ${n} of ${total} matrices, doubled one at a time, leave the loss as it is (scale-invariant, as measured).`,
  },
  ellipsoid: {
    exact: 'exact',
    projected: 'projection',
    axes: (a: string, b: string) => `feature ${a} to the right, feature ${b} upwards`,
    none: 'None of the analysed nets has an output norm with an ellipsoid.',
    label: (name: string, norm: string, n: string) =>
      `${name}, ${norm}: ${n} branch outputs and the outline of the ellipsoid`,
  },
  columns: {
    matrix: 'Matrix',
    norm: '‖W‖',
    gradNorm: '‖∂L/∂W‖',
    product: 'product',
    rank: 'effective rank',
    invariant: 'scale-invariant',
    rate: 'effective rate',
    net: 'Net',
    yes: 'yes',
    no: 'no',
    unknown: 'not measured',
    sliced: 'sliced W₂',
    paired: 'token by token',
    allMatrices: 'All matrices',
    channels: 'Largest channels, last state',
    channel: 'Channel',
    token: 'Token',
    value: 'Value',
  },
};

export type AnalysisMessages = typeof en;
export type FigureName = keyof AnalysisMessages['figures'];
export type ThemeName = keyof AnalysisMessages['themes'];

const ko: AnalysisMessages = {
  title: '분석',
  intro:
    '같은 네트워크를 드롭아웃 없이 배정밀도로 자세히 들여다봅니다. 학습한 실행이 있으면 지금 상태 그대로, 없으면 위 설정의 초기 네트워크를 분석합니다. 시드가 여럿이면 첫 번째 시드를 씁니다.',
  run: '분석하기',
  again: '다시 분석하기',
  cancel: '취소',
  cancelled: '취소했습니다.',
  progress: '분석 진행률',
  working: (name, part, n, total) => `${name} (${total}개 중 ${n}번째): ${part}`,
  preparing: '준비하는 중입니다 …',
  failed: '분석하지 못했습니다.',
  done: '분석이 끝났습니다.',
  empty: '분석하기를 누르면 여기에 그림이 나타납니다.',
  ofFresh: '분석 대상: 학습하기 전의 초기 네트워크',
  ofTrained: (step) => `분석 대상: ${step}스텝까지 학습한 네트워크`,
  outdated: '그 뒤로 학습이 더 진행되었습니다.',
  notFinite: (names) => `파라미터가 유한하지 않아 분석하지 않은 네트워크: ${names}`,
  themeLabel: '주제',
  table: '표로 보기',
  findingsOf: (n) => `수치로 알 수 있는 것(${n}개)`,
  place: '위치',
  follow: '100스텝 학습하며 가중치 따라가기',
  followNote:
    '여기서부터 두 번 학습합니다. 한 번은 그대로 학습하고, 한 번은 비교를 위해 출력 정규화 앞에 있는 행렬의 크기를 고정합니다. 옵티마이저 상태는 새로 시작합니다.',
  stepChoice: '표시할 단계',
  runChoice: '표시할 네트워크',
  parts: {
    moments: '모멘트',
    sensitivity: '민감도',
    activationScale: '활성화 값의 크기',
    hamiltonian: '해밀토니안',
    uncertainty: '불확실성',
    usefulness: '깊이',
    weights: '가중치',
    gradients: '시드별 그래디언트',
    growth: '깊이에 따른 증가',
    weightPath: '학습에 따른 가중치',
    layerNormJacobian: '정규화의 야코비 행렬',
  },
  places: {
    embedding: '임베딩',
    attention: (block) => `블록 ${block}, 어텐션`,
    mlp: (block) => `블록 ${block}, MLP`,
    block: (block) => `블록 ${block}`,
  },
  legend: {
    bound: (name) => `${name} 상한`,
    branch: '가는 선: 분기만',
    eachStep: '가는 선: 단계 하나하나, 굵은 선: 중앙값',
    ownMatrix: '가는 선: 그 단계 자신의 행렬',
    support: (name) => `${name} 상한`,
    spread: '가는 선: 시드들의 평균 ± 표준편차',
    fit: '가는 선: 더 잘 맞는 곡선',
    thinLeftOut: '네트워크가 많아 가는 선은 그리지 않았습니다',
    outputs: '분기 출력, 점 하나가 토큰 하나',
    maximizers: '−p·v가 가장 커지는 곳',
    surface: '타원체의 윤곽',
    held: (name) => `${name}, 크기 고정`,
    identity: '항등 사상, 1',
  },
  themes: {
    forward: {
      name: '순방향: 값의 증가',
      intro:
        '단계마다 은닉 상태가 얼마나 큰지 봅니다. 모든 분기가 정규화로 끝나면, 다른 가중치가 어떻든 그 정규화의 γ와 β가 세 모멘트(moment)를 모두 제한합니다. 그런 정규화가 없으면 이런 상한도 없습니다. 그렇다고 값이 반드시 커지는 것은 아닙니다.',
    },
    backward: {
      name: '역방향: 민감도',
      intro:
        '야코비 행렬(Jacobian)의 스펙트럼 노름 ‖J‖는 입력의 작은 변화가 한 단계에서 최대 몇 배로 늘어나는지를 나타냅니다. 보통 크기의 가중치에서는 출력 정규화가 있는 네트워크가 오히려 더 민감할 수 있습니다. 분기의 크기가 처음부터 1이기 때문입니다. 출력 정규화가 주는 것은 불변성입니다. 분기의 마지막 행렬을 c배로 키워도 같은 입력에서 분기의 야코비 행렬은 그대로입니다.',
    },
    control: {
      name: '제어: 해밀토니안',
      intro:
        'p는 한 단계를 지난 은닉 상태에 대한 손실의 그래디언트이고, v는 속도, 곧 Δt를 곱하기 전의 분기 출력입니다(잔차 경로 위에 정규화가 있으면 단계 전체의 변화량). 1차 근사로 한 단계는 손실을 Δt·(−p·v)만큼 줄입니다. 해밀토니안(Hamiltonian)은 p를 고정하고 가중치를 마음대로 골랐을 때 −p·v의 최댓값입니다. 분기 뒤에 정규화가 없고 가중치 감쇠도 없으면 가중치를 키울수록 −p·v가 계속 커집니다. 정규화가 있으면 v가 타원체 위에 머물러 −p·v에 상한이 생깁니다. 이 상한은 현재의 γ와 β에서 성립하며 둘과 함께 커집니다. 이 곡선은 학습이 실제로 하는 일이 아니라 최적 제어가 요구할 수 있는 것을 보여 줍니다. 마지막 정규화 앞에서는 은닉 상태가 커질수록 다시 계산한 p가 작아지기 때문입니다.',
    },
    uncertainty: {
      name: '불확실성',
      intro:
        '같은 토큰을 그대로 넣은 경우와 임베딩에 약간의 잡음을 더한 경우, 은닉 상태의 점구름(point cloud)이 두 개 생깁니다. 바서슈타인(Wasserstein) 거리 W₂는 두 점구름의 점을 가장 가깝게 짝지었을 때 짝 사이 거리의 제곱평균제곱근입니다. 두 그림을 함께 보세요. 잔차 스트림 전체가 커져서 늘어난 거리라면 큰 의미가 없습니다.',
    },
    depth: {
      name: '깊이: 블록의 쓸모',
      intro:
        '뒤쪽 블록이 은닉 상태를 여전히 바꾸는지, 그 블록이 없으면 손실이 나빠지는지 봅니다. 변화가 작다고 쓸모없는 것은 아니며, 블록을 뺐을 때의 손실이 더 좋은 기준입니다.',
    },
    weights: {
      name: '가중치와 그래디언트',
      intro:
        '정규화 바로 앞에 있는 행렬은 (편향과 함께) 크기를 바꾸어도 ε의 영향을 빼면 출력이 달라지지 않습니다(크기 불변, scale invariance). 이때 그래디언트는 행렬과 수직이어서, 가중치 감쇠 없이 단순한 경사 하강을 하면 행렬은 커지기만 합니다. 그러면 같은 학습률로도 방향이 점점 덜 바뀌므로 유효 학습률(effective rate)이 낮아집니다.',
    },
  },
  figures: {
    meanAbs: {
      title: '단계별 평균 |x|',
      read: '선 하나가 네트워크 하나이며, 왼쪽 끝이 임베딩, 오른쪽 끝이 마지막 상태입니다. 점선은 현재의 γ와 β로 정해지는 상한입니다.',
      x: '깊이(블록)',
      y: '평균 |x|',
    },
    entryVariance: {
      title: '토큰 하나의 피처에 대한 분산',
      read: '로그 눈금입니다. γ와 β가 주어지면 점선으로 그린 상한은 깊이에 따라 최대 이차로 커지고, 서로 상관없는 분기들의 합은 선형으로 커집니다.',
      x: '깊이(블록)',
      y: '분산',
    },
    dataVariance: {
      title: '피처 하나의 토큰에 대한 분산',
      read: '로그 눈금입니다. 피처에 대한 분산보다 훨씬 작으면 은닉 상태가 토큰에 따라 거의 달라지지 않는다는 뜻입니다.',
      x: '깊이(블록)',
      y: '분산',
    },
    growth: {
      title: '전체 깊이에 따른 마지막 상태의 분산',
      read: '깊이가 다른 초기 네트워크를 여러 시드로 재어 평균했으며, 두 축 모두 로그 눈금입니다. 임베딩의 분산에 단계들이 더한 만큼을 곡선에 맞추었습니다. 깊이가 몇 개뿐이므로 거듭제곱 법칙과 지수 함수를 대략만 구별할 수 있습니다. Pre-LN의 상한 e^D는 가중치 감쇠를 쓰고 학습을 마친 네트워크에 관한 것입니다.',
      x: '잔차 단계의 수 D',
      y: '마지막 상태의 분산',
    },
    sensitivity: {
      title: '단계별 국소 민감도 ‖J‖',
      read: '굵은 선은 잔차 경로까지 포함한 단계 전체, 가는 선은 더해지는 분기만의 값입니다. 1이면 작은 변화를 늘이지 않고 그대로 전달합니다.',
      x: '깊이(블록)',
      y: '스펙트럼 노름',
    },
    activationScale: {
      title: '마지막 행렬을 c배로 키웠을 때 분기의 민감도',
      read: '단계마다 입력을 그대로 두고 잽니다. 두 축 모두 로그 눈금이며, 기울기가 1이면 c에 비례하고 0이면 c의 영향을 받지 않습니다.',
      x: '배율 c',
      y: '분기의 ‖J‖',
    },
    wholeNet: {
      title: '모든 분기의 마지막 행렬을 c배로 키웠을 때 마지막 상태의 분산',
      read: '네트워크 전체에서는 뒤쪽 단계의 입력도 함께 바뀝니다. 그래서 이것은 법칙이 아니라 측정값입니다.',
      x: '배율 c',
      y: '마지막 상태의 분산',
    },
    gradients: {
      title: '블록별 마지막 행렬의 그래디언트',
      read: '프로베니우스(Frobenius) 노름을 여러 시드(학습한 네트워크에서는 여러 배치)에 대해 평균한 값이며 로그 눈금입니다. 학습에 실패하는 Post-LN에서는 시작할 때보다 훨씬 크게 기울어질 수 있습니다. 실행을 일시 정지하고 분석해 보세요.',
      x: '블록',
      y: '‖∂L/∂W‖',
    },
    normJacobian: {
      title: '정규화가 통과시키는 방향',
      read: '첫 번째 정규화의 야코비 행렬을 토큰 하나에서 구해 특잇값(singular value)을 큰 것부터 늘어놓았습니다. LayerNorm은 두 방향, 곧 모든 피처에 똑같이 더해지는 방향과 (ε을 무시하면) x̂ 자신의 방향을 없애고, RMSNorm은 뒤의 것만 없앱니다.',
      x: '특잇값 번호',
      y: '특잇값',
    },
    hamiltonian: {
      title: '가중치의 크기에 따른 1차 이득 −p·v',
      read: '굵은 선은 마지막 행렬을 c배 크기로 하되 그래디언트의 반대 방향으로 둔 값, 가는 선은 그 단계 자신의 행렬을 c배로 키운 값, 점선은 타원체가 정하는 상한입니다. 두 축 모두 로그 눈금이라 음수인 값은 보이지 않습니다.',
      x: '배율 c',
      y: '−p·v, 토큰당 nat',
    },
    ellipsoid: {
      title: '출력 정규화의 출력은 타원체 위에 있습니다',
      read: '|γ|가 가장 큰 피처들입니다. 3차원보다 높으면 투영한 그림이라 점이 윤곽 안쪽에 놓일 수 있지만, 바깥에는 있을 수 없습니다. 너비 d가 3이나 2이면 정확한 그림입니다.',
      x: '피처',
      y: '피처',
    },
    w2: {
      title: '두 점구름 사이의 거리 W₂',
      read: '할당 문제를 풀어 구한 정확한 거리이며 로그 눈금입니다. 모든 단계에 출력 정규화가 있으면 γ와 Δt로 정해지는 상한을 점선으로 그립니다.',
      x: '깊이(블록)',
      y: 'W₂',
    },
    w2Relative: {
      title: '잔차 스트림의 표준편차에 대한 상대 거리',
      read: 'W₂를 은닉 상태의 표준편차로 나눈 값입니다. 평평하면 잡음이 스트림과 같은 비율로 커진다는 뜻입니다.',
      x: '깊이(블록)',
      y: 'W₂ / 표준편차',
    },
    cosine: {
      title: '한 단계가 은닉 상태의 방향을 바꾸는 정도',
      read: '단계 앞뒤 은닉 상태의 1 − cos을 토큰에 대해 평균했습니다. 로그 눈금이며, 10⁻⁴이면 방향이 거의 같습니다.',
      x: '깊이(블록)',
      y: '1 − cos',
    },
    relativeChange: {
      title: '한 단계가 은닉 상태를 바꾸는 정도',
      read: '이전 상태의 크기에 대한 변화량의 비율을 토큰에 대해 평균했습니다. 로그 눈금입니다.',
      x: '깊이(블록)',
      y: '‖Δx‖ / ‖x‖',
    },
    dropLoss: {
      title: '블록을 뺐을 때 늘어나는 손실',
      read: '블록을 하나 뺀 손실에서 원래 손실을 뺀 값입니다. 0에 가까우면 나머지 네트워크에 그 블록이 없어도 됩니다. 0보다 작으면 빼는 편이 낫습니다.',
      x: '블록',
      y: '토큰당 nat',
    },
    tokenSimilarity: {
      title: '시퀀스 안의 토큰들이 닮은 정도',
      read: '토큰 쌍의 코사인 유사도를 평균했습니다. 1이면 모두 같은 방향입니다.',
      x: '깊이(블록)',
      y: '코사인',
    },
    massive: {
      title: '보통 값에 대한 최댓값의 비율',
      read: '최대 |x|를 |x|의 중앙값으로 나눈 값이며 로그 눈금입니다. 천 배가 넘으면 거대 활성화 값(massive activation)이라고 부릅니다.',
      x: '깊이(블록)',
      y: '최댓값 / 중앙값',
    },
    matrixNorm: {
      title: '분기의 마지막 행렬의 크기',
      read: '프로베니우스 노름이며 점 하나가 단계 하나입니다.',
      x: '깊이(블록)',
      y: '‖W‖',
    },
    matrixGrad: {
      title: '그 행렬의 그래디언트 크기',
      read: '프로베니우스 노름, 로그 눈금입니다.',
      x: '깊이(블록)',
      y: '‖∂L/∂W‖',
    },
    matrixProduct: {
      title: '크기와 그래디언트의 곱',
      read: '로그 눈금입니다. 크기 불변인 행렬은 커지는 만큼 그래디언트가 작아지므로 이 곱이 그대로입니다.',
      x: '깊이(블록)',
      y: '‖W‖·‖∂L/∂W‖',
    },
    gammaOut: {
      title: '출력 정규화의 스케일 γ',
      read: '단계별 제곱평균제곱근입니다. 출력 정규화가 있는 분기가 얼마나 더할 수 있는지는 이 값과 β, Δt로 정해집니다.',
      x: '깊이(블록)',
      y: 'γ의 RMS',
    },
    pathNorm: {
      title: '이어서 학습할 때 마지막 행렬의 크기',
      read: '잔차 단계들의 중앙값입니다. 점선은 출력 정규화 앞에서 크기를 고정한 비교 실험입니다.',
      x: '학습 스텝',
      y: '‖W‖',
    },
    pathRate: {
      title: '이어서 학습할 때 유효 학습률',
      read: '업데이트 한 번이 행렬의 방향을 대략 얼마나 바꾸는지 나타냅니다. 학습률을 AdamW에서는 가중치의 제곱평균제곱근으로, SGD에서는 ‖W‖²으로 나눈 값입니다. 잔차 단계들의 중앙값이고 로그 눈금이며, 점선은 비교 실험입니다.',
      x: '학습 스텝',
      y: '유효 학습률',
    },
    pathGamma: {
      title: '이어서 학습할 때 출력 정규화의 스케일 γ',
      read: '제곱평균제곱근이며 잔차 단계들의 중앙값입니다. 점선은 비교 실험입니다. 다른 주제에 나오는 상한은 이 값과 함께 커집니다.',
      x: '학습 스텝',
      y: 'γ의 RMS',
    },
    pathLoss: {
      title: '이어서 학습할 때 손실',
      read: '직전 점 이후 스텝들의 평균입니다. 점선은 비교 실험으로, 유효 학습률이 저절로 낮아질 수 없습니다.',
      x: '학습 스텝',
      y: '토큰당 nat',
    },
  },
  findings: {
    boundHolds: (name) => `${topic(name)} 세 모멘트 모두 상한보다 작습니다.`,
    boundBroken: (name) => `${topic(name)} 상한을 넘은 모멘트가 있습니다. 일어나서는 안 되는 일이니 알려 주세요.`,
    boundNone: (name) => `${topic(name)} 구조상 상한이 없는 곳이 있습니다.`,
    power: (name, exponent, residual, other) =>
      `${topic(name)} 거듭제곱 법칙이 더 잘 맞습니다. 더해진 분산 ∝ D^${exponent}(맞춤 오차 ${residual}, 지수 함수는 ${other})`,
    exponential: (name, exponent, residual, other) =>
      `${topic(name)} 지수 함수가 더 잘 맞습니다. 더해진 분산 ∝ e^(${exponent}·D)(맞춤 오차 ${residual}, 거듭제곱 법칙은 ${other})`,
    noGrowth: (name) => `${topic(name)} 깊이에 따라 분산이 커지지 않거나, 측정한 깊이가 너무 적습니다.`,
    product: (name, product, net) =>
      `${topic(name)} 모든 단계의 곱이 ${product}(상한), 네트워크 전체에서 잰 값이 ${net}입니다.`,
    scale: (name, low, high) =>
      low === high
        ? `${topic(name)} c에 대한 기울기가 모든 단계에서 ${low}입니다.`
        : `${topic(name)} c에 대한 기울기가 단계에 따라 ${low}부터 ${high}까지입니다.`,
    gain: (name, first, last) =>
      `${topic(name)} 임베딩을 무작위로 조금 바꾸면, 그 변화가 가장 작은 c에서 ${first}배, 가장 큰 c에서 ${last}배가 되어 나옵니다.`,
    profile: (name, ratio, n) => `${topic(name)} 마지막 블록 / 첫 블록의 비가 ${ratio}입니다(시드 ${n}개).`,
    rank: (name, rank, d, norm) => `${name}: ${norm}에서는 ${d}개 방향 중 ${rank}개가 통과합니다.`,
    support: (name, cap, slope) => `${topic(name)} 상한이 ${cap}이고, 굵은 선의 기울기가 ${slope}입니다.`,
    noSupport: (name, slope) =>
      `${topic(name)} 분기 뒤에 정규화가 없어 상한이 없고, 굵은 선의 기울기가 ${slope}입니다.`,
    regularized: (name, value) =>
      `${topic(name)} 마지막 행렬에 지금의 가중치 감쇠를 적용하면 이 단계의 해밀토니안이 유한하며 ${value}입니다.`,
    lemma: (name, held, total, excess) =>
      `${topic(name)} 출력 정규화 ${total}개 중 ${held}개의 출력이 타원체를 벗어나지 않습니다(상대 초과량의 최댓값 ${excess}, 0보다 크면 바깥).`,
    w2Holds: (name) => `${topic(name)} W₂가 상한보다 작습니다.`,
    w2Broken: (name) => `${topic(name)} W₂가 상한을 넘었습니다. 일어나서는 안 되는 일이니 알려 주세요.`,
    w2None: (name) => `${topic(name)} 구조상 상한이 없습니다.`,
    massive: (name, ratio, place, channel) =>
      `${topic(name)} 중앙값의 최대 ${ratio}배입니다(${place}, 채널 ${channel}).`,
    invariant: (name, n, total) =>
      `${topic(name)} 행렬 ${total}개 중 ${n}개는 하나씩 두 배로 키워도 손실이 그대로입니다(재어 본 크기 불변).`,
  },
  ellipsoid: {
    exact: '정확한 그림',
    projected: '투영',
    axes: (a, b) => `가로축은 피처 ${a}, 세로축은 피처 ${b}`,
    none: '분석한 네트워크 가운데 타원체를 이루는 출력 정규화가 있는 것이 없습니다.',
    label: (name, norm, n) => `${name}, ${norm}: 분기 출력 ${n}개와 타원체의 윤곽`,
  },
  columns: {
    matrix: '행렬',
    norm: '‖W‖',
    gradNorm: '‖∂L/∂W‖',
    product: '곱',
    rank: '유효 랭크(effective rank)',
    invariant: '크기 불변',
    rate: '유효 학습률',
    net: '네트워크',
    yes: '예',
    no: '아니요',
    unknown: '재지 않음',
    sliced: '슬라이스 W₂',
    paired: '토큰끼리 짝지은 거리',
    allMatrices: '모든 행렬',
    channels: '마지막 상태에서 가장 큰 채널',
    channel: '채널',
    token: '토큰',
    value: '값',
  },
};

export const analysis: Localized<AnalysisMessages> = { en, ko };
