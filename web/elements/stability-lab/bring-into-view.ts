/** Opens what hides the element and scrolls to it, without movement for readers who asked for none. */
export function bringIntoView(element: Element | null): void {
  if (!element) return;
  for (let details = element.closest('details'); details; details = details.parentElement?.closest('details') ?? null)
    details.open = true;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  element.scrollIntoView({ block: 'center', behavior: still ? 'auto' : 'smooth' });
}
