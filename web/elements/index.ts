/**
 * Registers every element on import. Safe to import twice, from two copies, and in Node, where it does nothing.
 */
import { NormscopeAnalysis } from './analysis/analysis.js';
import { NormscopeLens } from './lens/lens.js';
import { NormscopeMemory } from './memory/memory-element.js';
import { NormscopeStabilityLab } from './stability-lab/stability-lab.js';
import { NormscopeWiring } from './wiring/wiring-element.js';

export { NormscopeAnalysis, NormscopeLens, NormscopeMemory, NormscopeStabilityLab, NormscopeWiring };

const ELEMENTS: Record<string, CustomElementConstructor> = {
  'normscope-analysis': NormscopeAnalysis,
  'normscope-lens': NormscopeLens,
  'normscope-memory': NormscopeMemory,
  'normscope-stability-lab': NormscopeStabilityLab,
  'normscope-wiring': NormscopeWiring,
};

/** Defines the elements that this page does not know yet. Runs on import; exported so that bundlers keep it. */
export function defineElements(): void {
  if (typeof window === 'undefined' || typeof customElements === 'undefined') return;
  for (const [name, element] of Object.entries(ELEMENTS)) {
    if (!customElements.get(name)) customElements.define(name, element);
  }
}

defineElements();
