import { describeMatmul } from './matmul-suite.js';

describeMatmul();
