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
    if (message.type === 'start' && message.build === 'analysis') this.#inner = new AnalysisHost(this.post);
    this.#inner ??= new TrainingHost(this.post, this.keeps);
    return this.#inner.receive(message);
  }

  close(): void {
    this.#inner?.close();
  }
}
