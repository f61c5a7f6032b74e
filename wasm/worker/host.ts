/** A host is what its first message starts: training on a build of the core, or the analysis module. */
import { AnalysisHost } from './analysis-host.js';
import type { ClientMessage, HostMessage } from './protocol.js';
import { TrainingHost } from './training-host.js';

type Post = (message: HostMessage, transfer?: ArrayBuffer[]) => void;

export class Host {
  #inner: TrainingHost | AnalysisHost | null = null;

  /** `keeps`: see TrainingHost. */
  constructor(
    private readonly post: Post,
    private readonly keeps: boolean,
  ) {}

  receive(message: ClientMessage): Promise<void> {
    if (message.type === 'start') this.#begin(message.build === 'analysis');
    return this.#inner!.receive(message);
  }

  close(): void {
    this.#inner?.close();
  }

  /** Another start forgets all of the one before, whose last words nobody waits for. */
  #begin(analyses: boolean): void {
    this.#inner?.close();
    const post: Post = (message, transfer) => this.#inner === inner && this.post(message, transfer);
    const inner = analyses ? new AnalysisHost(post) : new TrainingHost(post, this.keeps);
    this.#inner = inner;
  }
}
