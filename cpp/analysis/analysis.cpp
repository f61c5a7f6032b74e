#include "analysis/analysis.h"

namespace normscope {

Analysis::Analysis(const std::string& spec_lines, const std::string& data_lines, uint32_t step) : step_(step) {
  ModelSpec spec;
  status_ = parse_spec(spec_lines, spec);
  if (status_.ok()) status_ = make_dataset(data_lines, data_);
  if (status_.ok()) status_ = check_dataset(data_, spec.n_ctx);
  if (status_.ok() && spec.n_vocab && spec.n_vocab < data_.n_symbol)
    status_ = {"bad-spec", "n_vocab " + std::to_string(spec.n_vocab) + " is smaller than the " +
                               std::to_string(data_.n_symbol) +
                               " symbols of the data; leave it 0 to take it from the data"};
  if (status_.ok()) status_ = make_model(spec, data_, step, model_);
}

std::string Analysis::describe() {
  std::vector<std::string> points, steps;
  std::vector<json::Raw> wiring;
  for (size_t i = 0; i < base().n_point(); ++i) points.push_back(base().point_name(i));
  for (uint32_t step = 0; step < n_residual_step(model_.spec); ++step) {
    const StepFacts& w = base().wiring[step];
    steps.push_back(last_linear(model_.spec, step));
    wiring.push_back(json::object({{"normInput", w.norm_input},
                                   {"normOutput", w.norm_output},
                                   {"normStream", w.norm_stream},
                                   {"keep", w.keep},
                                   {"bounded", w.bounded}}));
  }
  return json::object({{"spec", json::Raw{"{" + spec_json(model_.spec) + "}"}},
                       {"nVocab", model_.n_vocab},
                       {"points", points},
                       {"steps", steps},
                       {"loss", base().loss},
                       {"wiring", wiring},
                       {"matrices", matrix_names(model_)}})
      .text;
}

std::string Analysis::parameters() const {
  std::vector<json::Raw> list;
  for (const auto& [name, values] : model_.parameters)
    list.push_back(json::object({{"name", name}, {"size", static_cast<int>(values.size())}}));
  return json::value(list);
}

float* Analysis::reserve(size_t n) {
  staging_.resize(n);
  return staging_.data();
}

void Analysis::write(const std::string& name) {
  base_.reset();
  scaled_.reset();
  clouds_.reset();
  path_.reset();
  const auto found = model_.parameters.find(name);
  Vector* to = name == "tokens"                   ? &model_.tokens
               : name == "targets"                ? &model_.targets
               : found != model_.parameters.end() ? &found->second
                                                  : nullptr;
  if (!to || static_cast<size_t>(to->size()) != staging_.size()) {
    status_ = {"unknown-tensor",
               "the analysis has no '" + name + "' of " + std::to_string(staging_.size()) + " numbers"};
    return;
  }
  *to = Eigen::Map<Eigen::VectorXf>(staging_.data(), to->size()).cast<double>();
}

std::string Analysis::run(const std::string& part, const std::string& lines) {
  if (!status_.ok()) return "";
  const Options options(lines);
  if (part == "moments") return moments(base()).text;
  if (part == "sensitivity") return sensitivity(model_, base(), options).text;
  if (part == "scaled-step" || part == "scaled-net") {
    Scaled& at = scaled(options.number("scale", 1));
    return part == "scaled-net" ? scaled_net(at.model, at.base).text
                                : scaled_step(at.model, base(), at.base, options).text;
  }
  if (part == "norm-jacobian") return layer_norm_jacobian(model_, base(), options).text;
  if (part == "hamiltonian") return hamiltonian(model_, base(), options).text;
  if (part == "ellipsoid") return ellipsoid(model_, base()).text;
  if (part == "distances") return distances(clouds(options), options).text;
  if (part == "distance-bound") return distance_bound(model_, base(), clouds(options)).text;
  if (part == "usefulness") return usefulness(model_, base()).text;
  if (part == "drop-block") return drop_block(model_, base(), options).text;
  if (part == "matrix") return matrix(model_, base(), options).text;
  if (part == "output-gains") return output_gains(model_, base()).text;
  if (part == "gradients") return gradients(model_, base()).text;
  if (part == "train") {
    if (!path_) path_ = std::make_unique<TrainingPath>(model_, data_, step_, options.number("renormalise", 0) != 0);
    return path_->advance(static_cast<uint32_t>(options.number("steps", 1))).text;
  }
  if (part == "fits") return fits(options).text;
  status_ = {"bad-option", "there is no part '" + part + "' of an analysis"};
  return "";
}

Base& Analysis::base() {
  if (!base_) base_ = std::make_unique<Base>(model_);
  return *base_;
}

Analysis::Scaled& Analysis::scaled(double c) {
  if (!scaled_ || scaled_->scale != c) {
    scaled_.reset();
    scaled_ = std::make_unique<Scaled>(model_, c);
  }
  return *scaled_;
}

Clouds& Analysis::clouds(const Options& options) {
  std::vector<std::vector<double>> wish;
  for (const char* name : {"tokens", "n_point", "noise", "seed"}) wish.push_back(options.numbers(name));
  if (!clouds_ || wish != clouds_wish_)
    clouds_ = std::make_unique<Clouds>(options.number("tokens", 0) != 0 ? token_clouds(model_, base(), options)
                                                                        : noisy_clouds(model_, base(), options));
  clouds_wish_ = wish;
  return *clouds_;
}

}  // namespace normscope
