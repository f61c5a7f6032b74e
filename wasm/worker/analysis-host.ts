/** Analyses one model after the other for a client: one piece per message, so that a cancelled client is heard between two. */
import { startAnalysis, type AnalysisCore, type AnalysisEngine } from '../analysis/engine.js';
import { describeError } from '../runtime/errors.js';
import type { ClientMessage, HostMessage } from './protocol.js';
import { nextTurn } from './turns.js';

export class AnalysisHost {
  #engine: AnalysisEngine | null = null;
  #core: AnalysisCore | null = null;
  #closed = false;

  constructor(private readonly post: (message: HostMessage) => void) {}

  /** Never throws: what goes wrong is sent as 'failed'. */
  async receive(message: ClientMessage): Promise<void> {
    try {
      await this.#handle(message);
    } catch (error) {
      this.close();
      this.post({ type: 'failed', error: describeError(error) });
    }
  }

  close(): void {
    this.#closed = true;
    this.#core?.free();
    this.#core = null;
  }

  async #handle(message: ClientMessage): Promise<void> {
    if (message.type === 'start') {
      const { source } = message;
      this.#engine = await startAnalysis(typeof source === 'string' ? new URL(source) : source);
      return this.post({ type: 'started' });
    }
    if (message.type !== 'open-analysis' && message.type !== 'analyse') return;
    await nextTurn();
    if (this.#closed) return;
    if (message.type === 'open-analysis') {
      this.#core?.free();
      this.#core = this.#engine!.create(message.model);
    }
    const text = message.type === 'analyse' ? this.#core!.run(message.piece, message.options) : this.#core!.describe();
    this.post({ type: 'analysed', id: message.id, text });
  }
}
