import { css } from 'lit';

/** The panel of settings. */
export const settingsStyles = css`
  .settings {
    border: 1px solid var(--_line);
    border-radius: 12px;
    background: var(--_surface);
  }
  .settings > summary {
    width: auto;
    padding: 0.625rem 1rem;
    color: var(--_ink);
    font-size: 0.9375rem;
    font-weight: 600;
  }
  .settings-body {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.25rem;
    padding: 0.25rem 1rem 1.125rem;
  }
  .settings .choices {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.125rem;
  }
  .settings .choices legend {
    color: var(--_ink);
    font-size: 0.875rem;
    font-weight: 600;
  }
  .settings .check {
    font-size: 0.9375rem;
    line-height: 1.4;
  }
  .placement {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr) auto;
    gap: 0 0.5rem;
    padding: 0.1875rem 0;
  }
  .placement > input {
    grid-row: 1 / 3;
  }
  .equation,
  .users {
    grid-column: 2 / -1;
    color: var(--_muted);
    font-size: 0.75rem;
    overflow-wrap: anywhere;
  }
  .users {
    margin-top: 0.125rem;
    padding-inline-start: 0.5rem;
    border-inline-start: 2px solid var(--_line);
  }
  .family > summary {
    min-height: 2rem;
    color: var(--_ink);
    font-size: 0.9375rem;
  }
  .count {
    margin-inline-start: 0.25rem;
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .family .placement,
  .own-row {
    padding-inline-start: 0.25rem;
  }
  .choices > .plain {
    justify-self: start;
    padding-inline: 0;
    text-align: start;
  }
  .fields {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr));
    gap: 0.875rem 1.5rem;
  }
  .advanced .fields {
    margin-top: 0.5rem;
  }
  .field {
    display: grid;
    grid-template-columns: minmax(0, 1fr) 5.5rem;
    gap: 0 0.75rem;
    align-items: center;
    align-content: start;
  }
  .field label {
    font-size: 0.9375rem;
  }
  .field .number {
    min-height: 2rem;
    text-align: end;
  }
  .field .slider,
  .field .hint,
  .field .problem {
    grid-column: 1 / -1;
  }
  .field .hint {
    margin-top: -0.125rem;
  }
  .own {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.375rem;
    margin-top: 0.375rem;
  }
  .own label {
    font-size: 0.875rem;
  }
  .own textarea {
    width: 100%;
    resize: vertical;
    font-size: 0.875rem;
    line-height: 1.5;
  }
  .file {
    position: relative;
    justify-self: start;
    display: inline-flex;
    align-items: center;
    min-height: 2rem;
    padding: 0 0.875rem;
    border: 1px solid var(--_line-strong);
    border-radius: 8px;
    cursor: pointer;
  }
  .file input {
    position: absolute;
    inset: 0;
    width: 100%;
    opacity: 0;
    cursor: pointer;
  }
  .file:focus-within {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .changed {
    padding-inline-start: 0.625rem;
    border-inline-start: 3px solid var(--_accent);
  }
`;
