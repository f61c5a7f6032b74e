import { describeSessions } from './session-suite.js';

describeSessions();
