/** Which figures belong to which theme, in reading order. */
import type { AnalysisMessages, ThemeName } from '../../locales/analysis.js';
import { gradientFigure, normJacobianFigure, scaleFigure, sensitivityFigure, wholeNetFigure } from './backward.js';
import { ellipsoidFigure, hamiltonianFigure } from './control.js';
import { changeFigure, dropFigure, massiveFigure, similarityFigure } from './depth.js';
import type { Figure } from './figure.js';
import { growthFigure, momentFigure } from './forward.js';
import { pathFigure } from './path.js';
import type { AnalysedNet } from './subjects.js';
import { distanceFigure, relativeDistanceFigure } from './uncertainty.js';
import { gammaFigure, matrixFigure } from './weights.js';

/** What the reader chose inside a theme. */
export interface ThemeChoice {
  /** Step of the Hamiltonian, counted from 0. */
  step: number;
  /** Net of the ellipsoid. */
  net: number;
}

type Maker = (text: AnalysisMessages, nets: readonly AnalysedNet[], choice: ThemeChoice) => Figure | null;

export const THEMES: Record<ThemeName, readonly Maker[]> = {
  forward: [
    (text, nets) => momentFigure(text, nets, 'meanAbs'),
    (text, nets) => momentFigure(text, nets, 'entryVariance'),
    (text, nets) => momentFigure(text, nets, 'dataVariance'),
    growthFigure,
  ],
  backward: [sensitivityFigure, scaleFigure, wholeNetFigure, gradientFigure, normJacobianFigure],
  control: [
    (text, nets, { step }) => hamiltonianFigure(text, nets, step),
    (text, nets, { net }) => ellipsoidFigure(text, nets[net]),
  ],
  uncertainty: [distanceFigure, relativeDistanceFigure],
  depth: [
    dropFigure,
    (text, nets) => changeFigure(text, nets, 'cosine'),
    (text, nets) => changeFigure(text, nets, 'relativeChange'),
    similarityFigure,
    massiveFigure,
  ],
  weights: [
    (text, nets) => matrixFigure(text, nets, 'matrixNorm'),
    (text, nets) => matrixFigure(text, nets, 'matrixGrad'),
    (text, nets) => matrixFigure(text, nets, 'matrixProduct'),
    gammaFigure,
    (text, nets) => pathFigure(text, nets, 'pathNorm'),
    (text, nets) => pathFigure(text, nets, 'pathRate'),
    (text, nets) => pathFigure(text, nets, 'pathGamma'),
    (text, nets) => pathFigure(text, nets, 'pathLoss'),
  ],
};

export const THEME_NAMES = Object.keys(THEMES) as ThemeName[];

export function figuresOf(
  theme: ThemeName,
  text: AnalysisMessages,
  nets: readonly AnalysedNet[],
  choice: ThemeChoice,
): Figure[] {
  return THEMES[theme].flatMap((make) => make(text, nets, choice) ?? []);
}
