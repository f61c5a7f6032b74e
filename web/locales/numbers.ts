import type { Language } from './language.js';

export interface NumberStyle {
  /** Digits after the point. Default 3. */
  decimals?: number;
  /** Group thousands. Default false, so that a shown number can be pasted back. */
  group?: boolean;
}

/** Fixed decimals; never '-0.000', and a non-finite value is shown as what it is. */
export function formatNumber(value: number, { decimals = 3, group = false }: NumberStyle = {}): string {
  if (!Number.isFinite(value)) return String(value);
  const text = fixed(value, decimals, group);
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text;
}

function fixed(value: number, decimals: number, group: boolean): string {
  if (!group && Math.abs(value) < 1e21) return value.toFixed(decimals);
  return new Intl.NumberFormat('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    useGrouping: group,
  }).format(value);
}

/** A number of any size in few characters: 4 significant digits, powers of ten outside 10⁻³…10⁶; a true minus sign. */
export function formatCompact(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return minus(trimZeros(value.toPrecision(digits)));
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
  return minus(`${trimZeros(mantissa)}×10${superscript(Number(exponent))}`);
}

/** Like formatNumber, for reading, not for pasting: the typographic minus, and a power of ten from 10⁶ upward. */
export function formatRead(value: number, decimals = 3): string {
  if (Math.abs(value) >= 1e6) return formatCompact(value, Math.max(4, decimals + 1));
  return minus(formatNumber(value, { decimals }));
}

/** A slope or an exponent: two decimals, a true minus sign, no negative zero. */
export function formatSlope(value: number): string {
  return Number.isFinite(value) ? formatRead(value, 2) : '–';
}

/** `[3.200, −1.800]` */
export function formatVector(values: ArrayLike<number>, decimals = 3): string {
  return `[${Array.from(values, (value) => formatRead(value, decimals)).join(', ')}]`;
}

/** Counts and other whole numbers with the language's grouping. */
export function formatCount(value: number, language: Language): string {
  return Number.isFinite(value) ? new Intl.NumberFormat(language).format(value) : String(value);
}

/** A count to be read at a glance: whole below a million, then four digits and the language's own unit (124.4M, 1.244억). */
export function formatAmount(value: number, language: Language): string {
  if (!(Math.abs(value) >= 1e6)) return formatCount(value, language);
  return new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 4 }).format(value);
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Memory in three digits: 12.3 MiB, 1.44 GiB. The units are powers of 1024, as the limits of GPUs are. */
export function formatBytes(bytes: number, language: Language): string {
  if (!Number.isFinite(bytes)) return String(bytes);
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const digits = power ? { minimumSignificantDigits: 3, maximumSignificantDigits: 3 } : {};
  return `${new Intl.NumberFormat(language, digits).format(bytes / 1024 ** power)} ${BYTE_UNITS[power]}`;
}

function trimZeros(text: string): string {
  if (/e/i.test(text)) return String(Number(text));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function minus(text: string): string {
  return text.replace('-', '−');
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function superscript(exponent: number): string {
  const digits = Array.from(String(Math.abs(exponent)), (digit) => SUPERSCRIPTS[Number(digit)]);
  return (exponent < 0 ? '⁻' : '') + digits.join('');
}
