/** The reader's choices, kept where the browser allows it and in memory where it does not (frames, private windows). */
const memory = new Map<string, string>();

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`normscope-${name}`) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

export function remember(name: string, value: string): void {
  memory.set(name, value);
  try {
    localStorage.setItem(`normscope-${name}`, value);
  } catch {
    // Storage is refused here; memory serves until the page closes.
  }
}
