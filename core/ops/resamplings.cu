#include "core/ops/device_items.cuh"
#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/resampling_work.h"

// A thread an item of the result. A gradient goes by the maps turned round, so that it is a sum in a fixed order, too.
namespace nns::ops {
namespace {

// Which parts an item has along one dimension.
template <class T>
struct PartsOf {
  std::int64_t first, end;
  const ResamplePart<T>* parts;
  __device__ PartsOf(const ResampleAxis& axis, std::int64_t item)
      : first(item), end(item + 1), parts(reinterpret_cast<const ResamplePart<T>*>(axis.parts)) {
    if (axis.starts == nullptr) return;
    first = axis.starts[item];
    end = axis.starts[item + 1];
  }
  __device__ ResamplePart<T> operator[](std::int64_t i) const {
    if (parts == nullptr) return {T(1), i};
    return parts[i];
  }
};

template <class T>
__global__ void __launch_bounds__(kLineThreads) resample_kernel(const __grid_constant__ ResampleWork work) {
  const ResampleAxis &z_axis = work.axes[0], &y_axis = work.axes[1], &x_axis = work.axes[2];
  const std::int64_t plane = z_axis.out * y_axis.out * x_axis.out, in_plane = z_axis.in * y_axis.in * x_axis.in;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kLineThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kLineThreads + threadIdx.x; i < work.planes * plane;
       i += step) {
    const std::int64_t row = i / x_axis.out, slice = row / y_axis.out, of = slice / z_axis.out;
    const PartsOf<T> z(z_axis, slice - of * z_axis.out), y(y_axis, row - slice * y_axis.out),
        x(x_axis, i - row * x_axis.out);
    const std::byte* const in = work.in.data + of * in_plane * work.in.item_bytes;
    T sum = 0;
    for (std::int64_t a = z.first; a < z.end; ++a) {
      const ResamplePart<T> of_z = z[a];
      for (std::int64_t b = y.first; b < y.end; ++b) {
        const ResamplePart<T> of_y = y[b];
        const std::int64_t line = (of_z.at * y_axis.in + of_y.at) * x_axis.in;
        T part = 0;
        for (std::int64_t c = x.first; c < x.end; ++c) {
          const ResamplePart<T> of_x = x[c];
          part += of_x.weight * load_item<T>(work.in.dtype, in + (line + of_x.at) * work.in.item_bytes);
        }
        sum += of_z.weight * (of_y.weight * part);
      }
    }
    if constexpr (!std::is_integral_v<T>) {
      if (work.rounds) {
        const T whole = std::floor(sum + T(0.5));
        sum = whole < 0 ? T(0) : whole > 255 ? T(255) : whole;
      }
    }
    store_item(work.out.dtype, work.out.data + i * work.out.item_bytes, sum);
  }
}

}  // namespace

void launch_resample(const ResampleWork& work, StreamHandle stream) {
  const std::int64_t count = work.planes * work.axes[0].out * work.axes[1].out * work.axes[2].out;
  if (count == 0) return;
  const std::uint32_t blocks = blocks_for(count, kLineThreads);
  if (work.compute == Compute::Double)
    launch_kernel(resample_kernel<double>, blocks, kLineThreads, stream, work);
  else if (work.compute == Compute::Int64)
    launch_kernel(resample_kernel<std::int64_t>, blocks, kLineThreads, stream, work);
  else
    launch_kernel(resample_kernel<float>, blocks, kLineThreads, stream, work);
}

}  // namespace nns::ops
