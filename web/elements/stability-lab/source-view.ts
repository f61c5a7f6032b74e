import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Language } from '../../locales/language.js';
import type { LabMessages } from '../../locales/lab.js';
import { formatCount } from '../../locales/numbers.js';
import type { TextSource } from './settings.js';
import type { TextRefusal } from './text-source.js';

const SOURCES: readonly TextSource[] = ['declaration-ko', 'declaration-en', 'own', 'markov'];

export interface SourceViewRequest {
  text: LabMessages;
  language: Language;
  source: TextSource;
  own: string;
  fileName: string | null;
  refusal: TextRefusal | null;
  onSource: (source: TextSource) => void;
  onOwn: (own: string) => void;
  onFile: (file: File) => void;
}

export function sourceView(request: SourceViewRequest): TemplateResult {
  const { text, language, source, onSource } = request;
  const order = language === 'ko' ? SOURCES : [SOURCES[1]!, SOURCES[0]!, ...SOURCES.slice(2)];
  return html`<fieldset class="choices">
    <legend>${text.sourceTitle}</legend>
    ${order.map(
      (name) =>
        html`<label class="check">
          <input type="radio" name="source" .checked=${live(source === name)} @change=${() => onSource(name)} />
          <span>${text.sources[name]}</span>
        </label>`,
    )}
    <p class="hint">${text.sourceNote[source]}</p>
    ${source === 'own' ? ownText(request) : nothing}
  </fieldset>`;
}

function ownText({ text, language, own, fileName, refusal, onOwn, onFile }: SourceViewRequest): TemplateResult {
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    onFile(file);
  };
  const choose = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (file) onFile(file);
    input.value = '';
  };
  return html`<div class="own" @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${drop}>
    <label for="own-text">${text.ownText}</label>
    <textarea
      id="own-text"
      rows="5"
      placeholder=${text.ownPlaceholder}
      aria-describedby="own-note"
      spellcheck="false"
      .value=${live(own)}
      @input=${(event: Event) => onOwn((event.target as HTMLTextAreaElement).value)}
    ></textarea>
    <label class="file">
      ${text.chooseFile}<input type="file" accept=".txt,.md,.csv,.json,text/*" @change=${choose} />
    </label>
    <p class="hint" id="own-note">
      ${text.ownCount(formatCount([...own].length, language))}${fileName ? ` · ${text.fileTaken(fileName)}` : nothing}
    </p>
    ${refusal ? html`<p class="problem" role="alert">${refusalText(text, refusal, language)}</p>` : nothing}
  </div>`;
}

export function refusalText(text: LabMessages, refusal: TextRefusal, language: Language): string {
  const count = (value: number) => formatCount(value, language);
  const megabytes = (bytes: number) => count(Math.ceil(bytes / 1024 / 102.4) / 10);
  const say = text.refusal;
  switch (refusal.code) {
    case 'too-short':
      return say['too-short'](count(refusal.count), count(refusal.least));
    case 'too-large':
      return say['too-large'](megabytes(refusal.bytes), megabytes(refusal.most));
    case 'unreadable':
      return say.unreadable(refusal.detail);
    default:
      return say[refusal.code];
  }
}
