/** The connection to an analysis host: one question, one answer. */
import { CORE_FILES } from '../runtime/core-files.js';
import { compileCore, givenSource, type CoreSource } from '../runtime/core-bytes.js';
import { NormscopeError } from '../runtime/errors.js';
import type { LoadOptions } from '../runtime/types.js';
import { openPort } from '../worker/host-pool.js';
import type { AnalysedModel, ClientMessage, HostMessage, Port } from '../worker/protocol.js';

/** Values of a piece's options: numbers or lists of numbers. */
export type PieceOptions = Record<string, number | readonly number[]>;

type Question = Extract<ClientMessage, { type: 'open-analysis' | 'analyse' }>;

export class AnalysisLink {
  #nextId = 1;
  #waiting: { id: number; resolve(text: string): void; reject(error: unknown): void } | null = null;
  #lost: NormscopeError | null = null;

  private constructor(private readonly port: Port) {
    port.onMessage = (message) => this.#receive(message);
    port.onLost = (reason) =>
      this.#fail(new NormscopeError('worker-lost', `the worker of this analysis was lost: ${reason}`));
  }

  static async open(
    options: Pick<LoadOptions, 'wasmBinary' | 'wasmUrl'>,
    thread: 'worker' | 'inline' | undefined,
  ): Promise<AnalysisLink> {
    const own = givenSource(options);
    const module = await compileAnalysis(own);
    const portable = own === undefined || own instanceof URL ? (own ?? CORE_FILES.analysis.wasm()).href : own;
    return new AnalysisLink(
      await openPort(
        { build: 'analysis', module, portable: portable instanceof WebAssembly.Module ? '' : portable },
        thread,
      ),
    );
  }

  /** Everything after this concerns the model; answers with its description. */
  open(model: AnalysedModel): Promise<unknown> {
    return this.#ask((id) => ({ type: 'open-analysis', id, model }));
  }

  run(piece: string, options: PieceOptions = {}): Promise<unknown> {
    const lines = Object.entries(options).map(([name, value]) => `${name} ${[value].flat().join(' ')}\n`);
    return this.#ask((id) => ({ type: 'analyse', id, piece, options: lines.join('') }));
  }

  close(): void {
    this.#fail(new NormscopeError('aborted', 'this analysis was closed'));
    this.port.close();
  }

  async #ask(question: (id: number) => Question): Promise<unknown> {
    if (this.#lost) throw this.#lost;
    const id = this.#nextId++;
    const text = await new Promise<string>((resolve, reject) => {
      this.#waiting = { id, resolve, reject };
      this.port.post(question(id));
    });
    return parseNumbers(text);
  }

  #receive(message: HostMessage): void {
    if (message.type === 'failed') this.#fail(new NormscopeError(message.error.code, message.error.message));
    if (message.type !== 'analysed' || message.id !== this.#waiting?.id) return;
    const { resolve } = this.#waiting;
    this.#waiting = null;
    resolve(message.text);
  }

  #fail(error: NormscopeError): void {
    this.#lost ??= error;
    this.#waiting?.reject(this.#lost);
    this.#waiting = null;
  }
}

/** null stands for NaN; a piece that is null as a whole stays null. */
const parseNumbers = (text: string): unknown =>
  text === 'null' ? null : JSON.parse(text, (_, value: unknown) => (value === null ? NaN : value));

let compiled: Promise<WebAssembly.Module> | null = null;

/** Compiled once per thread, unless the caller brings a module of their own. */
function compileAnalysis(own: CoreSource | undefined): Promise<WebAssembly.Module> {
  if (own !== undefined) return compileCore(own);
  compiled ??= compileCore(CORE_FILES.analysis.wasm());
  compiled.catch(() => (compiled = null));
  return compiled;
}
