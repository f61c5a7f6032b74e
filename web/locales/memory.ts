/** Texts of the memory planner. English defines the keys. */
import type { Localized } from './language.js';

const DEVICES = { wasm: 'WebAssembly', webgpu: 'WebGPU' };

const en = {
  title: 'How large is it?',
  intro:
    'Adds up every tensor of a training step without allocating or computing any: for the model of the settings above and for the four sizes of GPT-2, all with the wiring of your first placement.',
  batch: 'Sequences per batch, GPT-2',
  plan: 'Plan the memory',
  again: 'Plan again',
  planning: (name: string, n: string, total: string) => `Planning ${name} (${n} of ${total}) …`,
  done: 'The memory is planned.',
  outdated: 'Planned with other settings.',
  empty: 'Press the button; the sizes appear here.',
  own: 'Your settings',
  gpt2: (size: string) => `GPT-2 ${size}`,
  shape: (layers: string, width: string, sequences: string, tokens: string) =>
    `${layers === '1' ? '1 block' : `${layers} blocks`}, width ${width}, ${sequences}\u00a0×\u00a0${tokens}\u00a0tokens`,
  parameters: (n: string) => `${n} parameters`,
  total: (bytes: string) => `${bytes} in all`,
  parts: {
    weight: 'weights',
    weightGradient: 'gradients of weights',
    state: 'optimizer state',
    activation: 'activations',
    activationGradient: 'gradients of activations',
    rest: 'the rest',
  },
  partOf: (name: string, bytes: string) => `${name} ${bytes}`,
  ...DEVICES,
  wasmFits: 'fits',
  wasmRefused: (limit: string) => `too large: a run may take ${limit} at most`,
  gpuFits: (bytes: string, buffers: string) =>
    `within the limits: takes about ${bytes} of GPU memory, in ${buffers === '1' ? '1 buffer' : `${buffers} buffers`}`,
  gpuRefused: (tensor: string, need: string, limit: string) =>
    `refused: the tensor ${tensor} needs ${need} in one piece, the limit is ${limit}`,
  limitsOf: {
    adapter: 'WebGPU’s limits are those that this browser reports.',
    standard: 'There is no GPU at hand here, so these are the limits that every WebGPU device has.',
  },
  limitsNote:
    'Limits say how large one tensor and one buffer may be. WebGPU does not tell how much memory a GPU has in all; a run that finds too little goes on with WebAssembly if it fits there.',
  headNote:
    'GPT-2 uses the embedding’s weights once more in its output head; here the head has weights of its own, so the counts are larger than the names.',
  table: 'Numbers as a table',
  caption: 'Memory of one training run',
  heads: { model: 'Model', parameters: 'Parameters', total: 'In all' },
  failed: (name: string, sentence: string) => `${name} could not be planned. ${sentence}`,
};

export type MemoryMessages = typeof en;

const ko: MemoryMessages = {
  title: '얼마나 큰 모델일까?',
  intro:
    '학습 한 스텝에 필요한 텐서의 크기를 모두 더해 봅니다. 메모리를 실제로 할당하거나 값을 계산하지는 않습니다. 위 설정의 모델을 GPT-2의 네 크기와 비교하며, 구조는 모두 선택한 정규화 위치 중 첫째 것을 따릅니다.',
  batch: 'GPT-2의 배치 크기(시퀀스 수)',
  plan: '메모리 예측하기',
  again: '다시 예측하기',
  planning: (name, n, total) => `${name} 예측 중(${total}개 중 ${n}번째) …`,
  done: '메모리를 예측했습니다.',
  outdated: '다른 설정으로 예측한 결과입니다.',
  empty: '버튼을 누르면 여기에 크기가 나타납니다.',
  own: '현재 설정',
  gpt2: (size) => `GPT-2 ${size}`,
  shape: (layers, width, sequences, tokens) =>
    `블록 ${layers}개, 너비 ${width}, ${sequences}\u00a0×\u00a0${tokens}토큰`,
  parameters: (n) => `파라미터 수 ${n}`,
  total: (bytes) => `합계 ${bytes}`,
  parts: {
    weight: '가중치',
    weightGradient: '가중치의 그래디언트',
    state: '옵티마이저 상태',
    activation: '활성화 값',
    activationGradient: '활성화 값의 그래디언트',
    rest: '나머지',
  },
  partOf: (name, bytes) => `${name} ${bytes}`,
  ...DEVICES,
  wasmFits: '들어갑니다',
  wasmRefused: (limit) => `들어가지 않습니다. 실행 하나의 한도는 ${limit}입니다`,
  gpuFits: (bytes, buffers) => `한도 안에 들어갑니다. 버퍼 ${buffers}개에 GPU 메모리 약 ${bytes}를 씁니다`,
  gpuRefused: (tensor, need, limit) =>
    `들어가지 않습니다. 텐서 ${tensor} 하나에 ${need}가 필요하지만 한도는 ${limit}입니다`,
  limitsOf: {
    adapter: 'WebGPU의 한도는 이 브라우저가 알려 준 값입니다.',
    standard: '여기에는 쓸 수 있는 GPU가 없어, 모든 WebGPU 장치가 갖추는 한도로 따졌습니다.',
  },
  limitsNote:
    '한도는 텐서 하나와 버퍼 하나가 얼마나 클 수 있는지를 정합니다. GPU 메모리가 모두 얼마인지는 WebGPU가 알려 주지 않습니다. 실행할 때 메모리가 모자라면, WebAssembly에 들어가는 크기일 때 WebAssembly로 계속합니다.',
  headNote:
    'GPT-2는 임베딩 가중치를 출력 헤드에서도 함께 쓰지만, 여기서는 출력 헤드에 가중치가 따로 있어 파라미터 수가 이름보다 큽니다.',
  table: '표로 보기',
  caption: '학습 실행 하나의 메모리',
  heads: { model: '모델', parameters: '파라미터 수', total: '합계' },
  failed: (name, sentence) => `${name}의 메모리를 예측하지 못했습니다. ${sentence}`,
};

export const memory = { en, ko } satisfies Localized<MemoryMessages>;
