import type { Language } from './language.js';

/** Terms as Korean courses use them; a text keeps the term and glosses it once. */
export const glossary = {
  activation: { en: 'activation', ko: '활성화 값' },
  attention: { en: 'attention', ko: '어텐션' },
  batch: { en: 'batch', ko: '배치' },
  branch: { en: 'branch', ko: '분기' },
  depth: { en: 'depth', ko: '깊이' },
  divergence: { en: 'divergence', ko: '발산' },
  feature: { en: 'feature', ko: '피처' },
  gradient: { en: 'gradient', ko: '그래디언트' },
  hiddenState: { en: 'hidden state', ko: '은닉 상태' },
  layerNormalization: { en: 'layer normalization', ko: '레이어 정규화' },
  batchNormalization: { en: 'batch normalization', ko: '배치 정규화' },
  learningRate: { en: 'learning rate', ko: '학습률' },
  loss: { en: 'loss', ko: '손실' },
  mean: { en: 'mean', ko: '평균' },
  meanAbsolute: { en: 'mean |x|', ko: '평균 |x|' },
  overflow: { en: 'overflow', ko: '오버플로' },
  parameter: { en: 'parameter', ko: '파라미터' },
  residualConnection: { en: 'residual connection', ko: '잔차 연결' },
  residualStream: { en: 'residual stream', ko: '잔차 스트림' },
  residualStep: { en: 'residual step Δt', ko: '잔차 단계 Δt' },
  scale: { en: 'gain γ', ko: '스케일 γ' },
  shift: { en: 'shift β', ko: '시프트 β' },
  standardDeviation: { en: 'standard deviation', ko: '표준편차' },
  sublayer: { en: 'sublayer', ko: '서브 레이어' },
  token: { en: 'token', ko: '토큰' },
  variance: { en: 'variance', ko: '분산' },
  warmup: { en: 'warm-up', ko: '웜업' },
  weightDecay: { en: 'weight decay', ko: '가중치 감쇠' },
} as const satisfies Record<string, Record<Language, string>>;

export type Term = keyof typeof glossary;
