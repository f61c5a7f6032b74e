import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { languageOf, type Language } from '../locales/language.js';

/** Keeps `value` at the element's language and asks for an update when any `lang` around it changes. */
export class LanguageController implements ReactiveController {
  value: Language = 'en';
  #host: ReactiveControllerHost & Element;
  #observer: MutationObserver | undefined;

  constructor(host: ReactiveControllerHost & Element) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#read();
    this.#observer = new MutationObserver(() => this.#read());
    const options = { attributes: true, attributeFilter: ['lang'], subtree: true };
    this.#observer.observe(document.documentElement, options);
    // Inside another element's shadow root the nearest lang is that element's own, which the document does not see.
    const root = this.#host.getRootNode();
    if (root instanceof ShadowRoot) this.#observer.observe(root, options);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
  }

  #read(): void {
    const language = languageOf(this.#host);
    if (language === this.value) return;
    this.value = language;
    this.#host.requestUpdate();
  }
}
