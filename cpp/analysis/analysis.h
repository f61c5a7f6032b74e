// One model under analysis: all that the border and the native tests see of this room.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/parts.h"
#include "analysis/training_path.h"

namespace normscope {

class Analysis {
 public:
  // spec: "key value" lines; data: see make_dataset; step: whose batch. Never throws: look at status().
  Analysis(const std::string& spec, const std::string& data, uint32_t step);

  const Status& status() const { return status_; }
  // Names and sizes of the parameters: JSON.
  std::string parameters() const;
  // Spec, names of points, steps and matrices, wiring, loss: JSON.
  std::string describe();

  // Room for n floats; write() then copies them to a parameter, or to `tokens` or `targets`.
  float* reserve(size_t n);
  void write(const std::string& name);

  // One piece of a part as JSON, see parts.h; "" and a status for a part that does not exist.
  std::string run(const std::string& part, const std::string& options);

 private:
  struct Scaled {
    Scaled(const AnalysisModel& of, double c) : scale(c), model(scaled_branches(of, c)), base(model) {}
    double scale;
    AnalysisModel model;
    Base base;
  };
  Base& base();
  Scaled& scaled(double c);
  Clouds& clouds(const Options& options);

  Status status_;
  AnalysisModel model_;
  Dataset data_;
  uint32_t step_;
  std::vector<float> staging_;
  // Made when first asked for, forgotten when a parameter is written.
  std::unique_ptr<Base> base_;
  std::unique_ptr<Scaled> scaled_;
  std::unique_ptr<Clouds> clouds_;
  std::vector<std::vector<double>> clouds_wish_;  // what they were asked to be
  std::unique_ptr<TrainingPath> path_;
};

}  // namespace normscope
