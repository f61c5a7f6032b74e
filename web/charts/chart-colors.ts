/** Colours and font of the page as a canvas needs them: resolved, and read anew when the theme changes. */

export interface ChartColors {
  ink: string;
  muted: string;
  grid: string;
  paper: string;
  /** Font family at the host. */
  font: string;
}

const NAMES = ['ink', 'muted', 'grid', 'paper'] as const;

/**
 * Reads `--chart-ink`, `--chart-muted`, `--chart-grid` and `--chart-paper` at `host`.
 * A custom property may hold `light-dark(…)` or `var(…)`, so the browser computes it on a probe element.
 */
export function readChartColors(host: HTMLElement): ChartColors {
  const probe = document.createElement('span');
  probe.hidden = true;
  host.append(probe);
  const style = getComputedStyle(probe);
  const colors = { font: style.fontFamily } as ChartColors;
  for (const name of NAMES) {
    // As a background, so that forced colours make it the page's and not the text's.
    const property = name === 'paper' ? 'backgroundColor' : 'color';
    probe.style[property] = `var(--chart-${name})`;
    colors[name] = style[property];
  }
  probe.remove();
  return colors;
}

/** Resolves any CSS colour, e.g. `var(--series-blue)`, at `host`. */
export function resolveColor(host: HTMLElement, color: string): string {
  const probe = document.createElement('span');
  probe.hidden = true;
  probe.style.color = color;
  host.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

/** Calls `onChange` when the look of the page may have changed. Returns a function that stops watching. */
export function watchTheme(onChange: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map((q) => matchMedia(q));
  const observer = new MutationObserver(onChange);
  const attributeFilter = ['class', 'style', 'data-theme'];
  observer.observe(document.documentElement, { attributes: true, attributeFilter });
  if (document.body) observer.observe(document.body, { attributes: true, attributeFilter });
  for (const query of queries) query.addEventListener('change', onChange);
  document.fonts.addEventListener('loadingdone', onChange);
  return () => {
    document.fonts.removeEventListener('loadingdone', onChange);
    observer.disconnect();
    for (const query of queries) query.removeEventListener('change', onChange);
  };
}
