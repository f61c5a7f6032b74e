/**
 * Design tokens: [light, dark]. A page overrides one by setting `--normscope-<name>`; the elements and the page's own
 * theme both read this list.
 */
export const TOKENS = {
  paper: ['#fbfaf7', '#15171a'],
  surface: ['#ffffff', '#1c1f23'],
  sunken: ['#f3f1ec', '#23272c'],
  ink: ['#1d2126', '#e9ebee'],
  muted: ['#5a626b', '#a3acb6'],
  line: ['#e2dfd7', '#33383f'],
  'line-strong': ['#8a8f96', '#737b85'],
  accent: ['#2a5bc0', '#8fb4ff'],
  'accent-ink': ['#ffffff', '#10203f'],
  'accent-soft': ['#e8eefb', '#22304c'],
  positive: ['#3a6fd0', '#7ea8fb'],
  negative: ['#c8641b', '#f0995c'],
  alert: ['#a8321f', '#ff9b86'],
  'alert-soft': ['#fbeae6', '#43231d'],
  /** Placements, told apart by dash and marker too (after Okabe and Ito). */
  'series-none': ['#6b6f76', '#a3a9b2'],
  'series-post-ln': ['#b05a00', '#f0a73c'],
  'series-pre-ln': ['#c23b0a', '#ff8455'],
  'series-peri-ln': ['#00735c', '#3fc9a2'],
  'series-output-ln': ['#9a4f82', '#dd9cc6'],
  'series-sandwich-ln': ['#3d7a1c', '#8fd06a'],
  'series-ln-scaling': ['#b8254f', '#ff86a6'],
  'series-layerscale': ['#8a3fb0', '#cf9df2'],
  'series-rezero': ['#4f57c4', '#a3aaff'],
  'series-deepnorm': ['#8a6800', '#dcc04a'],
  'series-keel': ['#6b6d00', '#c6ca5c'],
  'series-mix-ln': ['#0069a8', '#63b6ef'],
  'series-hybridnorm': ['#00707f', '#4fc4d4'],
  'series-plain-ln': ['#77624a', '#c4ae92'],
} as const satisfies Record<string, readonly [string, string]>;

export type TokenName = keyof typeof TOKENS;

/** 'Normscope Signs' is the page's own alias of a local font for √ × ± ≤, which Korean fonts draw at full width. */
export const FONT_STACK =
  "'Normscope Signs', Pretendard, -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Apple SD Gothic Neo', 'Malgun Gothic', " +
  "'Noto Sans KR Variable', 'Noto Sans KR', 'Noto Sans CJK KR', system-ui, sans-serif";

/** `selector { --_ink: var(--normscope-ink, light-dark(…)); … }`: what an element's styles use as var(--_ink). */
export function tokensCss(selector = ':host'): string {
  const lines = Object.entries(TOKENS).map(
    ([name, [light, dark]]) => `--_${name}: var(--normscope-${name}, light-dark(${light}, ${dark}));`,
  );
  return `${selector} { ${lines.join(' ')} --_font: var(--normscope-font, ${FONT_STACK}); }`;
}
