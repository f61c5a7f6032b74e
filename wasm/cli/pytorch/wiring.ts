/** What the wiring fields come to in the text of a residual step: which norms, which factors, which are left out. */

/** The canonical spec of a plan: every field, snake_case. */
export type CanonicalSpec = Readonly<Record<string, string | number | boolean>>;
export type Slot = 'input' | 'output' | 'stream';

export const SLOTS: readonly Slot[] = ['input', 'output', 'stream'];

const slotsNamed = (names: string): Slot[] => SLOTS.filter((slot) => names.split('-').includes(slot));

/** Slots of the blocks that are no early ones; of the attention or the MLP step. */
export function ownSlots(spec: CanonicalSpec, mlp: boolean): Slot[] {
  if (spec.norm_kind === 'none') return [];
  if (mlp && spec.mlp_norms !== 'same') return slotsNamed(String(spec.mlp_norms));
  return SLOTS.filter((slot) => spec[`norm_${slot}`] === true);
}

/** Slots of the first blocks where they have slots of their own, else null. */
export function earlySlots(spec: CanonicalSpec): Slot[] | null {
  if (spec.norm_kind === 'none' || spec.early_norms === 'same' || !(Number(spec.early_fraction) > 0)) return null;
  return slotsNamed(String(spec.early_norms));
}

/** Whether no step, some steps or all steps of a sort (attention, MLP) have the slot. */
export function presence(spec: CanonicalSpec, slot: Slot, mlp: boolean): 'never' | 'sometimes' | 'always' {
  const own = ownSlots(spec, mlp).includes(slot);
  const early = earlySlots(spec)?.includes(slot) ?? own;
  return own && early ? 'always' : own || early ? 'sometimes' : 'never';
}
