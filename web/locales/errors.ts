import type { Localized } from './language.js';

/** What went wrong with a text that someone typed or pasted, and with the machine. */
const en = {
  number: {
    empty: 'Write a number. The last one stays in use.',
    'decimal-comma': 'Write a point for the decimal: 0.5. The last number stays in use.',
    'not-a-number': 'This is not a number. The last one stays in use.',
  },
  vector: {
    'empty-item': (item: string) => `Item ${item} is empty. Nothing was changed.`,
    'not-a-number': (item: string) => `Item ${item} is not a number. Nothing was changed.`,
    ragged: 'The rows have different lengths. Nothing was changed.',
    brackets: 'The brackets do not match. Nothing was changed.',
    'too-many': (limit: string) => `Too many numbers: the limit is ${limit}. Nothing was changed.`,
    nothing: 'Write at least one number. Nothing was changed.',
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
  },
  vector: {
    'empty-item': (item) => `${item}번째 항목이 비어 있습니다. 아무것도 바꾸지 않았습니다.`,
    'not-a-number': (item) => `${item}번째 항목이 숫자가 아닙니다. 아무것도 바꾸지 않았습니다.`,
    ragged: '행의 길이가 서로 다릅니다. 아무것도 바꾸지 않았습니다.',
    brackets: '대괄호의 짝이 맞지 않습니다. 아무것도 바꾸지 않았습니다.',
    'too-many': (limit) => `숫자가 너무 많습니다. ${limit}개까지 됩니다. 아무것도 바꾸지 않았습니다.`,
    nothing: '숫자를 하나 이상 입력하세요. 아무것도 바꾸지 않았습니다.',
  },
  core: (message) => `코어가 계산하지 못했습니다: ${message}`,
  noWasm:
    '이 브라우저에서는 WebAssembly를 실행할 수 없어 여기서는 계산이 되지 않습니다. 글과 그림은 그대로 볼 수 있습니다.',
  noWorker: '이 브라우저에서는 워커를 시작할 수 없어 학습이 페이지 안에서 더 느리게 진행됩니다.',
};

export const errors = { en, ko } satisfies Localized<ErrorMessages>;
