import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Language } from '../../locales/language.js';
import type { LabMessages } from '../../locales/lab.js';
import { formatCount } from '../../locales/numbers.js';
import type { TextSource } from './settings.js';
import { countCharacters, isLong, previewOf, type TextRefusal } from './text-source.js';

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
    if (file) onFile(file);
    else if (!takeLong(event.dataTransfer?.getData('text/plain'), '', onOwn)) return;
    event.preventDefault();
  };
  const choose = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    if (file) onFile(file);
    input.value = '';
  };
  const long = isLong(own);
  const paste = (event: ClipboardEvent) => {
    const area = event.target as HTMLTextAreaElement;
    const pasted = event.clipboardData?.getData('text/plain') ?? '';
    const [before, after] = long ? ['', ''] : [own.slice(0, area.selectionStart), own.slice(area.selectionEnd)];
    if (takeLong(pasted, before + after, () => onOwn(before + pasted + after))) event.preventDefault();
  };
  return html`<div class="own" @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${drop}>
    <label for="own-text">${text.ownText}</label>
    <textarea
      id="own-text"
      rows="5"
      placeholder=${text.ownPlaceholder}
      aria-describedby="own-note"
      spellcheck="false"
      ?readonly=${long}
      .value=${live(long ? previewOf(own) : own)}
      @paste=${paste}
      @input=${(event: Event) => onOwn((event.target as HTMLTextAreaElement).value)}
    ></textarea>
    <label class="file">
      ${text.chooseFile}<input type="file" accept=".txt,.md,.csv,.json,text/*" @change=${choose} />
    </label>
    <p class="hint" id="own-note">
      ${text.ownCount(formatCount(countCharacters(own), language))}${fileName ? ` · ${text.fileTaken(fileName)}` : nothing}
    </p>
    ${
      long
        ? html`<p class="hint">${text.longText(formatCount(countCharacters(previewOf(own)), language))}</p>
            <button class="small" @click=${() => onOwn('')}>${text.clearText}</button>`
        : nothing
    }
    ${refusal ? html`<p class="problem" role="alert">${refusalText(text, refusal, language)}</p>` : nothing}
  </div>`;
}

/** Takes a text that would be long together with the rest; a text area laid out with it would hold the page for seconds. */
function takeLong(added: string | undefined, rest: string, take: (text: string) => void): boolean {
  if (!added || !isLong(rest + added)) return false;
  take(added);
  return true;
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
