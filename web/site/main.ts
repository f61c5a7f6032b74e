import '@fontsource-variable/noto-sans-kr/wght.css';
import { errors } from '../locales/errors.js';
import { parseLanguage, preferredLanguage, type Language } from '../locales/language.js';
import { page } from '../locales/page.js';
import { remember, remembered } from './settings.js';

const root = document.documentElement;

function showLanguage(language: Language): void {
  root.lang = language;
  document.title = page[language].title;
  document.querySelector('meta[name="description"]')?.setAttribute('content', page[language].description);
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-language]')) {
    button.setAttribute('aria-pressed', String(button.dataset['language'] === language));
  }
}

/** A choice goes into the address, so that a link keeps it. */
function keepInAddress(name: string, value: string): void {
  const url = new URL(location.href);
  url.searchParams.set(name, value);
  try {
    history.replaceState(history.state, '', url);
  } catch {
    // An opaque origin refuses new addresses; the page itself still switches.
  }
}

function chooseLanguage(language: Language): void {
  remember('language', language);
  keepInAddress('lang', language);
  showLanguage(language);
}

function startLanguage(): void {
  const asked = parseLanguage(new URLSearchParams(location.search).get('lang'));
  showLanguage(asked ?? parseLanguage(remembered('language')) ?? preferredLanguage());
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-language]')) {
    button.addEventListener('click', () => chooseLanguage(parseLanguage(button.dataset['language']) ?? 'en'));
  }
}

function startTheme(): void {
  const button = document.querySelector<HTMLButtonElement>('button.theme');
  if (!button) return;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const asked = new URLSearchParams(location.search).get('theme') ?? remembered('theme');
  const show = (theme: string) => {
    root.dataset['theme'] = theme;
  };
  const now = () => root.dataset['theme'] ?? (system.matches ? 'dark' : 'light');
  const mark = () => (button.dataset['now'] = now());
  if (asked === 'dark' || asked === 'light') show(asked);
  system.addEventListener('change', mark);
  button.addEventListener('click', () => {
    show(now() === 'dark' ? 'light' : 'dark');
    remember('theme', now());
    mark();
  });
  button.hidden = false;
  mark();
}

/** `?device=webgpu`: where the elements compute. What the reader chooses in the lab goes back into the address. */
function startDevice(): void {
  const asked = new URLSearchParams(location.search).get('device')?.trim().toLowerCase();
  if (asked) document.querySelector('normscope-stability-lab')?.setAttribute('device', asked);
  if (asked === 'webgpu') document.querySelector('normscope-lens')?.setAttribute('device', asked);
  document.addEventListener('normscope-device', (event) =>
    keepInAddress('device', (event as CustomEvent<string>).detail),
  );
}

/** Says in both languages what is missing; the text and the still figures stay. */
function sayMissing(which: 'noWasm' | 'noWorker'): void {
  const note = document.createElement('div');
  note.className = 'missing';
  for (const language of ['en', 'ko'] as const) {
    const text = document.createElement('p');
    text.className = 'in';
    text.lang = language;
    text.textContent = errors[language][which];
    note.append(text);
  }
  document.querySelector('main')?.prepend(note);
}

async function startElements(): Promise<void> {
  if (typeof WebAssembly === 'undefined') return sayMissing('noWasm');
  if (typeof Worker === 'undefined') sayMissing('noWorker');
  const { defineElements } = await import('../elements/index.js');
  defineElements();
}

root.classList.add('js');
startLanguage();
startTheme();
startDevice();
await startElements();
