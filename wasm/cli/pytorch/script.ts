/** A PyTorch script of one spec: the same model, data and training, as a researcher would write them down. */
import { dataSection, type ScriptData } from './data.js';
import { modelSection, stepConstants } from './model.js';
import { lines, literal } from './python.js';
import { randomSection } from './random.js';
import { trainingConstants, trainingSection } from './training.js';
import type { CanonicalSpec } from './wiring.js';

export type { ScriptData } from './data.js';

export interface ScriptRequest {
  /** Every field, as a plan prints it. */
  spec: CanonicalSpec;
  data: ScriptData;
  steps: number;
  version: string;
  /** What the script is called in its own usage line. */
  name: string;
}

export function pytorchScript({ spec, data, steps, version, name }: ScriptRequest): string {
  const parts = [
    header(spec, data, steps, version, name),
    sizes(spec),
    randomSection(spec),
    dataSection(data, spec),
    modelSection(spec),
    trainingSection(spec),
  ];
  return tidy(parts.join('\n'));
}

/** Two empty lines between top-level parts, none doubled beyond that. */
const tidy = (text: string): string => text.replace(/\n{4,}/g, '\n\n\n').replace(/[ \t]+$/gm, '');

const header = (spec: CanonicalSpec, data: ScriptData, steps: number, version: string, name: string): string => `\
#!/usr/bin/env python3
"""A transformer with the norm placement '${spec.placement}' and the fields below, written by Normscope ${version}.

    python3 ${name} [--steps ${steps}] [--device cuda] [--load snapshot.json] [--save model.pt] [--json]

The same as in Normscope with the same seed: names, shapes and initial values of the parameters, batches, dropout masks,
forward pass, loss, clipping, updates and schedule. Not the same: the order in which numbers are summed. So losses agree
to about six digits while training is stable, and drift apart where it is not.${rounding(spec)}
"""
import argparse
import json
import math
${spec.decay_gamma === true && spec.decay1d !== true ? 'import re\n' : ''}import sys

import torch
from torch import nn
from torch.nn import functional as F

PARSER = argparse.ArgumentParser(description="Trains the model.")
PARSER.add_argument("--steps", type=int, default=${steps})
PARSER.add_argument("--device", default="cpu")
PARSER.add_argument("--load", metavar="FILE", help="start from the parameters of a snapshot (JSON)")
PARSER.add_argument("--save", metavar="FILE", help="write the trained parameters (PyTorch)")
PARSER.add_argument("--every", type=int, default=50, help="steps between two tables of the residual stream")
PARSER.add_argument("--json", action="store_true", help="one JSON object per step")
${'file' in data ? `PARSER.add_argument("--text", metavar="FILE", default=${literal(data.file)})\n` : ''}ARGUMENTS = PARSER.parse_args()
`;

const rounding = (spec: CanonicalSpec): string =>
  spec.format === 'fp32'
    ? ''
    : `\nThe residual stream and what the branches add to it are rounded to ${spec.format}; all else is computed in fp32.`;

const sizes = (spec: CanonicalSpec): string =>
  lines(
    '# Sizes and numbers',
    `N_LAYER, D_MODEL, N_HEAD = ${spec.n_layer}, ${spec.d_model}, ${spec.n_head}`,
    `D_FF = ${spec.d_ff || '4 * D_MODEL'}`,
    `N_BATCH, N_CTX = ${spec.n_batch}, ${spec.n_ctx}`,
    `EPS = ${spec.eps === 0 ? '0.0' : literal(spec.eps!)}  # stabiliser inside the roots of the norms`,
    stepConstants(spec),
    trainingConstants(spec),
  ) + '\n';
