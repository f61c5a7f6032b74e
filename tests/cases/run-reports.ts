/** Runs the numeric cases of reports.json through the package and says how far off the results are. */
import type { DeviceWish } from 'normscope';
import { OP_NAMES, runOp } from 'normscope/testing';
import { caseAsWritten, complaints, reportCasesOf, type ReportCase } from './expand.js';

/** Every case whose op the package has. */
export const reportCases: ReportCase[] = reportCasesOf(...OP_NAMES);

/** Runs the case and returns one sentence for each output that is off; an empty list is a pass. */
export async function runReport(report: ReportCase, device?: DeviceWish): Promise<string[]> {
  const outputs = await runOp({
    op: report.op,
    params: report.params,
    inputs: caseAsWritten(report.id).inputs,
    device,
  });
  const tolerance = device === 'webgpu' ? report.tolerance.gpu : report.tolerance.cpu;
  const outcomes = Object.entries(report.expected).filter(([name]) => !DESCRIPTIONS.test(name));
  const isText = ([, value]: [string, unknown]): boolean => typeof value === 'string';
  const texts = outcomes.filter(isText).filter(([name, right]) => outputs[name] !== right);
  const numbers = Object.fromEntries(outcomes.filter((entry) => !isText(entry)));
  const arrays = Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, asArray(value)]));
  return [
    ...texts.map(([name, right]) => `${name} is ${String(outputs[name])}, not ${String(right)}`),
    ...complaints({ ...report, expected: numbers }, arrays, tolerance),
  ];
}

/** Names in `expected` that describe a fault or a rule instead of an output; tests of their own check the rules. */
const DESCRIPTIONS = /^wrong_|_for_any_do$|^dv_equals$|^rule$|^d_if_sent_as_f32$/;

const asArray = (value: unknown): ArrayLike<number> =>
  ArrayBuffer.isView(value) || Array.isArray(value) ? (value as ArrayLike<number>) : [Number(value)];
