// The parts of an analysis, cut into pieces that take a moment each. A piece reads the model at hand, its options, and
// gives JSON; wasm/analysis puts them together. Shapes and units: wasm/analysis/types.ts.
#pragma once
#include "analysis/json.h"
#include "analysis/model.h"

namespace normscope {

// The whole net at the model's parameters and batch, after forward, backward and observe.
struct Base {
  explicit Base(const AnalysisModel& model);
  // Residual point i, [n_batch · n_ctx, d].
  Eigen::Map<Matrix> point(size_t i) { return net.plan.rows(net.layout.points[i]); }
  size_t n_point() const { return net.layout.points.size(); }
  const std::string& point_name(size_t i) const { return net.plan.plan().tensors[net.layout.points[i]].name; }
  // The first n sequences of a point as one vector, [n · n_ctx · d].
  Vector sequence(size_t i, const ModelSpec& spec, uint32_t n = 1);

  WholeNet net;
  std::vector<StepFacts> wiring;
  double loss;
};

// "name number…" lines.
class Options {
 public:
  explicit Options(const std::string& lines);
  double number(const std::string& name, double otherwise) const;
  std::vector<double> numbers(const std::string& name) const;

 private:
  std::map<std::string, std::vector<double>> values_;
};

json::Raw moments(Base& base);

// One step (option `step`), or the whole net when there is none.
json::Raw sensitivity(const AnalysisModel& model, Base& base, const Options& options);
// At branches scaled by c: the step's branch at the x of c = 1 and the step at its own x. scaled: of the model times c.
json::Raw scaled_step(const AnalysisModel& scaled, Base& base, Base& scaled_base, const Options& options);
json::Raw scaled_net(const AnalysisModel& scaled, Base& scaled_base);
// Options `vector` (default: what the first norm of the model meets first).
json::Raw layer_norm_jacobian(const AnalysisModel& model, Base& base, const Options& options);

// One step; options `step`, `scales`.
json::Raw hamiltonian(const AnalysisModel& model, Base& base, const Options& options);
// The first step that adds the output of a norm of a kind that has an ellipsoid; null without. Behind a stream norm,
// neither p nor v belong to it.
json::Raw ellipsoid(const AnalysisModel& model, Base& base);

// Two clouds at every point, and the distances at one of them (option `point`).
struct Clouds {
  std::vector<Matrix> clean, moved;  // [n_point, d] at each residual point
};
Clouds noisy_clouds(const AnalysisModel& model, Base& base, const Options& options);  // `noise`, `n_point`, `seed`
Clouds token_clouds(const AnalysisModel& model, Base& base, const Options& options);  // `n_point`, `seed`
json::Raw distances(const Clouds& clouds, const Options& options);                    // `point`, `n_direction`, `seed`
// The bound at each point from the clouds' distance at the start.
json::Raw distance_bound(const AnalysisModel& model, Base& base, const Clouds& clouds);

json::Raw usefulness(const AnalysisModel& model, Base& base);
json::Raw drop_block(const AnalysisModel& model, Base& base, const Options& options);  // `block`

std::vector<std::string> matrix_names(const AnalysisModel& model);
json::Raw matrix(const AnalysisModel& model, Base& base, const Options& options);  // `index` in matrix_names
json::Raw output_gains(const AnalysisModel& model, Base& base);
json::Raw gradients(const AnalysisModel& model, Base& base);

json::Raw fits(const Options& options);  // `steps`, `values`

}  // namespace normscope
