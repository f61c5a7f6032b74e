/** Texts about where runs compute, and about what happened to the machine below them. Part of the lab's texts. */
import type { Localized } from './language.js';

/** Names that both languages write alike; the short ones stand on buttons. */
const DEVICES = { wasm: 'WebAssembly', webgpu: 'WebGPU' };
const SHORT = { wasm: 'WASM', webgpu: 'WebGPU' };

/** Why a run computes where it does, said after the device's name. By the package's codes. */
const reasonsEn = {
  asked: 'as you chose',
  /** Steps of all runs together in a second: here, and on the other device. */
  measured: (here: string, other: string, there: string) =>
    `the faster one here: ${here} steps/s, against ${there} with ${other}`,
  'no-webgpu': 'this browser offers no WebGPU here',
  'software-adapter': 'WebGPU is only emulated in software here, which is slower',
  'gpu-refused': 'WebGPU did not start',
  'too-large': 'one tensor is larger than this GPU allows',
  'out-of-memory': 'the GPU’s memory was not enough',
  'device-lost': 'the GPU was lost',
};

const en = {
  wish: {
    title: 'Compute with',
    auto: 'Automatic',
    ...SHORT,
    hint: {
      auto: 'Times both for about a second with your settings and takes the faster one.',
      wasm: 'WebAssembly, on the processor. The same seed gives the same bits everywhere.',
      webgpu:
        'On the GPU. The numbers agree with those of WebAssembly up to rounding. Where WebGPU cannot be used, WebAssembly computes.',
    },
  },
  machine: {
    title: 'Where it computes',
    ...DEVICES,
    computedBy: 'Computed by',
    idle: { auto: 'decided when you press Run', wasm: 'as you chose', webgpu: 'as you chose' },
    starting: { auto: 'comparing the devices …', wasm: 'starting …', webgpu: 'preparing the GPU …' },
    reasons: reasonsEn,
    planned: 'Memory needed, all runs',
    onGpu: 'GPU memory',
    parameters: 'Parameters',
    perRun: (count: string) => `${count} per run`,
    range: (low: string, high: string) => `${low} to ${high}`,
    speed: 'Speed, all runs',
    meanSpeed: 'Mean speed, all runs',
    tokens: (n: string) => `${n} tokens/s`,
    steps: (n: string) => `${n} steps/s`,
    said: 'Details from WebGPU',
  },
  notices: {
    label: 'Messages about the machine',
    lost: {
      webgpu: 'The GPU was lost. Training goes on with a new WebGPU device.',
      wasm: 'The GPU was lost. Training goes on with WebAssembly.',
    },
    worker: 'A training worker ended unexpectedly. Training goes on in a new one.',
    fallback: (why: string) =>
      `No WebGPU for these runs: ${why}. WebAssembly computes them, with the same results up to rounding.`,
    fallbackLater: (why: string) => `WebGPU had to stop (${why}). Training goes on with WebAssembly.`,
    again: (from: string, to: string, n: string) =>
      from === to ? `Step ${from} is computed again.` : `Steps ${from} to ${to} are computed again (${n} steps).`,
    noneAgain: 'No step has to be computed again.',
    some: (names: string, words: string) => `${names}: ${words}`,
    close: 'Close',
    history: (n: string) => `What happened to the machine (${n})`,
  },
};

export type MachineMessages = typeof en;

const reasonsKo: typeof reasonsEn = {
  asked: '직접 고른 장치',
  measured: (here, other, there) => `여기서 더 빠른 쪽: 초당 ${here}스텝(${other}는 초당 ${there}스텝)`,
  'no-webgpu': '이 브라우저에서는 WebGPU를 쓸 수 없음',
  'software-adapter': '여기서는 WebGPU를 소프트웨어로만 흉내 내므로 더 느림',
  'gpu-refused': 'WebGPU를 시작하지 못함',
  'too-large': '텐서 하나가 이 GPU의 한도보다 큼',
  'out-of-memory': 'GPU 메모리가 모자람',
  'device-lost': 'GPU와 연결이 끊김',
};

const ko: MachineMessages = {
  wish: {
    title: '계산 장치',
    auto: '자동',
    ...SHORT,
    hint: {
      auto: '현재 설정으로 두 장치의 속도를 1초쯤 재어 보고 더 빠른 쪽을 씁니다.',
      wasm: 'WebAssembly로 CPU에서 계산합니다. 시드가 같으면 어디서나 비트까지 같은 결과가 나옵니다.',
      webgpu:
        'WebGPU로 GPU에서 계산합니다. 반올림 오차를 빼면 WebAssembly와 같은 값이 나옵니다. WebGPU를 쓸 수 없으면 WebAssembly로 계산합니다.',
    },
  },
  machine: {
    title: '계산하는 곳',
    ...DEVICES,
    computedBy: '계산 장치',
    idle: { auto: '실행을 누르면 정해짐', wasm: '직접 고른 장치', webgpu: '직접 고른 장치' },
    starting: { auto: '두 장치를 비교하는 중 …', wasm: '시작하는 중 …', webgpu: 'GPU를 준비하는 중 …' },
    reasons: reasonsKo,
    planned: '필요한 메모리(모든 실행)',
    onGpu: 'GPU 메모리',
    parameters: '파라미터 수',
    perRun: (count) => `실행당 ${count}`,
    range: (low, high) => `${low}~${high}`,
    speed: '속도(모든 실행)',
    meanSpeed: '평균 속도(모든 실행)',
    tokens: (n) => `초당 ${n}토큰`,
    steps: (n) => `초당 ${n}스텝`,
    said: 'WebGPU가 알린 자세한 내용',
  },
  notices: {
    label: '계산 장치에 관한 알림',
    lost: {
      webgpu: 'GPU와 연결이 끊겼습니다. 새 WebGPU 장치에서 학습을 계속합니다.',
      wasm: 'GPU와 연결이 끊겼습니다. WebAssembly로 학습을 계속합니다.',
    },
    worker: '학습 워커가 예기치 않게 끝났습니다. 새 워커에서 학습을 계속합니다.',
    fallback: (why) =>
      `이 실행은 WebGPU 대신 WebAssembly로 계산합니다(${why}). 반올림 오차를 빼면 같은 결과가 나옵니다.`,
    fallbackLater: (why) => `WebGPU가 멈추어(${why}) WebAssembly로 학습을 계속합니다.`,
    again: (from, to, n) =>
      from === to ? `${from}스텝을 다시 계산합니다.` : `${from}~${to}스텝을 다시 계산합니다(${n}스텝).`,
    noneAgain: '다시 계산할 스텝은 없습니다.',
    some: (names, words) => `${names}: ${words}`,
    close: '닫기',
    history: (n) => `계산 장치에 있었던 일(${n}건)`,
  },
};

export const machine = { en, ko } satisfies Localized<MachineMessages>;
