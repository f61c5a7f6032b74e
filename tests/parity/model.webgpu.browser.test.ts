import { describeModels } from './model-suite.js';

describeModels({ models: 'all' });
