import { describe } from 'vitest';
import { promiseGoldenRuns } from './golden-runs.js';

describe('same seed, same bits: WASM in Chromium against the native build', promiseGoldenRuns);
