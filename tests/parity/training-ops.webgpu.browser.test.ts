import { describeTrainingOps } from './training-ops-suite.js';

describeTrainingOps();
