import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Marks the host with data-print while the page prints, and lets it redraw in the paper's colours. */
export class PrintController implements ReactiveController {
  #host: ReactiveControllerHost & Element;
  #redraw: () => void;

  constructor(host: ReactiveControllerHost & Element, redraw: () => void) {
    this.#host = host;
    this.#redraw = redraw;
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('beforeprint', this.#before);
    addEventListener('afterprint', this.#after);
  }

  hostDisconnected(): void {
    removeEventListener('beforeprint', this.#before);
    removeEventListener('afterprint', this.#after);
  }

  #before = (): void => this.#mark(true);
  #after = (): void => this.#mark(false);

  #mark(printing: boolean): void {
    this.#host.toggleAttribute('data-print', printing);
    this.#redraw();
  }
}
