/** How block diagrams look, for the page's theme and for the elements: one list. */
export const DIAGRAM_CSS = `
.wire {
  fill: none;
  stroke: var(--_line-strong);
  stroke-width: 1.6;
}
.head {
  fill: var(--_line-strong);
}
.plus {
  fill: var(--_surface);
  stroke: var(--_line-strong);
  stroke-width: 1.6;
}
.box {
  fill: var(--_sunken);
  stroke: var(--_line-strong);
  stroke-width: 1.2;
}
.box-norm {
  fill: var(--_accent);
  stroke: var(--_accent);
}
.label {
  fill: var(--_ink);
  font: 600 0.875rem var(--_font);
}
.label-norm {
  fill: var(--_accent-ink);
}
`;
