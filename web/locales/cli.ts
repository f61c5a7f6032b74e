/** Texts of the command line. English defines the keys. */
import type { Localized } from './language.js';
import { topic } from './particles.js';

const en = {
  usage: 'Usage: normscope <command> [options]',
  commands: 'Commands',
  command: {
    run: {
      call: 'run <spec>',
      text: 'Trains one model and says how it went.',
    },
    sweep: {
      call: 'sweep <spec> [--out runs.jsonl]',
      text: 'Trains every cell of a grid; one line of JSON for each. What is in the file already is not run again.',
    },
    analyse: {
      call: 'analyse <spec>',
      text: 'Measures a fresh or trained model: moments, sensitivity, Hamiltonian, uncertainty, depth, weights.',
    },
    check: {
      call: 'check <spec>',
      text: 'Tests a wiring before an expensive run: what theory says beside what is measured.',
    },
    plan: {
      call: 'plan <spec>',
      text: 'Counts parameters and memory without allocating any, and says where the model fits.',
    },
    merge: {
      call: 'merge <a.jsonl> <b.jsonl> …',
      text: 'Joins the files of a sweep in the order of its grid.',
    },
    'export-pytorch': {
      call: 'export-pytorch <spec> [--out model.py]',
      text: 'Writes a PyTorch script of the same model.',
    },
  },
  options: 'Options',
  option: {
    set: '--set FIELD=VALUE: sets a field of the spec; may be repeated',
    text: '--text FILE: trains on this text',
    steps: '--steps N: steps of a run (default 300); analyse first trains so many',
    json: '--json: JSON instead of words',
    out: '--out FILE: writes there',
    shard: '--shard I/N: only the I-th of N parts, I from 1',
    concurrency: '--concurrency N: runs at a time',
    recipe: '--recipe A…J: a named experiment instead of a file',
    thin: '--thin: the short form of a recipe',
    complete: '--complete: fails when cells are missing',
    spec: '--spec FILE: the sweep that the files belong to; tells how many cells it has',
    parts:
      '--parts LIST: moments,sensitivity,activationScale,hamiltonian,uncertainty,usefulness,weights,gradients,growth,weightPath,layerNormJacobian',
    from: '--from FILE: analyses the parameters of this snapshot',
    save: '--save FILE: keeps the trained parameters as a snapshot',
    quick: '--quick: without training',
    lang: '--lang ko|en: language of the words (default: of the system)',
    version: '--version: prints the version',
    help: '--help: shows this',
  },
  specs:
    '<spec> is a file of JSON, - for standard input, or the name of a placement: {"placement": "peri-ln", "nLayer": 12},\nor {"base": {…}, "data": {"kind": "text", "file": "novel.txt"}, "grid": {"seed": [1, 2, 3]}, "steps": 300}.',
  codes:
    'Exit codes: 0 done, 1 failed, 2 wrong call, 130 and 143 interrupted. A divergence is a result, not a failure.',
  wrong: {
    noCommand: (list: string) => `a command is missing; there are ${list}`,
    command: (name: string, near: string, list: string) =>
      `there is no command '${name}'${near ? `; did you mean '${near}'?` : `; there are ${list}`}`,
    option: (name: string, near: string) =>
      `unknown option ${name}${near ? `; did you mean ${near}?` : '; --help shows all'}`,
    needsValue: (name: string) => `${name} needs a value`,
    takesNoValue: (name: string) => `${name} takes no value`,
    noSpec: (command: string) =>
      `${command} needs a spec: a file of JSON, - for standard input, or the name of a placement, e.g. ${command} peri-ln`,
    tooMany: (extra: string) => `'${extra}' is one argument too many`,
    count: (name: string, value: string) => `${name} needs a whole number from 1, not '${value}'`,
    shard: (value: string) => `--shard needs I/N with I from 1 to N, e.g. 1/4, not '${value}'`,
    recipe: (value: string, list: string) => `there is no recipe '${value}'; there are ${list}`,
    recipeAndFile: 'a sweep takes a file or --recipe, not both',
    noFiles: 'merge needs the files of a sweep, e.g. merge runs.1.jsonl runs.2.jsonl',
    language: (value: string) => `--lang is ko or en, not '${value}'`,
    parts: (value: string, near: string) => `analyse has no part '${value}'${near ? `; did you mean '${near}'?` : ''}`,
    both: (a: string, b: string) => `${a} and ${b} do not go together`,
  },
  file: {
    missing: (file: string, near: string) =>
      `there is no file '${file}'${near ? `; did you mean the placement '${near}'?` : ', and no placement of that name'}`,
    unreadable: (file: string, reason: string) => `${file} cannot be read: ${reason}`,
    notJson: (file: string, reason: string) => `${file} is not JSON: ${reason}`,
    notObject: (file: string) => `${file} must hold one object, e.g. {"placement": "peri-ln", "nLayer": 12}`,
    unknownKey: (file: string, key: string, near: string, known: string) =>
      `${file}: '${key}' is unknown${near ? `; did you mean '${near}'?` : `; a run or sweep has ${known}`}`,
    specAndBase: (file: string) => `${file} has both spec and base, which are two names of one thing`,
    spec: (file: string) => `${file}: the spec must be an object, e.g. {"placement": "peri-ln"}`,
    twice: (file: string, field: string) => `${file} has ${field} twice, in two spellings`,
    grid: (file: string) => `${file}: the grid must be an object, e.g. {"seed": [1, 2, 3]}`,
    textOrFile: (file: string) =>
      `${file}: data has either a text or the name of a file, e.g. {"kind": "text", "file": "novel.txt"}`,
    notRecords: (file: string, reason: string) => `${file} is not a file of records: ${reason}`,
    noText: (file: string) => `there is no text file '${file}'`,
    assignment: (text: string) => `--set ${text}: write a field and its value, e.g. --set nLayer=4`,
    noSnapshot: (file: string) => `${file} is no snapshot; normscope run --save writes one`,
  },
  failed: (reason: string) => reason,
  interrupted: 'Stopping; once more ends at once.',
  nothingKept: 'Interrupted; nothing was kept.',
  sweepKept: (done: string, total: string) =>
    `Interrupted with ${done} of ${total} runs done. The same call goes on from there.`,
  sweepPrinted: (done: string, total: string) =>
    `Interrupted with ${done} of ${total} runs done. With --out FILE, a later call could go on from there.`,
  progress: {
    run: (step: string, steps: string) => `step ${step} of ${steps}`,
    cells: (done: string, total: string) => `${done} of ${total} runs`,
    left: (time: string) => `${time} left`,
    time: (minutes: string, seconds: string) => `${minutes} min ${seconds} s`,
    seconds: (seconds: string) => `${seconds} s`,
  },
  run: {
    title: (name: string, steps: string) => `${name}, ${steps} steps`,
    verdict: {
      converged: 'It trained.',
      stalled: 'It stalled: at best the frequencies of the symbols were learned.',
      spike: 'The loss rose again by more than half of what it had fallen.',
      overflow: 'A value left the range of the number format (overflow).',
      'non-finite': 'Numbers stopped being finite.',
      stopped: 'It was stopped.',
      failed: 'It could not be run.',
    },
    at: (step: string, where: string) => `step ${step}${where ? `, ${where}` : ''}`,
    finalLoss: 'final loss (mean of the last 30 steps)',
    bestLoss: 'best loss',
    unigramLoss: 'loss of symbol frequencies alone',
    maxAbs: 'largest |x|',
    passedHalfRange: 'step that passed 65,504',
    variance: 'variance of the last state',
    lrTimesWidth: 'lr · d',
    nParameter: 'parameters',
    heldOut: 'held-out loss, perplexity',
  },
  sweep: {
    heads: ['Cell', 'Diverged', '95 % interval', 'Stalled', 'Final loss', 'max |x|'] as readonly string[],
    sensitivity: 'Learning-rate sensitivity',
    sensitivityHeads: ['Cell', 'Sensitivity', 'Best rate'] as readonly string[],
    findings: 'What the recipe predicts',
    findingHeads: ['Prediction', 'From', 'To', 'Measured', 'Holds'] as readonly string[],
    failed: (n: string) => `runs that could not be run: ${n}; their records say why`,
    others: (file: string) => `${file} also holds other runs, so it was not put in the order of the grid`,
    wrote: (n: string, file: string) => `${n} records in ${file}`,
  },
  plan: {
    parameters: (n: string) => `${n} parameters`,
    heads: ['Memory of a training step', 'Size'] as readonly string[],
    role: {
      parameter: 'parameters',
      gradient: 'gradients, those of activations too',
      activation: 'activations',
      state: 'state of the optimizer',
      input: 'inputs',
      constant: 'constants',
      statistic: 'statistics',
      total: 'in all',
    },
    fits: 'fits',
    buffers: (n: string, largest: string) => `fits in ${n === '1' ? '1 buffer' : `${n} buffers`} of at most ${largest}`,
    wasmRefusal: (tensor: string, limit: string) =>
      `does not fit: a core allocates ${limit} at most; the largest tensor is ${tensor}`,
    webgpuRefusal: (tensor: string, need: string, limit: string) =>
      `does not fit everywhere: tensor ${tensor} needs ${need} in one piece, and not every device allows more than ${limit}`,
  },
  merge: {
    gaps: (list: string) => `missing cells: ${list}`,
  },
  yes: 'yes',
  no: 'no',
  none: '–',
};

export type CliMessages = typeof en;

const ko: CliMessages = {
  usage: '사용법: normscope <명령> [옵션]',
  commands: '명령',
  command: {
    run: { call: 'run <스펙>', text: '모델 하나를 학습하고 결과를 알려 줍니다.' },
    sweep: {
      call: 'sweep <스펙> [--out runs.jsonl]',
      text: '격자의 모든 칸을 학습해 칸마다 JSON 한 줄을 남깁니다. 파일에 이미 있는 것은 다시 학습하지 않습니다.',
    },
    analyse: {
      call: 'analyse <스펙>',
      text: '초기 모델이나 학습한 모델을 분석합니다: 모멘트, 민감도, 해밀토니안, 불확실성, 깊이, 가중치.',
    },
    check: {
      call: 'check <스펙>',
      text: '큰 비용을 들여 학습하기 전에 정규화 구조를 점검합니다: 이론값과 측정값을 나란히 보여 줍니다.',
    },
    plan: {
      call: 'plan <스펙>',
      text: '메모리를 할당하지 않고 파라미터 수와 필요한 메모리를 계산해, 모델이 어디에서 돌아가는지 알려 줍니다.',
    },
    merge: { call: 'merge <a.jsonl> <b.jsonl> …', text: '나누어 실행한 스윕의 파일들을 격자 순서로 합칩니다.' },
    'export-pytorch': {
      call: 'export-pytorch <스펙> [--out model.py]',
      text: '스펙과 똑같은 모델의 PyTorch 스크립트를 만듭니다.',
    },
  },
  options: '옵션',
  option: {
    set: '--set 필드=값: 스펙의 필드를 정합니다. 여러 번 쓸 수 있습니다',
    text: '--text 파일: 이 텍스트로 학습합니다',
    steps: '--steps N: 학습 스텝 수(기본 300). analyse는 먼저 이만큼 학습합니다',
    json: '--json: 글 대신 JSON으로',
    out: '--out 파일: 이 파일에 씁니다',
    shard: '--shard I/N: N개로 나눈 것 중 I번째만(I는 1부터)',
    concurrency: '--concurrency N: 동시에 실행할 학습 수',
    recipe: '--recipe A…J: 파일 대신 이름이 정해진 실험',
    thin: '--thin: 실험을 짧게 줄인 형태',
    complete: '--complete: 빠진 칸이 있으면 실패로 끝냅니다',
    spec: '--spec 파일: 합칠 파일들이 속한 스윕. 칸이 모두 몇 개인지 이것으로 압니다',
    parts:
      '--parts 목록: moments,sensitivity,activationScale,hamiltonian,uncertainty,usefulness,weights,gradients,growth,weightPath,layerNormJacobian',
    from: '--from 파일: 이 스냅숏의 파라미터를 분석합니다',
    save: '--save 파일: 학습한 파라미터를 스냅숏으로 남깁니다',
    quick: '--quick: 학습은 빼고 점검합니다',
    lang: '--lang ko|en: 글의 언어(기본: 시스템의 언어)',
    version: '--version: 버전을 출력합니다',
    help: '--help: 이 안내를 보여 줍니다',
  },
  specs:
    '<스펙>은 JSON 파일, 표준 입력을 뜻하는 -, 또는 정규화 위치의 이름입니다: {"placement": "peri-ln", "nLayer": 12},\n또는 {"base": {…}, "data": {"kind": "text", "file": "novel.txt"}, "grid": {"seed": [1, 2, 3]}, "steps": 300}.',
  codes: '종료 코드: 0 완료, 1 실패, 2 잘못된 호출, 130과 143 중단. 발산은 실패가 아니라 결과입니다.',
  wrong: {
    noCommand: (list) => `명령이 없습니다. 쓸 수 있는 명령: ${list}`,
    command: (name, near, list) =>
      `'${name}'이라는 명령은 없습니다. ${near ? `혹시 '${near}'인가요?` : `쓸 수 있는 명령: ${list}`}`,
    option: (name, near) =>
      `${name}: 모르는 옵션입니다. ${near ? `혹시 ${near}인가요?` : '--help로 모두 볼 수 있습니다'}`,
    needsValue: (name) => `${name}에는 값이 있어야 합니다`,
    takesNoValue: (name) => `${name}에는 값을 줄 수 없습니다`,
    noSpec: (command) =>
      `${command}에는 스펙이 있어야 합니다: JSON 파일, 표준 입력을 뜻하는 -, 또는 정규화 위치의 이름. 예: ${command} peri-ln`,
    tooMany: (extra) => `'${extra}': 인수가 너무 많습니다`,
    count: (name, value) => `${name}에는 1 이상의 정수가 있어야 합니다. 받은 값: '${value}'`,
    shard: (value) => `--shard에는 I/N을 씁니다(I는 1부터 N까지). 예: 1/4. 받은 값: '${value}'`,
    recipe: (value, list) => `'${value}'이라는 실험은 없습니다. 있는 실험: ${list}`,
    recipeAndFile: '스윕에는 파일과 --recipe 중 하나만 씁니다',
    noFiles: 'merge에는 스윕의 파일들이 있어야 합니다. 예: merge runs.1.jsonl runs.2.jsonl',
    language: (value) => `--lang은 ko 또는 en입니다. 받은 값: '${value}'`,
    parts: (value, near) => `analyse에 '${value}' 부분은 없습니다.${near ? ` 혹시 '${near}'인가요?` : ''}`,
    both: (a, b) => `${topic(a)} ${b}와 함께 쓸 수 없습니다`,
  },
  file: {
    missing: (file, near) =>
      `'${file}'이라는 파일이 없습니다. ${near ? `혹시 정규화 위치 '${near}'인가요?` : '그런 이름의 정규화 위치도 없습니다.'}`,
    unreadable: (file, reason) => `${file}: 읽을 수 없습니다(${reason})`,
    notJson: (file, reason) => `${file}: JSON이 아닙니다(${reason})`,
    notObject: (file) => `${file}: 객체 하나가 있어야 합니다. 예: {"placement": "peri-ln", "nLayer": 12}`,
    unknownKey: (file, key, near, known) =>
      `${file}: '${key}': 모르는 항목입니다. ${near ? `혹시 '${near}'인가요?` : `쓸 수 있는 항목: ${known}`}`,
    specAndBase: (file) => `${file}: spec과 base는 같은 것의 두 이름이므로 하나만 씁니다`,
    spec: (file) => `${file}: 스펙은 객체여야 합니다. 예: {"placement": "peri-ln"}`,
    twice: (file, field) => `${file}: ${field} 필드가 두 가지 표기로 두 번 있습니다`,
    grid: (file) => `${file}: grid는 객체여야 합니다. 예: {"seed": [1, 2, 3]}`,
    textOrFile: (file) => `${file}: data에는 text와 file 중 하나만 씁니다. 예: {"kind": "text", "file": "novel.txt"}`,
    notRecords: (file, reason) => `${file}: 기록 파일이 아닙니다(${reason})`,
    noText: (file) => `'${file}'이라는 텍스트 파일이 없습니다`,
    assignment: (text) => `--set ${text}: 필드와 값을 씁니다. 예: --set nLayer=4`,
    noSnapshot: (file) => `${file}: 스냅숏이 아닙니다. normscope run --save로 만들 수 있습니다`,
  },
  failed: (reason) => `실행하지 못했습니다: ${reason}`,
  interrupted: '멈추는 중입니다. 한 번 더 누르면 바로 끝납니다.',
  nothingKept: '중단했습니다. 남긴 것은 없습니다.',
  sweepKept: (done, total) =>
    `중단했습니다. 학습 ${total}개 중 ${done}개가 끝나 있습니다. 같은 명령을 다시 내리면 이어서 합니다.`,
  sweepPrinted: (done, total) =>
    `중단했습니다. 학습 ${total}개 중 ${done}개가 끝났습니다. --out 파일을 주면 다음에 이어서 할 수 있습니다.`,
  progress: {
    run: (step, steps) => `${steps}스텝 중 ${step}스텝`,
    cells: (done, total) => `학습 ${total}개 중 ${done}개`,
    left: (time) => `${time} 남음`,
    time: (minutes, seconds) => `${minutes}분 ${seconds}초`,
    seconds: (seconds) => `${seconds}초`,
  },
  run: {
    title: (name, steps) => `${name}, ${steps}스텝`,
    verdict: {
      converged: '학습되었습니다.',
      stalled: '학습이 정체되었습니다. 기껏해야 기호의 빈도만 학습했습니다.',
      spike: '손실이 그때까지 줄어든 양의 절반을 넘게 다시 커졌습니다.',
      overflow: '값이 숫자 형식의 범위를 벗어났습니다(오버플로).',
      'non-finite': '값이 유한하지 않게 되었습니다.',
      stopped: '중단되었습니다.',
      failed: '실행할 수 없었습니다.',
    },
    at: (step, where) => `${step}스텝${where ? `, ${where}` : ''}`,
    finalLoss: '최종 손실(마지막 30스텝 평균)',
    bestLoss: '가장 낮은 손실',
    unigramLoss: '기호 빈도만 학습한 경우의 손실',
    maxAbs: '최대 |x|',
    passedHalfRange: '65,504를 넘은 스텝',
    variance: '마지막 상태의 분산',
    lrTimesWidth: '학습률 · d',
    nParameter: '파라미터 수',
    heldOut: '검증 손실, 혼란도(perplexity)',
  },
  sweep: {
    heads: ['칸', '발산', '95% 구간', '정체', '최종 손실', '최대 |x|'],
    sensitivity: '학습률 민감도',
    sensitivityHeads: ['칸', '민감도', '가장 좋은 학습률'],
    findings: '실험의 예측',
    findingHeads: ['예측', '최소', '최대', '측정값', '성립'],
    failed: (n) => `학습 ${n}개를 실행하지 못했습니다. 이유는 기록에 있습니다`,
    others: (file) => `${file}에는 다른 학습의 기록도 있어서 격자 순서로 정리하지 않았습니다`,
    wrote: (n, file) => `${file}에 기록 ${n}개`,
  },
  plan: {
    parameters: (n) => `파라미터 ${n}개`,
    heads: ['학습 한 스텝의 메모리', '크기'],
    role: {
      parameter: '파라미터',
      gradient: '그래디언트(활성화 값의 것 포함)',
      activation: '활성화 값',
      state: '옵티마이저 상태',
      input: '입력',
      constant: '상수',
      statistic: '통계',
      total: '합계',
    },
    fits: '들어갑니다',
    buffers: (n, largest) => `버퍼 ${n}개에 들어갑니다(가장 큰 것은 ${largest})`,
    wasmRefusal: (tensor, limit) =>
      `들어가지 않습니다. 코어 하나가 할당하는 메모리는 ${limit}까지이고, 가장 큰 텐서는 ${tensor}입니다`,
    webgpuRefusal: (tensor, need, limit) =>
      `들어가지 않는 기기가 있습니다. 텐서 ${tensor} 하나가 ${need}인데, 어느 기기에서나 되는 크기는 ${limit}까지입니다`,
  },
  merge: { gaps: (list) => `빠진 칸: ${list}` },
  yes: '예',
  no: '아니요',
  none: '–',
};

export const cli = { en, ko } satisfies Localized<CliMessages>;
