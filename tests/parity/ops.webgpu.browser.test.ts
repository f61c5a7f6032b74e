import { describeOps } from './ops-suite.js';

describeOps();
