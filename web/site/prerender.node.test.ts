import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { page, SOURCES } from '../locales/page.js';
import { prerender } from './prerender.js';

type Handler = (html: string) => string;
const { handler } = prerender().transformIndexHtml as unknown as { handler: Handler };
const html = handler(readFileSync(new URL('./index.html', import.meta.url), 'utf8'));

describe('the page without JavaScript', () => {
  test('holds the whole text in Korean and in English', () => {
    for (const language of ['en', 'ko'] as const) {
      const { lead, noScript, fallback, fallbackLab, slow, placements } = page[language];
      for (const text of [lead, noScript, fallback, fallbackLab, slow, placements['peri-ln'].text])
        expect(html).toContain(text);
    }
  });

  test('draws a diagram per placement and language, and a still picture of the course example', () => {
    expect(html.match(/class="block-diagram"/g)).toHaveLength(6);
    expect(html).toContain('class="still"');
  });

  test('has every formula spoken, and no slot left empty', () => {
    const labels = [...html.matchAll(/role="math" aria-label="([^"]+)"/g)].map(([, label]) => label!);
    expect(labels.length).toBeGreaterThan(10);
    expect(labels.some((label) => /[가-힣]/.test(label))).toBe(true);
    expect(html).not.toMatch(/<!-- @|\{\{/);
  });

  test('asks nothing of other hosts and needs no inline style or script', () => {
    expect(html).not.toMatch(/(?:src|srcset)="https?:|<link[^>]+https?:/);
    expect(html).not.toMatch(/ style=|<style|<script(?![^>]*src=)/);
    expect(html.match(/<a href="https:/g)).toHaveLength(SOURCES.length);
  });
});
