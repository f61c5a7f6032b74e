import { describeExecutor } from './executor-suite.js';

describeExecutor(() => navigator.gpu);
