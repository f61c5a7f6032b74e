#include "ops/channel_scale.h"

#include "ops/shape.h"

namespace normscope {

TensorId channel_scale(Builder& b, const std::string& name, TensorId x, TensorId s) {
  const ChannelScaleParams p{n_row(b, x), n_column(b, x), n_value(b, s), 0};
  if (p.n_scale != 1 && p.n_scale != p.d)
    b.fail("bad-plan", b[s].name + " has " + std::to_string(p.n_scale) + " values; it needs 1 or one for each of the " +
                           std::to_string(p.d) + " features of " + b[x].name);
  const Grid grid{p.n_row, p.d};
  const TensorId y = b.result(name, b[x].shape, {x, s});
  b.emit(Kernel::channel_scale, {x, s, y}, p, grid);
  b.on_backward([=](Builder& b) {
    if (!b.has_grad(y)) return;
    if (b.needs_grad(s)) {
      ChannelScaleParams with = p;
      const TensorId ds = b.grad_to_write(s, with.accumulate);
      b.emit(Kernel::channel_scale_backward_s, {x, b.grad(y), ds}, with, grid);
    }
    if (b.needs_grad(x)) {
      ChannelScaleParams with = p;
      const TensorId dx = b.grad_to_write(x, with.accumulate);
      b.emit(Kernel::channel_scale, {b.grad(y), s, dx}, with, grid);  // dx = s dy
    }
  });
  return y;
}

}  // namespace normscope
