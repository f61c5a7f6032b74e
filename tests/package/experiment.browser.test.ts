import { describeExperiments } from './experiment-promises.js';

describeExperiments('worker');
