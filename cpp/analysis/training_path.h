// What becomes of the branches' last matrices and output gains while a model goes on training, in double; as a control,
// with the scale-invariant matrices held at their first norm.
#pragma once
#include "analysis/json.h"
#include "analysis/model.h"

namespace normscope {

class TrainingPath {
 public:
  // Moments start at 0 and steps at first_step. renormalise: after every update, weight and bias in front of an output
  // norm are scaled back to the norm that they had at the start; the function that the model computes is the same up to
  // eps. DyT does feel the scale: in front of it nothing is held.
  TrainingPath(const AnalysisModel& model, const Dataset& data, uint32_t first_step, bool renormalise);

  // Takes n_step steps and says where the model stands: mean loss of these steps, per residual step the norms of the
  // last matrix and of its gradient, and the root mean square and largest size of the output gain (NaN without output
  // norm).
  json::Raw advance(uint32_t n_step);

 private:
  void take_step();
  double joint_norm(uint32_t step);
  void hold_norms();

  AnalysisModel model_;
  Dataset data_;
  WholeNet net_;
  std::vector<StepFacts> facts_;
  std::vector<double> start_;  // norms of weight and bias together, per residual step
  bool renormalise_;
};

}  // namespace normscope
