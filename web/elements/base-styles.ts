import { css, unsafeCSS } from 'lit';
import { tokensCss } from './tokens.js';

/** What every element shares: tokens, type, and the native controls in one calm dress. */
export const baseStyles = css`
  ${unsafeCSS(tokensCss())}
  :host {
    display: block;
    color: var(--_ink);
    font: 1rem / 1.6 var(--_font);
    accent-color: var(--_accent);
    container-type: inline-size;
    -webkit-text-size-adjust: 100%;
    text-size-adjust: 100%;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  :lang(ko) {
    word-break: keep-all;
    overflow-wrap: anywhere;
  }
  em {
    font-style: normal;
  }
  h3 {
    margin: 0;
    font-size: 1.0625rem;
    font-weight: 650;
    line-height: 1.4;
  }
  p {
    margin: 0;
  }
  .aside,
  .why,
  .quiet {
    color: var(--_muted);
    font-size: 0.875rem;
    font-weight: 400;
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  button,
  input,
  textarea,
  select {
    font: inherit;
    color: inherit;
  }
  button,
  select,
  textarea,
  input[type='text'],
  input.number {
    min-height: 2.25rem;
    border: 1px solid var(--_line-strong);
    border-radius: 8px;
    background: var(--_surface);
  }
  button {
    padding: 0.25rem 0.9rem;
    font-weight: 550;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    border-color: var(--_accent);
    color: var(--_accent);
  }
  button.plain {
    border-color: transparent;
    background: none;
    color: var(--_accent);
  }
  button.plain:hover {
    text-decoration: underline;
  }
  :disabled {
    opacity: 0.5;
    cursor: default;
  }
  select,
  textarea,
  input[type='text'],
  input.number {
    padding: 0.25rem 0.6rem;
    font-variant-numeric: tabular-nums;
  }
  [aria-invalid='true'] {
    border-color: var(--_alert) !important;
    background: var(--_alert-soft);
  }
  input[type='range'] {
    width: 100%;
    min-height: 1.75rem;
    margin: 0;
    touch-action: pan-y;
    cursor: pointer;
  }
  .check {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 1.75rem;
    cursor: pointer;
  }
  .check input {
    flex: none;
    width: 1.125rem;
    height: 1.125rem;
    margin: 0;
  }
  .problem {
    margin-top: 0.375rem;
    padding: 0.375rem 0.75rem;
    border-radius: 6px;
    background: var(--_alert-soft);
    color: var(--_alert);
    font-size: 0.875rem;
  }
  summary {
    width: fit-content;
    min-height: 1.75rem;
    padding: 0.125rem 0;
    color: var(--_muted);
    font-size: 0.875rem;
    cursor: pointer;
  }
  summary:hover {
    color: var(--_ink);
  }
  .scroll {
    position: relative;
    overflow-x: auto;
    border-radius: 6px;
  }
  .formula math {
    display: inline math;
    font-size: 1.0625em;
    math-style: normal;
  }

  /* A set of radio buttons that reads as one switch. */
  .choices {
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .choices legend {
    padding: 0 0 0.375rem;
    color: var(--_muted);
    font-size: 0.8125rem;
  }
  .options {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
  }
  .option {
    position: relative;
    display: inline-flex;
    cursor: pointer;
  }
  .option input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    margin: 0;
    opacity: 0;
    cursor: pointer;
  }
  .option span {
    display: inline-flex;
    align-items: center;
    min-height: 2rem;
    padding: 0.125rem 0.75rem;
    border: 1px solid var(--_line);
    border-radius: 999px;
    background: var(--_surface);
    font-size: 0.9375rem;
    white-space: nowrap;
  }
  .option:hover span {
    border-color: var(--_line-strong);
  }
  .option input:checked + span {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    color: var(--_accent);
    font-weight: 600;
  }
  .option input:focus-visible + span {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }

  @media (forced-colors: active) {
    .option input:checked + span {
      background: Highlight;
      color: HighlightText;
      forced-color-adjust: none;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      transition: none !important;
      animation: none !important;
    }
  }
`;
