// Same seed, same bits: short training runs whose losses and parameters have one hash in every build.
// The runs stand in tests/cases/golden.txt, which says how the hash is made.
#include <cstring>
#include <fstream>
#include <sstream>

#include "training.h"

namespace normscope {
namespace {

struct GoldenRun {
  std::string name, data, fields, hash;
  int n_step = 0;

  friend void PrintTo(const GoldenRun& run, std::ostream* out) { *out << run.name; }
};

std::string cases_file(const std::string& name) {
  std::ifstream file(NORMSCOPE_SOURCE_DIR "/tests/cases/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<GoldenRun> golden_runs() {
  std::vector<GoldenRun> runs;
  std::istringstream file(cases_file("golden.txt"));
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    std::string cell[5];
    for (std::string& c : cell) std::getline(cells, c, '|'), c = trimmed(c);
    GoldenRun run{cell[0], cell[2], "", cell[4], std::stoi(cell[1])};
    std::istringstream fields(cell[3]);
    for (std::string field; std::getline(fields, field, ';');) run.fields += trimmed(field) + "\n";
    runs.push_back(run);
  }
  return runs;
}

// "text jamo FILE" in the table means the text of that file.
std::string data_of(const GoldenRun& run) {
  const std::string text = "text jamo ";
  return run.data.substr(0, text.size()) == text ? "text jamo\n" + cases_file(run.data.substr(text.size())) : run.data;
}

void add_to_hash(uint32_t& hash, float value) {
  uint32_t bits = 0x7fc00000u;  // every NaN counts as this one
  if (value == value) std::memcpy(&bits, &value, sizeof bits);
  for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (bits >> 8 * byte & 0xff)) * 16777619u;
}

std::string hash_of(Training& t) {
  uint32_t hash = 2166136261u;
  for (const float loss : t.losses) add_to_hash(hash, loss);
  for (const std::vector<float>& parameter : t.parameters())
    for (const float value : parameter) add_to_hash(hash, value);
  char text[16];
  std::snprintf(text, sizeof text, "%08x", hash);
  return text;
}

class Golden : public testing::TestWithParam<GoldenRun> {};

TEST_P(Golden, HasTheHashOfEveryOtherBuild) {
  Training t(GetParam().fields, data_of(GetParam()));
  t.steps(GetParam().n_step);
  for (const float loss : t.losses) EXPECT_TRUE(std::isfinite(loss));
  EXPECT_EQ(t.step_count(), static_cast<uint32_t>(GetParam().n_step));
  EXPECT_EQ(hash_of(t), GetParam().hash) << GetParam().name;
}

TEST_P(Golden, HasTheSameHashTwice) {
  Training first(GetParam().fields, data_of(GetParam())), second(GetParam().fields, data_of(GetParam()));
  for (int i = 0; i < GetParam().n_step; ++i) first.step(), second.step();  // in turns: no hidden state is shared
  EXPECT_EQ(hash_of(first), hash_of(second));
}

INSTANTIATE_TEST_SUITE_P(, Golden, testing::ValuesIn(golden_runs()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST(Seed, ADifferentOneGivesADifferentRun) {
  Training one("n_layer 1\nseed 1\n"), two("n_layer 1\nseed 2\n");
  one.steps(2), two.steps(2);
  EXPECT_NE(hash_of(one), hash_of(two));
}

}  // namespace
}  // namespace normscope
