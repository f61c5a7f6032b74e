import { literal } from './python.js';
import type { CanonicalSpec } from './wiring.js';

/** The generator that Normscope draws everything from; see cpp/plan/random.h. */
export const randomSection = (spec: CanonicalSpec): string => `
# Random numbers: Philox4x32-10 (Salmon et al. 2011). A word depends on (seed, purpose, stream, step, index) alone.
SEED = ${literal(spec.seed!)}
PARAMETER, BATCH, DROPOUT, TASK = 1, 2, 3, 4
WORD = 0xFFFFFFFF


def stream_of(name):
    """FNV-1a hash of a tensor's name: its stream."""
    value = 2166136261
    for byte in name.encode():
        value = (value ^ byte) * 16777619 & WORD
    return value


def random_words(seed, purpose, stream, step, n, device=None):
    """Words 0 to n - 1 of a stream, int64 in [0, 2^32): [n], or [len(stream), n] for a list of streams."""
    block = torch.arange((n + 3) // 4, device=device)
    if not isinstance(stream, int):
        stream = torch.tensor(stream, device=device)[:, None]
    zero = torch.zeros_like(block + stream)
    counter = (zero + block, zero + step, zero + stream, zero)
    for i in range(10):
        key = (seed + i * 0x9E3779B9 & WORD, purpose + i * 0xBB67AE85 & WORD)
        a, b = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57  # low 64 bits; int64 wraps around
        counter = ((b >> 32 & WORD) ^ counter[1] ^ key[0], b & WORD, (a >> 32 & WORD) ^ counter[3] ^ key[1], a & WORD)
    return torch.stack(counter, -1).flatten(-2)[..., :n]


def standard_normal(words):
    """By the inverse of the distribution function, from the upper 24 bits. float64."""
    return torch.special.ndtri(((words >> 8).double() + 0.5) / 2**24)
`;
