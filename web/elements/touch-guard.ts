import type { ReactiveController, ReactiveControllerHost } from 'lit';

interface Touch {
  input: HTMLInputElement;
  /** The value before the finger came down. */
  value: string;
  x: number;
  y: number;
  /** True once the finger has moved more sideways than up or down. */
  sideways: boolean;
}

/**
 * Lets a finger scroll the page over a slider without moving it: browsers set the value as soon as a finger lands. The
 * `input` events of a touch are held back until it moves sideways or lifts, and dropped when it becomes a scroll.
 */
export class TouchGuard implements ReactiveController {
  #host: ReactiveControllerHost & HTMLElement;
  #touch: Touch | null = null;

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#listen('addEventListener');
  }

  hostDisconnected(): void {
    this.#listen('removeEventListener');
    this.#touch = null;
  }

  #listen(how: 'addEventListener' | 'removeEventListener'): void {
    this.#host[how]('pointerdown', this.#down as EventListener, true);
    this.#host[how]('pointermove', this.#move as EventListener, true);
    this.#host[how]('pointerup', this.#up, true);
    this.#host[how]('pointercancel', this.#cancel, true);
    this.#host[how]('input', this.#hold, true);
  }

  #down = (event: PointerEvent): void => {
    const input = event.composedPath()[0];
    const slider = input instanceof HTMLInputElement && input.type === 'range';
    if (event.pointerType !== 'touch' || !slider) return;
    this.#touch = { input, value: input.value, x: event.clientX, y: event.clientY, sideways: false };
  };

  #move = (event: PointerEvent): void => {
    const touch = this.#touch;
    if (!touch || touch.sideways) return;
    const [dx, dy] = [Math.abs(event.clientX - touch.x), Math.abs(event.clientY - touch.y)];
    touch.sideways = dx > 4 && dx > dy;
  };

  #hold = (event: Event): void => {
    const touch = this.#touch;
    if (touch && !touch.sideways && event.composedPath()[0] === touch.input) event.stopImmediatePropagation();
  };

  /** A tap: what was held back counts now. */
  #up = (): void => {
    const touch = this.#touch;
    this.#touch = null;
    if (touch && !touch.sideways && touch.input.value !== touch.value) announce(touch.input);
  };

  #cancel = (): void => {
    const touch = this.#touch;
    this.#touch = null;
    if (!touch || touch.input.value === touch.value) return;
    touch.input.value = touch.value;
    if (touch.sideways) announce(touch.input);
  };
}

function announce(input: HTMLInputElement): void {
  input.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
}
