import { literal } from './python.js';
import type { CanonicalSpec } from './wiring.js';

/** What the script trains on. A text lies in a file that the script reads, or stands in the script. */
export type ScriptData =
  | { kind: 'markov'; nSymbol: number; seed: number }
  | { kind: 'text'; jamo: boolean; file: string }
  | { kind: 'text'; jamo: boolean; text: string };

/** `N_VOCAB` and `draw_batch(step)`; see cpp/model/dataset.cpp. */
export const dataSection = (data: ScriptData, spec: CanonicalSpec): string =>
  data.kind === 'markov' ? markovSection(data, spec) : textSection(data, spec);

const vocabulary = (spec: CanonicalSpec, nSymbol: string): string => (spec.n_vocab ? literal(spec.n_vocab) : nSymbol);

const markovSection = (data: { nSymbol: number; seed: number }, spec: CanonicalSpec): string => `
# Data: a Markov chain with ${data.nSymbol} symbols, each with up to 4 likely successors
N_SYMBOL, TASK_SEED = ${data.nSymbol}, ${data.seed}
N_VOCAB = ${vocabulary(spec, 'N_SYMBOL')}


def transition_matrix():
    """[N_SYMBOL, N_SYMBOL], rows sum to 1: weight 0.01 everywhere, e^N(0,1) more for the likely successors."""
    rows = []
    for symbol in range(N_SYMBOL):
        row = [0.01] * N_SYMBOL
        places = random_words(TASK_SEED, TASK, symbol, 0, min(4, N_SYMBOL)).tolist()
        weights = standard_normal(random_words(TASK_SEED, TASK, symbol, 1, min(4, N_SYMBOL))).exp().tolist()
        for place, weight in zip(places, weights):
            successor = place * N_SYMBOL >> 32
            while row[successor] != 0.01:
                successor = (successor + 1) % N_SYMBOL
            row[successor] += weight
        rows.append(row)
    matrix = torch.tensor(rows, dtype=torch.float64)
    return matrix / matrix.sum(1, keepdim=True)


def stationary_distribution(matrix):
    share = torch.full((N_SYMBOL,), 1 / N_SYMBOL, dtype=torch.float64)
    for _ in range(1000):
        share, before = share @ matrix, share
        if (share - before).abs().sum() < 1e-14:
            break
    return share


def thresholds(p):
    """A word below the first threshold means symbol 0, one below the second symbol 1, and so on."""
    edges = (p.cumsum(-1) * 2**32).clamp(max=WORD).long()
    edges[..., -1] = WORD
    return edges


MATRIX = transition_matrix()
FIRST, NEXT = thresholds(stationary_distribution(MATRIX)), thresholds(MATRIX)


def draw_batch(step):
    """Tokens and the tokens that follow them, [N_BATCH, N_CTX] each."""
    words = random_words(SEED, BATCH, list(range(N_BATCH)), step, N_CTX + 1)
    chain = [torch.searchsorted(FIRST, words[:, 0].contiguous(), right=True).clamp(max=N_SYMBOL - 1)]
    for t in range(1, N_CTX + 1):
        edges = NEXT[chain[-1]]
        chain.append(torch.searchsorted(edges, words[:, t : t + 1].contiguous(), right=True)[:, 0].clamp(max=N_SYMBOL - 1))
    sequences = torch.stack(chain, 1)
    return sequences[:, :-1], sequences[:, 1:]
`;

const HANGUL = `
def decomposed(text):
    """Hangul syllables as jamo, by Unicode's arithmetic rule; they recompose under NFC."""
    for character in text:
        index = ord(character) - 0xAC00
        if 0 <= index < 11172:
            yield chr(0x1100 + index // 588)
            yield chr(0x1161 + index // 28 % 21)
            if index % 28:
                yield chr(0x11A7 + index % 28)
        else:
            yield character

`;

function textSection(data: Exclude<ScriptData, { kind: 'markov' }>, spec: CanonicalSpec): string {
  const source =
    'file' in data ? 'open(ARGUMENTS.text, encoding="utf-8", errors="replace", newline="").read()' : 'TEXT';
  return `
# Data: a text, one token per character${data.jamo ? ' (Hangul syllables as jamo)' : ''}
${'text' in data ? `TEXT = ${literal(data.text)}\n` : ''}${data.jamo ? HANGUL : ''}
CHARACTERS = list(${data.jamo ? 'decomposed' : ''}(${source}.replace("\\r", "")))
SYMBOLS = sorted(set(CHARACTERS))
N_VOCAB = ${vocabulary(spec, 'len(SYMBOLS)')}
TOKENS = torch.tensor([{symbol: token for token, symbol in enumerate(SYMBOLS)}[c] for c in CHARACTERS])
N_TRAIN = len(TOKENS) - len(TOKENS) // 10  # the last tenth is held out


def draw_batch(step):
    """Tokens and the tokens that follow them, [N_BATCH, N_CTX] each."""
    word = random_words(SEED, BATCH, list(range(N_BATCH)), step, 1)
    begin = word * (N_TRAIN - N_CTX) >> 32
    sequences = TOKENS[begin + torch.arange(N_CTX + 1)]
    return sequences[:, :-1], sequences[:, 1:]
`;
}
