// What every op promises.
#include "op_case.h"
#include "plan/random.h"

namespace normscope {
namespace {

// A case's plan with one use of the op per name, and the gradient arriving at each.
struct OpPlan {
  const OpCase& c;
  Plan plan;
  std::vector<std::string> trained;  // inputs with a gradient
  Tensors inputs;
  Tensors dy;

  explicit OpPlan(const OpCase& op, const std::vector<std::string>& uses = {"y"}, uint32_t n_model = 1,
                  uint32_t seed = 1)
      : c(op) {
    Builder b({}, n_model);
    const std::vector<TensorId> ids = c.inputs(b);
    std::vector<TensorId> results;
    for (const std::string& name : uses) results.push_back(c.apply(b, name, ids));
    for (const TensorId result : results)
      if (!c.is_loss) b.seed_grad(result);
    b.backward();
    EXPECT_TRUE(b.status().ok()) << b.status().message;
    for (const TensorId id : ids) {
      inputs[b[id].name] = normals(b.size(id), seed++);
      if (b.needs_grad(id)) trained.push_back(b[id].name);
    }
    if (c.prepare) c.prepare(inputs);
    for (const TensorId result : results)
      if (!c.is_loss) dy[b[result].name + ".grad"] = normals(b.size(result), seed + stream_of(b[result].name));
    plan = b.finish();
  }

  template <class T>
  void load(Arena<T>& arena, uint32_t model = 0) const {
    arena.write(inputs, model);
    arena.write(dy, model);
  }

  // The number whose gradients the plan computes.
  double loss(Arena<double>& arena) const {
    arena.run(Phase::forward);
    const double* y = arena.at("y");
    if (c.is_loss) return y[0];
    double sum = 0;
    const std::vector<double>& weight = dy.at("y.grad");
    for (size_t i = 0; i < weight.size(); ++i) sum += weight[i] * y[i];
    return sum;
  }
};

template <class T>
void run_both(Arena<T>& arena) {
  arena.run(Phase::forward);
  arena.run(Phase::backward);
}

// Fourth-order central difference with respect to one value.
template <class F>
double central_difference(double& value, double step, F loss) {
  const double start = value;
  const auto at = [&](double k) {
    value = start + k * step;
    return loss();
  };
  const double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
  value = start;
  return slope;
}

class Op : public testing::TestWithParam<OpCase> {};

TEST_P(Op, EqualsItsTextbookFormula) {
  const OpPlan op(GetParam());
  Arena<float> single(op.plan);
  Arena<double> wide(op.plan);
  op.load(single), op.load(wide);
  single.run(Phase::forward), wide.run(Phase::forward);
  for (const auto& [suffix, expected] : op.c.reference(op.inputs)) {
    expect_near(wide.read("y" + suffix), expected, 1e-13, "double y" + suffix, largest(expected) + 1e-3);
    expect_near(single.read("y" + suffix), expected, 2e-6, "float y" + suffix, largest(expected) + 1e-3);
  }
}

TEST_P(Op, HasTheGradientsOfFiniteDifferences) {
  const OpPlan op(GetParam());
  Arena<double> arena(op.plan), moved(op.plan);
  op.load(arena), op.load(moved);
  run_both(arena);
  double most = 0;
  for (const std::string& name : op.trained) most = std::fmax(most, largest(arena.read(name + ".grad")));
  for (const std::string& name : op.trained) {
    std::vector<double> slopes;
    double* values = moved.at(name);
    for (size_t i = 0; i < op.inputs.at(name).size(); ++i)
      slopes.push_back(central_difference(values[i], op.c.step, [&] { return op.loss(moved); }));
    const std::vector<double> gradient = arena.read(name + ".grad");
    const double scale = largest(gradient) > 1e-9 * most ? largest(gradient) : std::fmax(most, 1);
    expect_near(gradient, slopes, 1e-7, name + ".grad", scale);
  }
}

class OpWithGradientFormula : public Op {};

TEST_P(OpWithGradientFormula, HasThoseGradients) {
  const OpPlan op(GetParam());
  Arena<double> arena(op.plan);
  op.load(arena);
  run_both(arena);
  for (const auto& [name, expected] :
       op.c.gradients(op.inputs, op.dy.empty() ? std::vector<double>{} : op.dy.at("y.grad")))
    expect_near(arena.read(name + ".grad"), expected, 1e-12, name + ".grad", largest(expected) + 1e-3);
}

TEST_P(Op, HasTheSameGradientsInFloatAndDouble) {
  const OpPlan op(GetParam());
  Arena<float> single(op.plan);
  Arena<double> wide(op.plan);
  op.load(single), op.load(wide);
  run_both(single), run_both(wide);
  for (const std::string& name : op.trained) {
    const std::vector<double> expected = wide.read(name + ".grad");
    expect_near(single.read(name + ".grad"), expected, 1e-5, name + ".grad", largest(expected) + 1e-2);
  }
}

// Two uses of the op on the same inputs: the second writer of a gradient must add, the first must not.
TEST_P(Op, AddsItsGradientsToThoseOfAnotherUse) {
  const OpPlan y(GetParam(), {"y"}), other(GetParam(), {"other"}), twice(GetParam(), {"y", "other"});
  Arena<double> first(y.plan), second(other.plan), both(twice.plan);
  y.load(first), other.load(second), twice.load(both);
  run_both(first), run_both(second), run_both(both);
  run_both(both);  // nothing of an earlier run may stay
  for (const std::string& name : y.trained) {
    std::vector<double> sum = first.read(name + ".grad");
    const std::vector<double> other = second.read(name + ".grad");
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
    expect_near(both.read(name + ".grad"), sum, 1e-12, name + ".grad", largest(sum) + 1e-3);
  }
}

TEST_P(Op, GivesEachOfTwoModelsTheBitsItWouldGetAlone) {
  const OpPlan pair(GetParam(), {"y"}, 2), first(GetParam()), second(GetParam(), {"y"}, 1, 77);
  Arena<float> both(pair.plan), alone[2] = {Arena<float>(first.plan), Arena<float>(second.plan)};
  first.load(both, 0), second.load(both, 1);
  first.load(alone[0]), second.load(alone[1]);
  run_both(both), run_both(alone[0]), run_both(alone[1]);
  for (const Tensor& t : pair.plan.tensors)
    for (const uint32_t model : {0u, 1u})
      EXPECT_EQ(both.read(t.name, model), alone[model].read(t.name)) << t.name << " of model " << model;
}

std::vector<OpCase> cases_with_gradient_formula() {
  std::vector<OpCase> cases;
  for (const OpCase& c : all_op_cases())
    if (c.gradients) cases.push_back(c);
  return cases;
}

const auto case_name = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(, Op, testing::ValuesIn(all_op_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(, OpWithGradientFormula, testing::ValuesIn(cases_with_gradient_formula()), case_name);

}  // namespace

std::string size_name(std::initializer_list<uint32_t> sizes) {
  std::string out;
  for (const uint32_t size : sizes) out += (out.empty() ? "" : "x") + std::to_string(size);
  return out;
}

std::vector<OpCase> all_op_cases() {
  std::vector<OpCase> all;
  for (const auto& cases : {norm_cases(), layer_cases(), attention_cases(), loss_cases()})
    all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

}  // namespace normscope
