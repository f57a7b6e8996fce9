#include <algorithm>
#include <cmath>

#include "core/ops/errors.h"
#include "core/ops/node.h"
#include "core/ops/plain_numbers.h"
#include "core/ops/term.h"

// Items of an image at the places that a grid names: -1 to 1 from one edge to the other.
// Behaviour: aten/src/ATen/native/{GridSampler.cpp,GridSampler.h}; gradients: tools/autograd/derivatives.yaml.
namespace nns::ops {
namespace {

enum class Between : std::uint8_t { Linear, Nearest, Cubic };
enum class Outside : std::uint8_t { Zeros, Border, Reflection };

// A number and by how much it changes with the coordinate that it was made of.
template <class T>
struct Place {
  T at = 0;
  T slope = 1;
};

// A coordinate of the grid in items of the image.
template <class T>
Place<T> in_items(T coordinate, std::int64_t size, bool aligns_corners) {
  const T extent = static_cast<T>(size);
  if (aligns_corners) return {(coordinate + 1) / 2 * (extent - 1), (extent - 1) / 2};
  return {((coordinate + 1) * extent - 1) / 2, extent / 2};
}

template <class T>
Place<T> clipped(Place<T> place, std::int64_t size) {
  const T last = static_cast<T>(size - 1);
  if (place.at <= 0) return {0, 0};
  if (place.at >= last) return {last, 0};
  return place;
}

// Mirrored at the edges until it lies inside.
template <class T>
Place<T> reflected(Place<T> place, std::int64_t size, bool aligns_corners) {
  const std::int64_t twice_low = aligns_corners ? 0 : -1;
  const std::int64_t twice_high = aligns_corners ? 2 * (size - 1) : 2 * size - 1;
  if (twice_low == twice_high) return {0, 0};
  const T low = static_cast<T>(twice_low) / 2;
  const T span = static_cast<T>(twice_high - twice_low) / 2;
  T at = place.at - low;
  T slope = place.slope;
  if (at < 0) {
    at = -at;
    slope = -slope;
  }
  const T extra = std::fmod(at, span);
  const auto flips = static_cast<std::int64_t>(std::floor(at / span));
  if (flips % 2 == 0) return {extra + low, slope};
  return {span - extra + low, -slope};
}

template <class T>
Place<T> moved_inside(Place<T> place, std::int64_t size, Outside outside, bool aligns_corners) {
  if (outside == Outside::Border) return clipped(place, size);
  if (outside == Outside::Reflection) return clipped(reflected(place, size, aligns_corners), size);
  return place;
}

// What is neither a number nor near the image is far outside of it.
template <class T>
T kept_finite(T at) {
  return std::abs(at) < T(1e9) ? at : T(-100);
}

// The items along one dimension that a place reads: their indices (-1: outside, where there is 0), weights, and by how
// much the weights change with the coordinate.
template <class T>
struct Reads {
  std::size_t count = 0;
  std::array<std::int64_t, 4> at{};
  std::array<T, 4> weight{};
  std::array<T, 4> slope{};
};

template <class T>
std::int64_t inside_or_none(T at, std::int64_t size) {
  return at >= 0 && at <= static_cast<T>(size - 1) ? static_cast<std::int64_t>(at) : -1;
}

template <class T>
std::array<T, 4> cubic_weights(T t) {
  constexpr T kA = T(-0.75);
  const auto near = [](T x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  const auto far = [](T x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}
template <class T>
std::array<T, 4> cubic_slopes(T t) {
  constexpr T kA = T(-0.75);
  const auto near = [](T x) { return (3 * (kA + 2) * x - 2 * (kA + 3)) * x; };
  const auto far = [](T x) { return (3 * kA * x - 10 * kA) * x + 8 * kA; };
  return {far(t + 1), near(t), -near(1 - t), -far(2 - t)};
}

struct Settings {
  Between between;
  Outside outside;
  bool aligns_corners;
};

template <class T>
Reads<T> reads_of(T coordinate, std::int64_t size, const Settings& s) {
  Reads<T> reads;
  const Place<T> plain = in_items(coordinate, size, s.aligns_corners);
  if (s.between == Between::Cubic) {
    const T base = std::floor(kept_finite(plain.at));
    const T part = kept_finite(plain.at) - base;
    reads.count = 4;
    reads.weight = cubic_weights(part);
    reads.slope = cubic_slopes(part);
    for (std::size_t i = 0; i < 4; ++i) {
      reads.slope[i] *= plain.slope;
      const Place<T> item{base - 1 + static_cast<T>(i), 1};
      reads.at[i] = inside_or_none(moved_inside(item, size, s.outside, s.aligns_corners).at, size);
    }
    return reads;
  }
  Place<T> place = moved_inside(plain, size, s.outside, s.aligns_corners);
  place.at = kept_finite(place.at);
  if (s.between == Between::Nearest) {
    reads.count = 1;
    reads.at[0] = inside_or_none(std::nearbyint(place.at), size);
    reads.weight[0] = 1;
    return reads;
  }
  const T low = std::floor(place.at);
  reads.count = 2;
  reads.at = {inside_or_none(low, size), inside_or_none(low + 1, size)};
  reads.weight = {low + 1 - place.at, place.at - low};
  reads.slope = {-place.slope, place.slope};
  return reads;
}

// A walk over all places of the grid.
template <class T>
class GridWalk {
 public:
  GridWalk(const Tensor& input, const Tensor& grid, const Settings& settings)
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
        for (std::size_t i = 0; i < dims_; ++i) reads[2 - i] = reads_of(grid[i], size_[2 - i], settings_);
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
  Settings settings_;
  std::size_t dims_;
  std::array<std::int64_t, 3> size_{1, 1, 1};
  std::int64_t channels_;
  std::int64_t batch_;
  std::int64_t places_ = 1;
};

Settings settings_of(OpCall& call, std::size_t first) {
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
