/** The two languages of the page; neither is a translation of the other. */
export type Language = 'en' | 'ko';

export const LANGUAGES: readonly Language[] = ['en', 'ko'];

/** Texts of one part of the page in both languages. English defines the keys. */
export type Localized<Messages> = Record<Language, Messages>;

/** 'ko-KR' → 'ko'; null when it is neither of ours. */
export function parseLanguage(tag: string | null | undefined): Language | null {
  const primary = tag?.trim().toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === primary) ?? null;
}

/** The reader's language without any mark-up: `?lang=`, then the browser's list, then English. */
export function preferredLanguage(search?: string, wishes?: readonly string[]): Language {
  const query = search ?? globalThis.location?.search ?? '';
  const asked = parseLanguage(new URLSearchParams(query).get('lang'));
  if (asked) return asked;
  const list = wishes ?? globalThis.navigator?.languages ?? [];
  for (const wish of list) {
    const language = parseLanguage(wish);
    if (language) return language;
  }
  return 'en';
}

/** Language of an element: its own `lang`, else the nearest ancestor's (through shadow roots), else the reader's. */
export function languageOf(element: Element): Language {
  let node: Element | null = element;
  while (node) {
    const marked: Element | null = node.closest('[lang]');
    if (marked) {
      const language = parseLanguage(marked.getAttribute('lang'));
      if (language) return language;
      node = marked.parentElement;
      if (node) continue;
    }
    const root: Node | undefined = (marked ?? node)?.getRootNode();
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return preferredLanguage();
}
