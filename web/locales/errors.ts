import type { Localized } from './language.js';

/** What went wrong with a text that someone typed or pasted, and with the machine. */
const en = {
  number: {
    empty: 'Write a number. The last one stays in use.',
    'decimal-comma': 'Write a point for the decimal: 0.5. The last number stays in use.',
    'not-a-number': 'This is not a number. The last one stays in use.',
    'beyond-fp32': 'This is too large for a 32-bit number, which ends near 3.4×10³⁸. The last number stays in use.',
    negative: 'Write 0 or a larger number. The last one stays in use.',
  },
  vector: {
    'empty-item': (item: string) => `Item ${item} is empty. Nothing was changed.`,
    'not-a-number': (item: string) => `Item ${item} is not a number. Nothing was changed.`,
    'beyond-fp32': (item: string) =>
      `Item ${item} is too large for a 32-bit number, which ends near 3.4×10³⁸. Nothing was changed.`,
    ragged: 'The rows have different lengths. Nothing was changed.',
    brackets: 'The brackets do not match. Nothing was changed.',
    'too-many': (limit: string) => `Too many numbers: the limit is ${limit}. Nothing was changed.`,
    nothing: 'Write at least one number. Nothing was changed.',
  },
  /** By the code of a NormscopeError; `other` for the rest. */
  codes: {
    'bad-spec': 'These settings do not fit together.',
    'bad-size': 'A size does not fit the model.',
    'bad-data': 'The training data was refused.',
    'too-large':
      'This model is too large for the memory of this page. Choose a smaller depth, width, batch or context.',
    'out-of-memory':
      'The browser gave no more memory. Choose a smaller depth, width, batch or context, or close other tabs.',
    'no-wasm':
      'WebAssembly is missing or switched off in this browser, so nothing can be computed here. A current Chrome, Firefox, Safari or Edge has it.',
    'wasm-refused':
      'The browser refused to run the computing core. A security policy of the page may forbid WebAssembly.',
    'core-not-found':
      'The computing core could not be loaded. Check the connection and that the server delivers the .wasm file.',
    'core-broken': 'The computing core stopped unexpectedly. Reload the page and try again.',
    'worker-refused': 'The browser refused to start a worker, so training cannot run beside the page.',
    'worker-lost': 'The training worker ended unexpectedly. Try again, perhaps with a smaller model.',
    text: 'The text of the declaration could not be loaded. Check the connection, or paste a text.',
    other: 'An unknown error occurred.',
  },
  core: (message: string) => `The core could not compute this: ${message}`,
  noWasm: 'This browser does not run WebAssembly, so nothing can be computed here. The text and the figures remain.',
  noWorker: 'This browser does not start workers, so training runs on the page itself and is slower.',
};

export type ErrorMessages = typeof en;

const ko: ErrorMessages = {
  number: {
    empty: '숫자를 입력하세요. 이전 값을 그대로 씁니다.',
    'decimal-comma': '소수점은 0.5처럼 마침표로 쓰세요. 이전 값을 그대로 씁니다.',
    'not-a-number': '숫자가 아닙니다. 이전 값을 그대로 씁니다.',
    'beyond-fp32': '32비트 수로 나타내기에는 너무 큽니다(한계는 약 3.4×10³⁸). 이전 값을 그대로 씁니다.',
    negative: '0 이상의 숫자를 입력하세요. 이전 값을 그대로 씁니다.',
  },
  vector: {
    'empty-item': (item) => `${item}번째 항목이 비어 있습니다. 아무것도 바꾸지 않았습니다.`,
    'not-a-number': (item) => `${item}번째 항목이 숫자가 아닙니다. 아무것도 바꾸지 않았습니다.`,
    'beyond-fp32': (item) =>
      `${item}번째 항목은 32비트 수로 나타내기에는 너무 큽니다(한계는 약 3.4×10³⁸). 아무것도 바꾸지 않았습니다.`,
    ragged: '행의 길이가 서로 다릅니다. 아무것도 바꾸지 않았습니다.',
    brackets: '대괄호의 짝이 맞지 않습니다. 아무것도 바꾸지 않았습니다.',
    'too-many': (limit) => `숫자가 너무 많습니다. ${limit}개까지 됩니다. 아무것도 바꾸지 않았습니다.`,
    nothing: '숫자를 하나 이상 입력하세요. 아무것도 바꾸지 않았습니다.',
  },
  codes: {
    'bad-spec': '이 설정들은 서로 맞지 않습니다.',
    'bad-size': '크기가 모델에 맞지 않습니다.',
    'bad-data': '이 데이터로는 학습할 수 없습니다.',
    'too-large': '이 페이지의 메모리로는 다룰 수 없는 크기의 모델입니다. 깊이, 너비, 배치, 문맥 길이를 줄여 주세요.',
    'out-of-memory':
      '브라우저가 메모리를 더 내주지 않습니다. 깊이, 너비, 배치, 문맥 길이를 줄이거나 다른 탭을 닫아 주세요.',
    'no-wasm':
      '이 브라우저에는 WebAssembly가 없거나 꺼져 있어 계산할 수 없습니다. 최신 Chrome, Firefox, Safari, Edge에서는 동작합니다.',
    'wasm-refused':
      '브라우저가 계산 코어의 실행을 거부했습니다. 페이지의 보안 정책이 WebAssembly를 막고 있을 수 있습니다.',
    'core-not-found':
      '계산 코어를 불러오지 못했습니다. 연결 상태와, 서버가 .wasm 파일을 제대로 보내는지 확인해 주세요.',
    'core-broken': '계산 코어가 예기치 않게 멈췄습니다. 페이지를 새로 고친 뒤 다시 시도해 주세요.',
    'worker-refused': '브라우저가 워커의 시작을 거부해 백그라운드에서 학습할 수 없습니다.',
    'worker-lost': '학습 워커가 예기치 않게 끝났습니다. 모델을 줄여 다시 시도해 주세요.',
    text: '선언문을 불러오지 못했습니다. 연결 상태를 확인하거나 텍스트를 직접 붙여 넣어 주세요.',
    other: '알 수 없는 오류가 발생했습니다.',
  },
  core: (message) => `코어가 계산하지 못했습니다: ${message}`,
  noWasm:
    '이 브라우저에서는 WebAssembly를 실행할 수 없어 여기서는 계산이 되지 않습니다. 글과 그림은 그대로 볼 수 있습니다.',
  noWorker: '이 브라우저에서는 워커를 시작할 수 없어 학습이 페이지 안에서 더 느리게 진행됩니다.',
};

export const errors = { en, ko } satisfies Localized<ErrorMessages>;

/** Codes that mean the same to a reader share a sentence. */
const SAME_AS: Record<string, string> = {
  'bad-number': 'bad-spec',
  'bad-option': 'bad-spec',
  'bad-array': 'bad-size',
  'no-simd': 'no-wasm',
};

/** The sentence for an error's code; unknown codes get the one for `other`. */
export function sentenceOf({ codes }: ErrorMessages, code: string): string {
  const known = SAME_AS[code] ?? code;
  return Object.hasOwn(codes, known) ? codes[known as keyof typeof codes] : codes.other;
}
