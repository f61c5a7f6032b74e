import { svg, type SVGTemplateResult } from 'lit';

/** Parts of a whole on one bar that fills its svg's width; geometry in percent. `name` becomes the part's class. */
export function stackedBar(parts: readonly { name: string; value: number }[]): SVGTemplateResult {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  let left = 0;
  const rects = parts.map(({ name, value }) => {
    const width = total > 0 ? (100 * value) / total : 0;
    const rect = svg`<rect class="part ${name}" x="${left}%" width="${width}%" y="0" height="100%" />`;
    left += width;
    return rect;
  });
  return svg`${rects}`;
}
