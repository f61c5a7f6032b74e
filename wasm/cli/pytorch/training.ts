import { lines, literal } from './python.js';
import type { CanonicalSpec } from './wiring.js';

/** Initial values, loss, optimizer, schedule and the loop. */
export const trainingSection = (spec: CanonicalSpec): string =>
  [initialSection(spec), loadSection, lossSection(spec), rateSection(spec), optimizerSection(spec), loop(spec)].join(
    '',
  );

const MATRIX_SIGMA: Record<string, string> = {
  fanin: 'shape[1] ** -0.5',
  xavier: '(2 / (shape[0] + shape[1])) ** 0.5',
};

function sigmaLines(spec: CanonicalSpec): string {
  const residualSteps = spec.block === 'sublayer' ? 'N_LAYER' : '(2 * N_LAYER)';
  const outputs = '("out_proj.weight", "fc2.weight", "sublayer.weight")';
  const gains = {
    none: 'sigma',
    deepnorm: `sigma * (8 * N_LAYER) ** -0.25 if name.endswith(${outputs.slice(0, -1)}, "v_proj.weight", "fc1.weight")) else sigma`,
    residual: `sigma * ${residualSteps} ** -0.5 if name.endswith(${outputs}) else sigma`,
  };
  const sigma =
    spec.init === 'gpt2'
      ? lines(
          '    sigma = 0.02',
          '    if name.endswith(("out_proj.weight", "fc2.weight")):',
          '        sigma *= (2 * N_LAYER) ** -0.5',
        )
      : lines(
          '    embeddings = {"token_embedding.weight": 1.0, "position_embedding.weight": 0.5}',
          `    sigma = embeddings[name] if name in embeddings else ${MATRIX_SIGMA[String(spec.init)]}`,
        );
  return `${sigma}\n    return ${gains[spec.init_gain as keyof typeof gains]}`;
}

const initialSection = (spec: CanonicalSpec): string => `

def standard_deviation(name, shape):
    """Of the initial values of a matrix."""
${sigmaLines(spec)}


@torch.no_grad()
def initialize(model):
    """Matrices from the seed, each from the stream of its name; shifts start at 0, gains where their class puts them."""
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            words = random_words(SEED, PARAMETER, stream_of(name), 0, parameter.numel())
            values = standard_normal(words).float() * standard_deviation(name, parameter.shape)
            parameter.copy_(values.view_as(parameter))
        elif name.endswith("bias"):
            parameter.zero_()
`;

const loadSection = `

@torch.no_grad()
def load(model, path):
    """Parameters by name from JSON: a snapshot of Normscope, or an object of arrays."""
    with open(path, encoding="utf-8") as file:
        arrays = json.load(file)
    arrays = arrays.get("tensors", arrays)
    for name, parameter in model.named_parameters():
        if name not in arrays:
            sys.exit(f"{path} has no '{name}': it comes from another model")
        values = torch.tensor(arrays[name], dtype=torch.float32)
        if values.numel() != parameter.numel():
            sys.exit(f"{path} has {values.numel()} numbers in '{name}', this model {parameter.numel()}")
        parameter.copy_(values.view_as(parameter))
`;

function lossSection(spec: CanonicalSpec): string {
  const zLoss = Number(spec.z_loss) > 0;
  return `

def loss_of(logits, targets):
    """Mean cross-entropy in nats${zLoss ? ', and Z_LOSS times the mean of log(Z)^2' : ''}."""
    logits = logits.flatten(0, 1)
    return F.cross_entropy(logits, targets.flatten())${zLoss ? ' + Z_LOSS * logits.logsumexp(-1).square().mean()' : ''}
`;
}

function rateSection(spec: CanonicalSpec): string {
  const cosine = spec.schedule === 'cosine';
  const warmup = Number(spec.warmup) > 0;
  return `

def rate_of(step):
    """Learning rate of the update after step, from 0."""
${lines(
  cosine && '    if step >= TOTAL_STEPS:\n        return FINAL_LEARNING_RATE',
  warmup && '    if step < WARMUP:\n        return LEARNING_RATE * (step + 1) / (WARMUP + 1)',
  cosine && `    phase = math.pi * (step - ${warmup ? 'WARMUP' : '0'}) / (TOTAL_STEPS - ${warmup ? 'WARMUP' : '0'})`,
  cosine
    ? '    return FINAL_LEARNING_RATE + (LEARNING_RATE - FINAL_LEARNING_RATE) * (1 + math.cos(phase)) / 2'
    : '    return LEARNING_RATE',
)}
`;
}

/** Which parameters shrink, as a condition on (name, parameter). */
function decayRule(spec: CanonicalSpec): string {
  if (spec.decay1d === true) return 'True';
  const gain = String.raw`re.search(r"(ln_\w+|ln_final|ln_embedding|[qkv]_norm)\.weight$", name)`;
  return spec.decay_gamma === true ? `parameter.dim() > 1 or bool(${gain})` : 'parameter.dim() > 1';
}

const optimizerSection = (spec: CanonicalSpec): string => `

def decays(name, parameter):
    """Whether weight decay acts on it."""
    return ${decayRule(spec)}


def make_optimizer(model):
    groups = {True: [], False: []}
    for name, parameter in model.named_parameters():
        groups[decays(name, parameter)].append(parameter)
    groups = [
        {"params": groups[decayed], "decay": WEIGHT_DECAY if decayed else 0.0} for decayed in groups if groups[decayed]
    ]
${
  spec.optimizer === 'sgd'
    ? '    return torch.optim.SGD(groups, lr=LEARNING_RATE, momentum=MOMENTUM)'
    : `    for group in groups:
        group["weight_decay"] = group.pop("decay")
    return torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=(BETA1, BETA2), eps=ADAM_EPS or 1.1754944e-38)`
}


def update(model, optimizer, rate, norm):
    """${Number(spec.max_grad_norm) > 0 ? 'Clips gradients of the global norm, then one' : 'One'} update; decay is decoupled from the gradient."""
${lines(
  Number(spec.max_grad_norm) > 0 &&
    `    if norm > MAX_GRAD_NORM:
        for parameter in model.parameters():
            parameter.grad.mul_(MAX_GRAD_NORM / norm)`,
  `    for group in optimizer.param_groups:
        group["lr"] = rate`,
  spec.optimizer === 'sgd' &&
    `        for parameter in group["params"]:
            parameter.data.mul_(1 - rate * group["decay"])`,
)}
    optimizer.step()
`;

/** Numbers of the training that the sections name. */
export const trainingConstants = (spec: CanonicalSpec): string =>
  lines(
    `LEARNING_RATE, WEIGHT_DECAY = ${literal(spec.learning_rate!)}, ${literal(spec.weight_decay!)}`,
    spec.optimizer === 'sgd'
      ? `MOMENTUM = ${literal(spec.momentum!)}`
      : `BETA1, BETA2, ADAM_EPS = ${literal(spec.beta1!)}, ${literal(spec.beta2!)}, ${literal(spec.adam_eps!)}`,
    Number(spec.warmup) > 0 && `WARMUP = ${literal(spec.warmup!)}  # steps of linear warm-up`,
    spec.schedule === 'cosine' &&
      `TOTAL_STEPS, FINAL_LEARNING_RATE = ${spec.total_steps ? literal(spec.total_steps) : 'ARGUMENTS.steps'}, ${literal(spec.final_learning_rate!)}`,
    Number(spec.max_grad_norm) > 0 && `MAX_GRAD_NORM = ${literal(spec.max_grad_norm!)}`,
    Number(spec.z_loss) > 0 && `Z_LOSS = ${literal(spec.z_loss!)}`,
  );

const loop = (spec: CanonicalSpec): string => `

def moments(x):
    """Mean |x|, mean over tokens of the variance over features, max |x|."""
    x = x.detach().float()
    return x.abs().mean().item(), x.var(-1, unbiased=False).mean().item(), x.abs().max().item()


def show(step, loss, norm, rate, points):
    """One JSON object per step with --json; else a line, and every --every steps the stream at each point."""
    if ARGUMENTS.json:
        table = {name: moments(x) for name, x in points}
        print(json.dumps({"step": step, "loss": loss, "gradNorm": norm, "learningRate": rate, "points": table}))
        return
    print(f"step {step}  loss {loss:.6f}  gradient norm {norm:.4g}  rate {rate:.4g}")
    if step % ARGUMENTS.every == 0 or step == ARGUMENTS.steps:
        print(f"  {'point':24} {'mean |x|':>12} {'variance':>12} {'max |x|':>12}")
        for name, x in points:
            print("  {:24} {:12.4g} {:12.4g} {:12.4g}".format(name, *moments(x)))


def main():
    model = Transformer()
    initialize(model)
    if ARGUMENTS.load:
        load(model, ARGUMENTS.load)
    model.to(ARGUMENTS.device)
    optimizer = make_optimizer(model)
    for step in range(ARGUMENTS.steps):
        tokens, targets = (x.to(ARGUMENTS.device) for x in draw_batch(step))
        logits, points = model(tokens${Number(spec.dropout) > 0 ? ', step' : ''})
        loss = loss_of(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.stack([p.grad.double().square().sum() for p in model.parameters()]).sum().sqrt().item()
        show(step + 1, loss.item(), norm, rate_of(step), points)
        if not math.isfinite(norm) or not math.isfinite(loss.item()):
            sys.exit(f"step {step + 1}: the ${spec.format === 'fp32' ? '' : 'loss or the '}gradient is not finite; nothing was updated, the run ends here")
        update(model, optimizer, rate_of(step), norm)
    if ARGUMENTS.save:
        torch.save(model.state_dict(), ARGUMENTS.save)


if __name__ == "__main__":
    main()
`;
