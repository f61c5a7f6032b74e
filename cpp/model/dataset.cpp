#include "model/dataset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "cpu/lane_math.h"
#include "model/initial_values.h"
#include "model/text_lines.h"
#include "plan/random.h"

namespace normscope {
namespace {

constexpr uint32_t n_successor = 4;
constexpr double background_weight = 0.01;

double entropy(const double* p, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    if (p[i] > 0) sum -= p[i] * std::log(p[i]);
  return sum;
}

// Transition matrix by rows. Only basic arithmetic and our own exp: the same bits everywhere.
std::vector<double> transition_matrix(uint32_t n, uint32_t seed) {
  std::vector<double> matrix(size_t{n} * n, background_weight);
  for (uint32_t symbol = 0; symbol < n; ++symbol) {
    double* row = matrix.data() + size_t{symbol} * n;
    for (uint32_t k = 0; k < std::min(n_successor, n); ++k) {
      uint32_t next = uniform_index(random_word(seed, Purpose::task, symbol, 0, k), n);
      while (row[next] != background_weight) next = (next + 1) % n;
      row[next] += exp_lanes(splat(standard_normal(random_word(seed, Purpose::task, symbol, 1, k))))[0];
    }
    double total = 0;
    for (uint32_t i = 0; i < n; ++i) total += row[i];
    for (uint32_t i = 0; i < n; ++i) row[i] /= total;
  }
  return matrix;
}

std::vector<double> stationary_distribution(const std::vector<double>& matrix, uint32_t n) {
  std::vector<double> p(n, 1.0 / n), next(n);
  for (int iteration = 0; iteration < 1000; ++iteration) {
    std::fill(next.begin(), next.end(), 0);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = 0; j < n; ++j) next[j] += p[i] * matrix[size_t{i} * n + j];
    p.swap(next);
    double moved = 0;
    for (uint32_t i = 0; i < n; ++i) moved += std::fabs(p[i] - next[i]);
    if (moved < 1e-14) break;
  }
  return p;
}

void append_thresholds(const double* p, uint32_t n, std::vector<uint32_t>& thresholds) {
  double total = 0;
  for (uint32_t i = 0; i < n; ++i) {
    total += p[i];
    thresholds.push_back(static_cast<uint32_t>(std::min(total * 4294967296.0, 4294967295.0)));
  }
  thresholds.back() = 0xffffffffu;
}

uint32_t pick(const uint32_t* threshold, uint32_t n, uint32_t word) {
  return std::min(static_cast<uint32_t>(std::upper_bound(threshold, threshold + n, word) - threshold), n - 1);
}

// Code points of UTF-8 text; anything malformed becomes U+FFFD.
std::vector<uint32_t> decode_utf8(std::string_view text) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
    const uint32_t lead = byte(i++);
    const int n_more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : -1;
    uint32_t code = n_more <= 0 ? lead : lead & (0x3f >> n_more);
    bool good = n_more >= 0;
    for (int k = 0; k < n_more && good; ++k) {
      good = i < text.size() && byte(i) >> 6 == 2;
      if (good) code = code << 6 | (byte(i++) & 0x3f);
    }
    out.push_back(good ? code : 0xfffd);
  }
  return out;
}

std::string encode_utf8(uint32_t code) {
  std::string out;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6), tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12), tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0);
  }
  return out;
}

// Hangul syllable = 0xAC00 + (lead · 21 + vowel) · 28 + tail.
void append_decomposed(uint32_t code, bool jamo, std::vector<uint32_t>& out) {
  if (!jamo || code < 0xac00 || code > 0xd7a3) return out.push_back(code);
  const uint32_t index = code - 0xac00, tail = index % 28;
  out.push_back(0x1100 + index / (21 * 28));
  out.push_back(0x1161 + index / 28 % 21);
  if (tail) out.push_back(0x11a7 + tail);
}

uint32_t n_train_token(const Dataset& data) {
  return static_cast<uint32_t>(data.tokens.size() - data.tokens.size() / 10);
}

}  // namespace

void make_markov(uint32_t n, uint32_t seed, Dataset& data) {
  data = {};
  data.kind = "markov";
  data.n_symbol = n;
  const std::vector<double> matrix = transition_matrix(n, seed), stationary = stationary_distribution(matrix, n);
  append_thresholds(stationary.data(), n, data.first_threshold);
  for (uint32_t symbol = 0; symbol < n; ++symbol) {
    append_thresholds(matrix.data() + size_t{symbol} * n, n, data.threshold);
    data.best_loss += stationary[symbol] * entropy(matrix.data() + size_t{symbol} * n, n);
  }
  data.uniform_loss = std::log(static_cast<double>(n));
  data.unigram_loss = entropy(stationary.data(), n);
}

void make_text(std::string_view utf8, bool jamo, Dataset& data) {
  data = {};
  data.kind = "text";
  std::vector<uint32_t> codes;
  for (const uint32_t code : decode_utf8(utf8))
    if (code != '\r') append_decomposed(code, jamo, codes);
  std::map<uint32_t, uint32_t> token_of;  // code point -> count, then -> token
  for (const uint32_t code : codes) ++token_of[code];
  std::vector<double> share;
  for (auto& [code, entry] : token_of) {
    share.push_back(static_cast<double>(entry) / static_cast<double>(codes.size()));
    entry = static_cast<uint32_t>(data.symbols.size());
    data.symbols.push_back(encode_utf8(code));
  }
  for (const uint32_t code : codes) data.tokens.push_back(token_of[code]);
  data.n_symbol = static_cast<uint32_t>(data.symbols.size());
  data.uniform_loss = std::log(static_cast<double>(std::max(data.n_symbol, 1u)));
  data.unigram_loss = entropy(share.data(), share.size());
  data.best_loss = std::numeric_limits<double>::quiet_NaN();
}

Status make_dataset(std::string_view description, Dataset& data) {
  data = {};
  if (description.empty()) return {};
  const size_t line_end = description.find('\n');
  const std::string first(description.substr(0, line_end));
  if (first == "text jamo" || first == "text plain") {
    make_text(line_end == std::string_view::npos ? std::string_view{} : description.substr(line_end + 1),
              first == "text jamo", data);
    return {};
  }
  const auto lines = key_value_lines(first);
  double n = 0, seed = 0;
  if (!lines.empty() && lines[0].first == "markov") {
    const std::string& numbers = lines[0].second;
    const size_t space = numbers.find(' ');
    if (space != std::string::npos && read_number(numbers.substr(0, space), n) &&
        read_number(numbers.substr(space + 1), seed) && n == std::floor(n) && n >= 2 && n <= 4096 &&
        seed == std::floor(seed) && seed >= 0 && seed <= 4294967295.0) {
      make_markov(static_cast<uint32_t>(n), static_cast<uint32_t>(seed), data);
      return {};
    }
    return {"bad-data", "a Markov task needs 2 to 4096 symbols and a 32-bit seed, not '" + numbers + "'"};
  }
  return {"bad-data", "data must be a Markov task or a text, not '" + first.substr(0, 40) + "'"};
}

Status check_dataset(const Dataset& data, uint32_t n_ctx) {
  if (data.kind != "text") return {};
  const uint64_t n_held_out = data.tokens.size() / 10;
  if (n_held_out > n_ctx) return {};
  return {"bad-data", "the text has " + std::to_string(data.tokens.size()) + " tokens; sequences of n_ctx " +
                          std::to_string(n_ctx) + " with a tenth held out need at least " +
                          std::to_string((uint64_t{n_ctx} + 1) * 10) + ". Use a longer text or a smaller n_ctx"};
}

void draw_batch(const Dataset& data, uint32_t seed, Split split, uint32_t step, uint32_t n_batch, uint32_t n_ctx,
                float* tokens, float* targets) {
  const Purpose purpose = split == Split::train ? Purpose::batch : Purpose::held_out;
  for (uint32_t i = 0; i < n_batch; ++i) {
    const auto put = [&](uint32_t t, uint32_t token) {
      if (t < n_ctx) tokens[size_t{i} * n_ctx + t] = static_cast<float>(token);
      if (t > 0) targets[size_t{i} * n_ctx + t - 1] = static_cast<float>(token);
    };
    const auto word = [&](uint32_t t) { return random_word(seed, purpose, i, step, t); };
    if (data.kind == "text") {
      const uint32_t n_train = n_train_token(data), n_all = static_cast<uint32_t>(data.tokens.size());
      const uint32_t begin = split == Split::train ? 0 : n_train, n = (split == Split::train ? n_train : n_all) - begin;
      const uint32_t at = begin + uniform_index(word(0), n - n_ctx);
      for (uint32_t t = 0; t <= n_ctx; ++t) put(t, data.tokens[at + t]);
    } else {
      uint32_t symbol = pick(data.first_threshold.data(), data.n_symbol, word(0));
      put(0, symbol);
      for (uint32_t t = 1; t <= n_ctx; ++t)
        put(t, symbol = pick(data.threshold.data() + size_t{symbol} * data.n_symbol, data.n_symbol, word(t)));
    }
  }
}

std::string dataset_json(const Dataset& data) {
  if (data.kind.empty()) return "null";
  std::string symbols;
  for (const std::string& symbol : data.symbols) symbols += (symbols.empty() ? "" : ",") + json_string(symbol);
  return "{\"kind\":" + json_string(data.kind) + ",\"nVocab\":" + std::to_string(data.n_symbol) +
         ",\"uniformLoss\":" + json_number(data.uniform_loss) + ",\"unigramLoss\":" + json_number(data.unigram_loss) +
         ",\"bestLoss\":" + json_number(data.best_loss) + ",\"symbols\":[" + symbols +
         "],\"nToken\":" + std::to_string(data.tokens.size()) + "}";
}

}  // namespace normscope
