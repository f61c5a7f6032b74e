const BEFORE = [3.2, -1.8, 0.5, 2.1];
const AFTER = [1.1701, -1.4892, -0.2659, 0.5851];

/** The course example as a still picture, for readers without JavaScript. */
export function staticBars(): string {
  const label = 'x = [3.2, −1.8, 0.5, 2.1] → [1.1701, −1.4892, −0.2659, 0.5851]';
  return `<svg class="still" role="img" aria-label="${label}" viewBox="0 0 520 190">
    ${panel(BEFORE, 'x', 0, 22, 1)}${panel(AFTER, 'LayerNorm(x)', 270, 22, 4)}
  </svg>`;
}

function panel(values: readonly number[], title: string, left: number, scale: number, decimals: number): string {
  const bars = values.map((value, index) => {
    const x = left + 20 + index * 56;
    const length = Math.abs(value) * scale;
    const y = value < 0 ? 100 : 100 - length;
    const tone = value < 0 ? 'negative' : 'positive';
    const textY = value < 0 ? y + length + 16 : y - 6;
    return `<rect class="bar ${tone}" x="${x}" y="${y}" width="30" height="${length}" rx="2"/>
      <text class="label" x="${x + 15}" y="${textY}" text-anchor="middle">${value.toFixed(decimals).replace('-', '−')}</text>`;
  });
  return `<text class="label" x="${left + 20}" y="182">${title}</text>
    <line class="wire" x1="${left + 8}" x2="${left + 236}" y1="100" y2="100"/>${bars.join('')}`;
}
