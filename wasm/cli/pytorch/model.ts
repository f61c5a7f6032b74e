import { indent, lines, literal } from './python.js';
import { earlySlots, ownSlots, presence, type CanonicalSpec, type Slot } from './wiring.js';

/** One residual step of a block: the names that Normscope gives to its parts. */
interface Step {
  branch: string;
  norms: string;
  scale: string;
  point: string;
  mlp: boolean;
}
const ATTENTION: Step = {
  branch: 'attn',
  norms: 'ln_attn',
  scale: 'scale_attn',
  point: 'resid_mid',
  mlp: false,
};
const MLP: Step = { branch: 'mlp', norms: 'ln_mlp', scale: 'scale_mlp', point: 'resid_post', mlp: true };
const SUBLAYER: Step = { branch: 'sublayer', norms: 'ln', scale: 'scale', point: 'resid_post', mlp: false };

const stepsOf = (spec: CanonicalSpec): Step[] => (spec.block === 'sublayer' ? [SUBLAYER] : [ATTENTION, MLP]);
const hasNorms = (spec: CanonicalSpec): boolean => spec.norm_kind !== 'none';

/** The network, from `norm` to `Transformer`. */
export const modelSection = (spec: CanonicalSpec): string =>
  [
    normSection(spec),
    formatSection(spec),
    dropoutSection(spec),
    ...(spec.block === 'sublayer' ? [] : [headNormSection(spec), attentionSection(spec), mlpSection(spec)]),
    slotsSection(spec),
    blockSection(spec),
    transformerSection(spec),
  ].join('');

const RMSNORM = `
class RMSNorm(nn.Module):
    """weight * x / sqrt(mean(x^2) + eps)"""

    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS)
`;
const PLAIN_RMSNORM = `
class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + eps), without a gain"""

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS)
`;
const rmsNorm = (affine: boolean): string => (affine ? RMSNORM : PLAIN_RMSNORM);

const DYT = (affine: boolean): string => `
class DyT(nn.Module):
    """${affine ? 'weight * tanh(alpha x) + bias' : 'tanh(alpha x)'}: no statistics at all (Zhu et al. 2025)"""

    def __init__(self, d):
        super().__init__()
        self.alpha = nn.Parameter(torch.full((1,), DYT_ALPHA))
${affine ? '        self.weight, self.bias = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))\n' : ''}
    def forward(self, x):
        return ${affine ? 'self.weight * torch.tanh(self.alpha * x) + self.bias' : 'torch.tanh(self.alpha * x)'}
`;

const BATCHNORM = (affine: boolean): string => `
class BatchNorm(nn.BatchNorm1d):
    """Per feature over all tokens of the batch; running statistics in evaluation."""

    def __init__(self, d):
        super().__init__(d, eps=EPS, momentum=BN_MOMENTUM${affine ? '' : ', affine=False'})

    def forward(self, x):
        return super().forward(x.flatten(0, 1)).view_as(x)
`;

function normSection(spec: CanonicalSpec): string {
  const affine = spec.norm_affine === true;
  switch (spec.norm_kind) {
    case 'none':
      return '';
    case 'rmsnorm':
      return `\n${rmsNorm(affine)}\n\ndef norm(d):\n    return RMSNorm(${affine ? 'd' : ''})\n`;
    case 'dyt':
      return `\nDYT_ALPHA = ${literal(spec.dyt_alpha!)}\n\n${DYT(affine)}\n\ndef norm(d):\n    return DyT(d)\n`;
    case 'batchnorm':
      return `\nBN_MOMENTUM = ${literal(spec.bn_momentum!)}\n\n${BATCHNORM(affine)}\n\ndef norm(d):\n    return BatchNorm(d)\n`;
    default:
      return `\n\ndef norm(d):\n    return nn.LayerNorm(d, eps=EPS${affine ? '' : ', elementwise_affine=False'})\n`;
  }
}

/** What normalizes queries and keys per head; RMSNorm where the model's own norm cannot. */
function headNormSection(spec: CanonicalSpec): string {
  if (!normalizedProjections(spec).length) return '';
  const affine = spec.norm_affine === true;
  if (spec.norm_kind === 'layernorm') return '\n\nhead_norm = norm\n';
  const own = spec.norm_kind === 'rmsnorm' ? '' : `\n${rmsNorm(affine)}\n`;
  return `${own}\n\ndef head_norm(d):\n    return RMSNorm(${affine ? 'd' : ''})\n`;
}

const normalizedProjections = (spec: CanonicalSpec): string[] =>
  spec.qk_norm === 'none' || !hasNorms(spec) ? [] : spec.qk_norm === 'qk' ? ['q', 'k'] : ['q', 'k', 'v'];

function formatSection(spec: CanonicalSpec): string {
  if (spec.format === 'fp32') return '';
  const type = spec.format === 'fp16' ? 'float16' : 'bfloat16';
  return `

class Rounded(torch.autograd.Function):
    """To ${spec.format} and back in the forward pass; the gradient passes as it is."""

    @staticmethod
    def forward(ctx, x):
        return x.to(torch.${type}).to(x.dtype)

    @staticmethod
    def backward(ctx, gradient):
        return gradient
`;
}

const dropoutSection = (spec: CanonicalSpec): string =>
  Number(spec.dropout) > 0
    ? `

DROPOUT_RATE = ${literal(spec.dropout!)}


def dropout(x, name, step):
    """The mask depends on the seed, the name of the place and the step."""
    words = random_words(SEED, DROPOUT, stream_of(name + ".dropout"), step, x.numel(), x.device)
    kept = (words >= int(DROPOUT_RATE * 2**32)).view_as(x)
    return torch.where(kept, x / (1 - DROPOUT_RATE), torch.zeros_like(x))
`
    : '';

function attentionSection(spec: CanonicalSpec): string {
  const normalized = normalizedProjections(spec);
  const project = (name: string): string =>
    normalized.includes(name) ? `self.${name}_norm(heads(self.${name}_proj(x)))` : `heads(self.${name}_proj(x))`;
  const causal = spec.causal === true;
  return `

def attend(q, k, v):
    """Scaled dot-product attention, [N_BATCH, N_HEAD, N_CTX, D_HEAD] each."""
    if hasattr(F, "scaled_dot_product_attention"):  # PyTorch 2
        return F.scaled_dot_product_attention(q, k, v${causal ? ', is_causal=True' : ''})
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
${causal ? '    scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -math.inf)\n' : ''}    return scores.softmax(-1) @ v


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj = nn.Linear(D_MODEL, D_MODEL), nn.Linear(D_MODEL, D_MODEL)
        self.v_proj, self.out_proj = nn.Linear(D_MODEL, D_MODEL), nn.Linear(D_MODEL, D_MODEL)
${normalized.map((name) => `        self.${name}_norm = head_norm(D_MODEL // N_HEAD)\n`).join('')}
    def forward(self, x):
        def heads(y):
            return y.unflatten(-1, (N_HEAD, -1))

        q, k, v = ${project('q')}, ${project('k')}, ${project('v')}
        y = attend(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
        return self.out_proj(y.transpose(1, 2).flatten(-2))
`;
}

const ACTIVATIONS: Record<string, (x: string) => string> = {
  relu: (x) => `F.relu(${x})`,
  tanh: (x) => `torch.tanh(${x})`,
  gelu_erf: (x) => `F.gelu(${x})`,
  gelu_tanh: (x) => `F.gelu(${x}, approximate="tanh")`,
};

const mlpSection = (spec: CanonicalSpec): string => `

class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(D_MODEL, D_FF), nn.Linear(D_FF, D_MODEL)

    def forward(self, x):
        return self.fc2(${ACTIVATIONS[String(spec.activation)]!('self.fc1(x)')})
`;

const set = (slots: readonly Slot[]): string => `{${slots.map((slot) => `"${slot}"`).join(', ') || ''}}`;

/** Only where blocks differ: which norms a step has, as a rule that holds at any depth. */
function slotsSection(spec: CanonicalSpec): string {
  const early = earlySlots(spec);
  if (!early) return '';
  const [attention, mlp] = [ownSlots(spec, false), ownSlots(spec, true)];
  const named = (slots: Slot[]): string => (slots.length ? set(slots) : 'set()');
  const own = set(attention) === set(mlp) ? named(attention) : `${named(mlp)} if mlp else ${named(attention)}`;
  return `

def norms_of(layer, mlp):
    """Places of a residual step at which it has a norm; layers count from 0."""
    if layer + 1 <= ${literal(spec.early_fraction!)} * N_LAYER + 1e-9:
        return ${named(early)}
    return ${own}
`;
}

const SUFFIX: Record<Slot, string> = { input: 'in', output: 'out', stream: 'stream' };
const normName = ({ norms }: Step, slot: Slot): string => `${norms}_${SUFFIX[slot]}`;

function makeNorm(spec: CanonicalSpec, step: Step, slot: Slot): string | null {
  const when = presence(spec, slot, step.mlp);
  if (when === 'never') return null;
  const made =
    when === 'always'
      ? 'norm(D_MODEL)'
      : `norm(D_MODEL) if "${slot}" in norms_of(layer, mlp=${literal(step.mlp)}) else nn.Identity()`;
  return `self.${normName(step, slot)} = ${made}`;
}

function makeScale(spec: CanonicalSpec, step: Step): string | null {
  if (spec.branch_scale === 'none') return null;
  const size = spec.branch_scale === 'scalar' ? '1' : 'D_MODEL';
  return `self.${step.scale} = nn.Parameter(torch.full((${size},), BRANCH_SCALE_INIT))`;
}

/** The lines that lead from x to the next residual point; what the wiring leaves out does not appear. */
function stepLines(spec: CanonicalSpec, step: Step): string {
  const has = (slot: Slot): boolean => presence(spec, slot, step.mlp) !== 'never';
  const apply = (slot: Slot, x: string): string => (has(slot) ? `self.${normName(step, slot)}(${x})` : x);
  const round = (x: string): string => (spec.format === 'fp32' ? x : `Rounded.apply(${x})`);
  const point = `f"blocks.{self.layer}.${step.point}"`;

  const scale = spec.branch_scale === 'none' ? '' : `self.${step.scale} * `;
  const branch = `self.${step.branch}(${scaledInput(spec, step, has('input') ? 'n' : 'x')})`;
  const skip = step.mlp && spec.mlp_skip === 'normed' ? 'n' : 'x';
  const drops = Number(spec.dropout) > 0;
  // The equation in one line; with dropout or rounding in between, the same in several.
  const inOneLine = `x = ${apply('stream', sumOf(spec, skip, scale + apply('output', branch)))}`;
  const inSteps = [
    `branch = ${drops ? `dropout(${branch}, ${point}, step)` : branch}`,
    `branch = ${round(scale + apply('output', 'branch'))}`,
    `x = ${round(sumOf(spec, skip, 'branch'))}`,
    has('stream') && `x = ${round(apply('stream', 'x'))}`,
  ].filter((line) => line !== 'branch = branch');
  return lines(
    has('input') && `n = self.${normName(step, 'input')}(x)`,
    ...(drops || spec.format !== 'fp32' ? inSteps : [inOneLine]),
    `points.append((${point}, x))`,
  );
}

/** c · N_in(x); a step without an input norm has no c. */
function scaledInput(spec: CanonicalSpec, step: Step, input: string): string {
  if (spec.depth_scale === 'none' || input !== 'n') return input;
  const always = presence(spec, 'input', step.mlp) === 'always';
  const factor = '(self.layer + 1) ** -0.5';
  return always
    ? `${factor} * n`
    : `(${factor} if "input" in norms_of(self.layer, mlp=${literal(step.mlp)}) else 1) * n`;
}

function sumOf(spec: CanonicalSpec, skip: string, branch: string): string {
  const step = spec.dt === 1 ? branch : `DT * ${branch}`;
  if (spec.residual !== true) return step;
  return `${hasAlpha(spec) ? `ALPHA * ${skip}` : skip} + ${step}`;
}

const hasAlpha = (spec: CanonicalSpec): boolean =>
  spec.residual === true && (spec.alpha !== 1 || spec.alpha_rule !== 'fixed');

/** The factor of the skip path as a rule that holds at any depth. */
function alphaValue(spec: CanonicalSpec): string {
  const rule = { deepnorm: '(2 * N_LAYER) ** 0.25', 'n-layer': 'N_LAYER' }[String(spec.alpha_rule)];
  const own = literal(spec.alpha!);
  return rule ? (spec.alpha === 1 ? rule : `${own} * ${rule}`) : own;
}

/** Numbers of the residual step that differ from 1. */
export const stepConstants = (spec: CanonicalSpec): string =>
  lines(
    hasAlpha(spec) && `ALPHA = ${alphaValue(spec)}  # factor of the skip path`,
    spec.dt !== 1 && `DT = ${literal(spec.dt!)}  # residual step`,
    spec.branch_scale !== 'none' && `BRANCH_SCALE_INIT = ${literal(Number(spec.branch_scale_init))} * 1.0`,
  );

function blockSection(spec: CanonicalSpec): string {
  const steps = stepsOf(spec);
  const branches = { attn: 'Attention()', mlp: 'MLP()', sublayer: 'nn.Linear(D_MODEL, D_MODEL)' };
  const parts = steps.map((step) =>
    lines(
      `self.${step.branch} = ${branches[step.branch as keyof typeof branches]}`,
      ...(['input', 'output', 'stream'] as const).map((slot) => makeNorm(spec, step, slot)),
      makeScale(spec, step),
    ),
  );
  const step = Number(spec.dropout) > 0 ? ', step' : '';
  return `

class Block(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
${indent(parts.join('\n'), ' '.repeat(8))}

    def forward(self, x, points${step}):
${indent(steps.map((each) => stepLines(spec, each)).join('\n'), ' '.repeat(8))}
        return x
`;
}

function transformerSection(spec: CanonicalSpec): string {
  const step = Number(spec.dropout) > 0 ? ', step' : '';
  const embeddingNorm = hasNorms(spec) && spec.norm_embedding === true;
  const finalNorm = hasNorms(spec) && spec.norm_final === true;
  const sum = 'self.token_embedding(tokens) + self.position_embedding.weight';
  const embedded = embeddingNorm ? `self.ln_embedding(${sum})` : sum;
  return `

class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embedding = nn.Embedding(N_VOCAB, D_MODEL)
        self.position_embedding = nn.Embedding(N_CTX, D_MODEL)
${embeddingNorm ? '        self.ln_embedding = norm(D_MODEL)\n' : ''}        self.blocks = nn.ModuleList(Block(layer) for layer in range(N_LAYER))
${finalNorm ? '        self.ln_final = norm(D_MODEL)\n' : ''}        self.head = nn.Linear(D_MODEL, N_VOCAB)

    def forward(self, tokens${step}):
        """Logits, and the residual stream at every point with its name."""
        x = ${spec.format === 'fp32' ? embedded : `Rounded.apply(${embedded})`}
        points = [("resid_embedding", x)]
        for block in self.blocks:
            x = block(x, points${step})
        return self.head(${finalNorm ? 'self.ln_final(x)' : 'x'}), points
`;
}
