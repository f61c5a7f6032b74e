import { describeNorms } from './norms-suite.js';

describeNorms();
