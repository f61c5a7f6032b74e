import { unsafeCSS } from 'lit';
import { DIAGRAM_CSS } from '../charts/diagram-css.js';

export const diagramStyles = unsafeCSS(DIAGRAM_CSS);
