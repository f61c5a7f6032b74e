// Milliseconds of one training step of the default model in the native build, for the bench to divide by.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "model/machine.h"

int main(int argc, char** argv) {
  using namespace normscope;
  const int n_step = argc > 2 ? std::atoi(argv[2]) : 50;
  Machine machine("model", argc > 1 ? argv[1] : "placement pre-ln\n", "markov 32 7");
  if (!machine.allocate()) {
    std::fprintf(stderr, "%s\n", machine.status().message.c_str());
    return 1;
  }
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < n_step; ++step) {
    machine.begin_step(Split::train);
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::observe, Phase::update}) machine.run(phase);
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("%.6f\n", time.count() / n_step);
}
