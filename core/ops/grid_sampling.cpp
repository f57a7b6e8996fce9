#include <algorithm>

#include "core/ops/errors.h"
#include "core/ops/grid_reads.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/term.h"

// Items of an image at the places that a grid names: -1 to 1 from one edge to the other.
// Behaviour: aten/src/ATen/native/{GridSampler.cpp,GridSampler.h}; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

using grid_reads::Between;
using grid_reads::GridSettings;
using grid_reads::Outside;
using grid_reads::Reads;

// A walk over all places of the grid.
template <class T>
class GridWalk {
 public:
  GridWalk(const Tensor& input, const Tensor& grid, const GridSettings& settings)
      : settings_(settings), dims_(input.ndim() - 2), channels_(input.shape()[1]), batch_(input.shape()[0]) {
    for (std::size_t i = 0; i < dims_; ++i) {
      size_[3 - dims_ + i] = input.shape()[i + 2];
      places_ *= grid.shape()[i + 1];
    }
  }
  std::int64_t in_plane() const { return size_[0] * size_[1] * size_[2]; }
  std::int64_t places() const { return places_; }
  std::int64_t channels() const { return channels_; }
  std::size_t dims() const { return dims_; }

  // Calls use(sample, place, reads along depth, height and width) for all places; `grid` as it lies.
  template <class Use>
  void run(const T* grid, Use use) const {
    const Reads<T> whole{1, {0, 0, 0, 0}, {1, 0, 0, 0}, {}};
    for (std::int64_t sample = 0; sample < batch_; ++sample) {
      for (std::int64_t place = 0; place < places_; ++place, grid += dims_) {
        std::array<Reads<T>, 3> reads{whole, whole, whole};
        // The first number of the grid goes along the last dimension.
        for (std::size_t i = 0; i < dims_; ++i) reads[2 - i] = grid_reads::reads_of(grid[i], size_[2 - i], settings_);
        use(sample, place, reads);
      }
    }
  }
  // Calls use(item of the plane, index of the read along each dimension) for what lies inside.
  template <class Use>
  void for_each_read(const std::array<Reads<T>, 3>& reads, Use use) const {
    for (std::size_t z = 0; z < reads[0].count; ++z) {
      for (std::size_t y = 0; y < reads[1].count; ++y) {
        for (std::size_t x = 0; x < reads[2].count; ++x) {
          if (reads[0].at[z] < 0 || reads[1].at[y] < 0 || reads[2].at[x] < 0) continue;
          use((reads[0].at[z] * size_[1] + reads[1].at[y]) * size_[2] + reads[2].at[x],
              std::array<std::size_t, 3>{z, y, x});
        }
      }
    }
  }

 private:
  GridSettings settings_;
  std::size_t dims_;
  std::array<std::int64_t, 3> size_{1, 1, 1};
  std::int64_t channels_;
  std::int64_t batch_;
  std::int64_t places_ = 1;
};

GridSettings settings_of(OpCall& call, std::size_t first) {
  return {static_cast<Between>(call.integer(first)), static_cast<Outside>(call.integer(first + 1)),
          call.flag(first + 2)};
}

PyResult<void> sampler_shape(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& input = call.required(0);
  const Tensor& grid = call.required(1);
  const std::size_t dims = call.op.id == OpId::grid_sampler_2d ? 2 : 3;
  if (input.shape()[0] != grid.shape()[0]) {
    return object::runtime_error(in,
                                 "grid_sampler(): expected grid and input to have same batch size, but got input with "
                                 "sizes {} and grid with sizes {}",
                                 shape_text(input.shape()), shape_text(grid.shape()));
  }
  if (grid.shape()[grid.ndim() - 1] != static_cast<std::int64_t>(input.ndim()) - 2) {
    return object::runtime_error(
        in, "grid_sampler(): expected grid to have size {} in last dimension, but got grid with sizes {}",
        input.ndim() - 2, shape_text(grid.shape()));
  }
  for (std::size_t i = 2; i < input.ndim(); ++i) {
    if (input.shape()[i] > 0) continue;
    return object::runtime_error(in,
                                 "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                                 "sizes {} with dimension {} being empty",
                                 shape_text(input.shape()), i);
  }
  if (input.ndim() != dims + 2 || input.ndim() != grid.ndim()) {
    return object::runtime_error(in,
                                 "grid_sampler(): expected {}D input and grid with same number of dimensions, but got "
                                 "input with sizes {} and grid with sizes {}",
                                 dims + 2, shape_text(input.shape()), shape_text(grid.shape()));
  }
  if (dims == 3 && static_cast<Between>(call.integer(2)) == Between::Cubic) {
    return object::runtime_error(in, "grid_sampler(): bicubic interpolation only supports 4D input");
  }
  if (input.dtype() != grid.dtype()) {
    return object::runtime_error(in, "expected scalar type {} but found {}", tensor::info(input.dtype()).scalar_name,
                                 tensor::info(grid.dtype()).scalar_name);
  }
  Dims shape = input.shape();
  for (std::size_t i = 0; i < dims; ++i) shape[i + 2] = grid.shape()[i + 1];
  return call.give(shape, input.dtype());
}

PyResult<void> run_sampler(OpCall& call) {
  const Tensor& input = call.required(0);
  const Tensor& out = call.output();
  if (!tensor::is_floating(input.dtype())) {
    return object::error<object::ErrorKind::NotImplementedError>(
        call.interpreter, "grid_sampler_{}d_cpu not implemented for {}", input.ndim() - 2,
        tensor::info(input.dtype()).scalar_name);
  }
  if (out.numel() == 0) return {};
  with_real(input.dtype(), [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      const NumbersIn<T> from(input);
      const NumbersIn<T> grid(call.required(1));
      const NumbersOut<T> to(out);
      const GridWalk<T> walk(input, call.required(1), settings_of(call, 2));
      std::fill_n(to.data(), out.numel(), T());
      walk.run(grid.data(), [&](std::int64_t sample, std::int64_t place, const std::array<Reads<T>, 3>& reads) {
        walk.for_each_read(reads, [&](std::int64_t item, const std::array<std::size_t, 3>& k) {
          const T weight = reads[0].weight[k[0]] * reads[1].weight[k[1]] * reads[2].weight[k[2]];
          for (std::int64_t c = 0; c < walk.channels(); ++c) {
            const std::int64_t plane = sample * walk.channels() + c;
            to.data()[plane * walk.places() + place] += weight * from.data()[plane * walk.in_plane() + item];
          }
        });
      });
      to.store();
    }
  });
  return {};
}

// Both gradients at once.
PyResult<void> backward_shape(OpCall& call) {
  if (!tensor::is_floating(call.required(1).dtype())) {
    return not_implemented_for(call.interpreter, "grid_sampler_backward", call.required(1).dtype());
  }
  NNS_TRY(call.give(call.required(1).shape(), call.required(1).dtype()));
  return call.give(call.required(2).shape(), call.required(2).dtype());
}
PyResult<void> run_backward(OpCall& call) {
  const Tensor& input = call.required(1);
  const Tensor& grid = call.required(2);
  with_real(input.dtype(), [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      const NumbersIn<T> grads(call.required(0));
      const NumbersIn<T> from(input);
      const NumbersIn<T> places(grid);
      const NumbersOut<T> to_input(call.output(0));
      const NumbersOut<T> to_grid(call.output(1));
      std::fill_n(to_input.data(), input.numel(), T());
      std::fill_n(to_grid.data(), grid.numel(), T());
      const GridWalk<T> walk(input, grid, settings_of(call, 3));
      walk.run(places.data(), [&](std::int64_t sample, std::int64_t place, const std::array<Reads<T>, 3>& reads) {
        T* const slopes = to_grid.data() + (sample * walk.places() + place) * static_cast<std::int64_t>(walk.dims());
        walk.for_each_read(reads, [&](std::int64_t item, const std::array<std::size_t, 3>& k) {
          const T weight = reads[0].weight[k[0]] * reads[1].weight[k[1]] * reads[2].weight[k[2]];
          T product = 0;
          for (std::int64_t c = 0; c < walk.channels(); ++c) {
            const std::int64_t plane = sample * walk.channels() + c;
            const T grad = grads.data()[plane * walk.places() + place];
            to_input.data()[plane * walk.in_plane() + item] += weight * grad;
            product += grad * from.data()[plane * walk.in_plane() + item];
          }
          for (std::size_t i = 0; i < walk.dims(); ++i) {
            T change = product;
            for (std::size_t axis = 0; axis < 3; ++axis)
              change *= axis == 2 - i ? reads[axis].slope[k[axis]] : reads[axis].weight[k[axis]];
            slopes[i] += change;
          }
        });
      });
      to_input.store();
      to_grid.store();
    }
  });
  return {};
}

PyResult<void> sampler_gradients(Backward& b) {
  NNS_TRY_ASSIGN(const Value both, call_op(b.interpreter(), OpId::grid_sampler_backward,
                                           {Value(b.grad().ref()), Value(b.arg(0).ref()), Value(b.arg(1).ref()),
                                            b.value(2), b.value(3), b.value(4)}));
  const auto* const tuple = both.as<object::Tuple>();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    if (b.needs(i)) NNS_TRY(b.give(i, Term(Ref<Tensor>((*tuple)[i].as<Tensor>()))));
  }
  return {};
}

template <OpId>
OpBodies sampler_bodies(std::string_view node_name) {
  return {.shape = sampler_shape,
          .cpu = run_sampler,
          .joint = sampler_gradients,
          .joint_reads = argument(0) | argument(1),
          .node_name = node_name};
}

}  // namespace

template <>
OpBodies bodies<OpId::grid_sampler_2d>() {
  return sampler_bodies<OpId::grid_sampler_2d>("GridSampler2DBackward0");
}
template <>
OpBodies bodies<OpId::grid_sampler_3d>() {
  return sampler_bodies<OpId::grid_sampler_3d>("GridSampler3DBackward0");
}
// Behaviour: its own derivative is not implemented in torch either, which says so when it is asked for.
template <>
OpBodies bodies<OpId::grid_sampler_backward>() {
  return {.shape = backward_shape, .cpu = run_backward, .joint = [](Backward& b) -> PyResult<void> {
            return object::runtime_error(b.interpreter(),
                                         "derivative for aten::grid_sampler_{}d_backward is not implemented",
                                         b.input(1).shape.size() - 2);
          }};
}
template <>
OpBodies bodies<OpId::grid_sampler>() {
  return {.composite = [](OpCall& call) -> PyResult<Value> {
    return call_op(call.interpreter, call.required(0).ndim() == 5 ? OpId::grid_sampler_3d : OpId::grid_sampler_2d,
                   call.args);
  }};
}

}  // namespace nns::ops
