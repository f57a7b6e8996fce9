#include "core/ops/batched_convolution.h"

#include <algorithm>
#include <vector>

#include "core/base/parallel.h"
#include "core/ops/gemm_blocks.h"
#include "core/ops/sample_lanes.h"

namespace nns::ops {
namespace {

// Bytes of the image of one group of samples, and of the rows of a result before they leave the lanes.
constexpr std::int64_t kImageBytes = 1024 * 1024, kRowBytes = 32 * 1024;
// Channels that a product of matrices would not fill its tiles with, and the taps of all channels.
constexpr std::int64_t kMostChannels = 33, kMostInner = 1024;
// The parts that the gradient of a weight is summed in, whatever the number of threads.
constexpr std::int64_t kMostParts = 8;

// The samples of one group of lanes, for one group of channels, with columns of zeros where windows look outside.
class SampleImage {
 public:
  explicit SampleImage(const ConvolutionShape& shape)
      : shape_(shape),
        lanes_(sample_lanes()),
        width_((shape.dims[2].out - 1) * shape.dims[2].stride + (shape.dims[2].kernel - 1) * shape.dims[2].dilation +
               1) {}

  std::int64_t row_stride() const { return width_ * lanes_; }
  std::int64_t channel_stride() const { return shape_.dims[1].in * row_stride(); }
  std::int64_t numbers() const { return shape_.in_channels * channel_stride(); }

  /// `from`: the first channel of the first sample.
  void load(const float* from, std::int64_t samples, float* to) const {
    const WindowDim& width = shape_.dims[2];
    // Columns [first, last) of the image lie at padding + column.
    const std::int64_t first = std::max<std::int64_t>(0, -width.padding);
    const std::int64_t last = std::max(first, std::min(width.in, width_ - width.padding));
    SampleRows rows{samples, shape_.groups * shape_.in_channels * shape_.in_plane(), 1, last - first, 0, 0};
    rows.rows = shape_.dims[1].in;
    rows.row_stride = width.in;
    rows.lane_row_stride = width_;
    for (std::int64_t channel = 0; channel < shape_.in_channels; ++channel) {
      float* const plane = to + channel * channel_stride();
      for (std::int64_t row = 0; row < rows.rows; ++row) {
        float* const line = plane + row * row_stride();
        std::fill_n(line, (width.padding + first) * lanes_, 0.0F);
        std::fill_n(line + (width.padding + last) * lanes_, (width_ - width.padding - last) * lanes_, 0.0F);
      }
      spread_samples(rows, from + channel * shape_.in_plane() + first, plane + (width.padding + first) * lanes_);
    }
  }

 private:
  const ConvolutionShape& shape_;
  std::int64_t lanes_;
  std::int64_t width_;
};

std::int64_t lane_groups(const ConvolutionShape& shape) { return (shape.batch + sample_lanes() - 1) / sample_lanes(); }

// Weights by blocks of channels of the result: for each channel and tap those of the block side by side.
std::vector<float> packed_weights(const ConvolutionShape& shape, const float* weight) {
  const std::int64_t inner = shape.in_channels * shape.taps();
  std::vector<float> packed(static_cast<std::size_t>(shape.out_channels * inner));
  std::int64_t block = 0;
  for (std::int64_t first = 0; first < shape.out_channels; first += block) {
    block = sample_channels(shape.out_channels - first);
    for (std::int64_t k = 0; k < block; ++k) {
      for (std::int64_t i = 0; i < inner; ++i)
        packed[static_cast<std::size_t>(first * inner + i * block + k)] = weight[(first + k) * inner + i];
    }
  }
  return packed;
}

// One group of samples and of channels.
void correlate_samples(const ConvolutionShape& shape, const SampleImage& image, const float* in, const float* weights,
                       const float* bias, std::int64_t samples, float* out) {
  static thread_local GemmScratch<float> image_scratch, row_scratch;
  const std::int64_t lanes = sample_lanes();
  const WindowDim &height = shape.dims[1], &width = shape.dims[2];
  const std::int64_t inner = shape.in_channels * shape.taps();
  float* const items = image_scratch.at_least(image.numbers());
  image.load(in, samples, items);
  std::int64_t block = 0;
  for (std::int64_t first = 0; first < shape.out_channels; first += block) {
    block = sample_channels(shape.out_channels - first);
    const std::int64_t row_bytes = block * width.out * lanes * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t rows = std::clamp<std::int64_t>(kRowBytes / row_bytes, 1, height.out);
    const float zeros[8] = {};
    SampleConvolution part;
    part.items = items;
    part.channel_stride = image.channel_stride();
    part.row_stride = image.row_stride();
    part.channels = shape.in_channels;
    part.height = height;
    part.width = width;
    part.weights = weights + first * inner;
    part.start = bias == nullptr ? zeros : bias + first;
    part.block = block;
    part.out_channel_stride = rows * width.out * lanes;
    part.out = row_scratch.at_least(block * part.out_channel_stride);
    for (std::int64_t row = 0; row < height.out; row += rows) {
      part.first_row = row;
      part.rows = std::min(rows, height.out - row);
      convolve_samples(part);
      // Rows lie behind each other on both sides.
      const SampleRows made{samples, shape.groups * shape.out_channels * shape.out_plane(), 1, part.rows * width.out, 0,
                            0};
      for (std::int64_t k = 0; k < block; ++k) {
        gather_samples(made, part.out + k * part.out_channel_stride,
                       out + (first + k) * shape.out_plane() + row * width.out);
      }
    }
  }
}

}  // namespace

bool is_batched(const ConvolutionShape& shape) {
  const WindowDim& depth = shape.dims[0];
  if (depth.in != 1 || depth.out != 1 || depth.kernel != 1 || depth.padding != 0) return false;
  const std::int64_t lanes = sample_lanes(), filled = lane_groups(shape) * lanes;
  if (filled * 2 > shape.batch * 3 || shape.out_plane() == 0 || shape.in_plane() == 0) return false;
  if (shape.out_channels >= kMostChannels || shape.in_channels * shape.taps() > kMostInner) return false;
  return SampleImage(shape).numbers() * static_cast<std::int64_t>(sizeof(float)) <= kImageBytes;
}

void correlate_batched(const ConvolutionShape& shape, const float* in, const float* weight, const float* bias,
                       float* out) {
  const std::int64_t lanes = sample_lanes();
  const std::int64_t in_items = shape.in_channels * shape.in_plane();
  const std::int64_t out_items = shape.out_channels * shape.out_plane();
  const SampleImage image(shape);
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    const std::vector<float> weights =
        packed_weights(shape, weight + group * shape.out_channels * shape.in_channels * shape.taps());
    const float* const own_bias = bias == nullptr ? nullptr : bias + group * shape.out_channels;
    base::run_ranges(lane_groups(shape), 1, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin; at < end; ++at) {
        const std::int64_t sample = at * lanes;
        correlate_samples(shape, image, in + (sample * shape.groups + group) * in_items, weights.data(), own_bias,
                          std::min(lanes, shape.batch - sample), out + (sample * shape.groups + group) * out_items);
      }
    });
  }
}

void correlate_weight_batched(const ConvolutionShape& shape, const float* in, const float* out, float* weight) {
  const std::int64_t lanes = sample_lanes();
  const std::int64_t in_items = shape.in_channels * shape.in_plane();
  const std::int64_t out_items = shape.out_channels * shape.out_plane();
  const std::int64_t weights = shape.out_channels * shape.in_channels * shape.taps();
  const std::int64_t groups = lane_groups(shape), parts = std::min(groups, kMostParts);
  const SampleImage image(shape);
  std::vector<float> sums(static_cast<std::size_t>(parts * weights));
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    base::run_parts(parts, [&](std::int64_t part) {
      static thread_local GemmScratch<float> image_scratch, grad_scratch, sum_scratch;
      SampleProducts products;
      products.items = image_scratch.at_least(image.numbers());
      products.channel_stride = image.channel_stride();
      products.row_stride = image.row_stride();
      products.channels = shape.in_channels;
      products.height = shape.dims[1];
      products.width = shape.dims[2];
      float* const grads = grad_scratch.at_least(out_items * lanes);
      products.grads = grads;
      products.out_channels = shape.out_channels;
      products.sums = sum_scratch.at_least(weights * lanes);
      std::fill_n(products.sums, weights * lanes, 0.0F);
      for (std::int64_t at = part * groups / parts; at < (part + 1) * groups / parts; ++at) {
        const std::int64_t sample = at * lanes, samples = std::min(lanes, shape.batch - sample);
        image.load(in + (sample * shape.groups + group) * in_items, samples, image_scratch.at_least(image.numbers()));
        spread_samples({samples, shape.groups * out_items, 1, out_items, 0, 0},
                       out + (sample * shape.groups + group) * out_items, grads);
        add_sample_products(products);
      }
      add_lanes(products.sums, weights, sums.data() + part * weights);
    });
    float* const own = weight + group * weights;
    std::copy_n(sums.data(), weights, own);
    for (std::int64_t part = 1; part < parts; ++part) {
      for (std::int64_t i = 0; i < weights; ++i) own[i] += sums[static_cast<std::size_t>(part * weights + i)];
    }
  }
}

}  // namespace nns::ops
