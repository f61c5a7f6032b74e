#include "analysis/parts.h"

#include "analysis/growth.h"

namespace normscope {

Base::Base(const AnalysisModel& model) : net(whole_net(model)) {
  for (const Phase phase : {Phase::forward, Phase::backward, Phase::observe}) net.plan.run(phase);
  wiring = read_wiring(model, net);
  loss = net.plan.values("loss")[0];
}

Vector Base::sequence(size_t i, const ModelSpec& spec, uint32_t n) {
  const Matrix rows = point(i).topRows(static_cast<Eigen::Index>(n) * spec.n_ctx);
  return Eigen::Map<const Vector>(rows.data(), rows.size());
}

Options::Options(const std::string& lines) {
  for (const auto& [name, text] : key_value_lines(lines)) {
    std::vector<double>& list = values_[name];
    const char* at = text.c_str();
    for (char* end = nullptr; *at; at = end) {
      const double number = std::strtod(at, &end);
      if (end == at) break;
      list.push_back(number);
    }
  }
}

double Options::number(const std::string& name, double otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? otherwise : found->second[0];
}

std::vector<double> Options::numbers(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<double>{} : found->second;
}

json::Raw moments(Base& base) {
  const Eigen::Map<Matrix> ring = base.net.plan.rows("ring");
  const Vector control = base.net.plan.values("control");
  const Eigen::Index row = static_cast<Eigen::Index>(control[0]) % n_ring;
  const auto slot = [&](uint32_t k) {
    std::vector<double> values;
    for (uint32_t i = 0; i < base.n_point(); ++i) values.push_back(ring(row, n_header_slot + n_point_slot * i + k));
    return values;
  };
  return json::object({{"meanAbs", slot(0)},
                       {"entryVariance", slot(1)},
                       {"dataVariance", slot(2)},
                       {"maxAbs", slot(3)},
                       {"boundMeanAbs", slot(4)},
                       {"boundStd", slot(5)},
                       {"boundDataStd", slot(6)}});
}

json::Raw fits(const Options& options) {
  const std::vector<double> steps = options.numbers("steps"), values = options.numbers("values");
  const Eigen::Index n = static_cast<Eigen::Index>(std::min(steps.size(), values.size()));
  const Vector x = Eigen::Map<const Vector>(steps.data(), n), y = Eigen::Map<const Vector>(values.data(), n);
  const auto fit = [](const Fit& f) {
    return json::object({{"factor", f.factor}, {"exponent", f.exponent}, {"residual", f.residual}});
  };
  return json::object({{"power", fit(fit_power(x, y))}, {"exponential", fit(fit_exponential(x, y))}});
}

}  // namespace normscope
