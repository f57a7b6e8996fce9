#include <array>

#include "native/cuda/ops.h"

namespace nns::cuda {
namespace {

// What the CPU's body does, which calls only run_elements() and copy_items(): these go to the device by themselves.
PyResult<void> run_shared(Ops&, OpCall& call) { return call.op.bodies.cpu(call); }

struct Row {
  OpId id;
  CudaBody body;
};

constexpr OpId kShared[] = {
    // pointwise_unary.cpp
    OpId::neg, OpId::abs, OpId::sign, OpId::exp, OpId::exp2, OpId::expm1, OpId::log, OpId::log2, OpId::log10,
    OpId::log1p, OpId::sqrt, OpId::rsqrt, OpId::square, OpId::reciprocal, OpId::sin, OpId::cos, OpId::tan, OpId::asin,
    OpId::acos, OpId::atan, OpId::sinh, OpId::cosh, OpId::tanh, OpId::asinh, OpId::acosh, OpId::atanh, OpId::erf,
    OpId::erfc, OpId::sigmoid, OpId::floor, OpId::ceil, OpId::round, OpId::trunc, OpId::frac, OpId::isnan, OpId::isinf,
    OpId::isfinite, OpId::logical_not, OpId::conj_physical, OpId::real, OpId::imag, OpId::bitwise_not,
    // activations.cpp, gated_activations.cpp
    OpId::relu, OpId::leaky_relu, OpId::elu, OpId::selu, OpId::celu, OpId::silu, OpId::mish, OpId::gelu, OpId::softplus,
    OpId::logsigmoid, OpId::hardtanh, OpId::hardsigmoid, OpId::hardswish, OpId::hardshrink, OpId::softshrink,
    OpId::threshold, OpId::glu, OpId::prelu_kernel,
    // pointwise_binary.cpp
    OpId::add, OpId::sub, OpId::mul, OpId::div, OpId::trunc_divide, OpId::floor_divide, OpId::remainder, OpId::fmod,
    OpId::pow, OpId::maximum, OpId::minimum, OpId::atan2, OpId::eq, OpId::ne, OpId::lt, OpId::le, OpId::gt, OpId::ge,
    OpId::logical_and, OpId::logical_or, OpId::logical_xor, OpId::bitwise_and, OpId::bitwise_or, OpId::bitwise_xor,
    OpId::bitwise_left_shift, OpId::bitwise_right_shift,
    // pointwise_several.cpp
    OpId::where, OpId::masked_fill, OpId::clamp, OpId::lerp, OpId::addcmul, OpId::addcdiv,
    // copies.cpp, joining.cpp
    OpId::clone, OpId::to_dtype, OpId::to_device, OpId::copy, OpId::fill, OpId::cat, OpId::stack, OpId::flip,
    OpId::repeat,
    // dropout.cpp
    OpId::native_dropout, OpId::native_dropout_backward,
    // padding.cpp
    OpId::constant_pad_nd};

constexpr Row kRows[] = {
    {OpId::sum, run_reduction},
    {OpId::sum_dim, run_reduction},
    {OpId::mean, run_reduction},
    {OpId::mean_dim, run_reduction},
    {OpId::prod, run_reduction},
    {OpId::prod_dim, run_reduction},
    {OpId::var, run_reduction},
    {OpId::std, run_reduction},
    {OpId::max, run_reduction},
    {OpId::min, run_reduction},
    {OpId::max_dim, run_reduction},
    {OpId::min_dim, run_reduction},
    {OpId::amax, run_reduction},
    {OpId::amin, run_reduction},
    {OpId::argmax, run_reduction},
    {OpId::argmin, run_reduction},
    {OpId::any, run_reduction},
    {OpId::all, run_reduction},
    {OpId::count_nonzero, run_reduction},
    {OpId::norm, run_reduction},
    {OpId::logsumexp, run_reduction},
    {OpId::softmax_same, run_softmax},
    {OpId::log_softmax_same, run_softmax},
    {OpId::native_layer_norm, run_layer_norm},
    {OpId::native_layer_norm_backward, run_layer_norm_backward},
    {OpId::embedding, run_embedding},
    {OpId::embedding_dense_backward, run_embedding_backward},
    {OpId::embedding_bag, run_embedding_bag},
    {OpId::nll_loss_forward, run_class_loss},
    {OpId::cross_entropy_fused, run_class_loss},
    {OpId::class_loss_shares, run_class_loss_shares},
    {OpId::cross_entropy_backward, run_cross_entropy_backward},
    {OpId::mse_loss, run_mse_loss},
    {OpId::mm, run_mm},
    {OpId::bmm, run_bmm},
    {OpId::addmm, run_addmm},
    {OpId::dot, run_dot},
    {OpId::mv, run_mv},
    {OpId::convolution, run_convolution},
    {OpId::convolution_weight_gradient, run_convolution_weight_gradient},
    {OpId::flash_attention, run_attention},
    {OpId::flash_attention_backward, run_attention_backward},
    {OpId::dropped_attention, run_attention},
    {OpId::dropped_attention_backward, run_attention_backward},
    {OpId::gather, run_gather},
    {OpId::scatter, run_scatter},
    {OpId::scatter_add, run_scatter_add},
    {OpId::index_select, run_index_select},
    {OpId::index_add, run_index_add},
    {OpId::index, run_index},
    {OpId::index_put, run_index_put},
    {OpId::cumsum, run_scan},
    {OpId::cumprod, run_scan},
    {OpId::cummax, run_scan},
    {OpId::cummin, run_scan},
    {OpId::logcumsumexp, run_scan},
    {OpId::scatter_reduce, run_scatter_reduce},
    {OpId::searchsorted, run_search},
    {OpId::histc, run_histogram},
    {OpId::sort, run_sort},
    {OpId::topk, run_topk},
    {OpId::kthvalue, run_rank},
    {OpId::median_dim, run_rank},
    {OpId::nanmedian_dim, run_rank},
    {OpId::median, run_median},
    {OpId::nanmedian, run_median},
    {OpId::mode, run_mode},
    {OpId::nonzero, run_nonzero},
    {OpId::tril, run_triangle},
    {OpId::triu, run_triangle},
    {OpId::max_pool2d_with_indices, run_max_pool},
    {OpId::max_pool3d_with_indices, run_max_pool},
    {OpId::adaptive_max_pool2d, run_adaptive_max_pool},
    {OpId::adaptive_max_pool3d, run_adaptive_max_pool},
    {OpId::max_unpool2d, run_unpool},
    {OpId::max_unpool3d, run_unpool},
    {OpId::pool_scatter, run_pool_scatter},
    {OpId::pool_gather, run_pool_gather},
    {OpId::avg_pool2d, run_average_pool},
    {OpId::avg_pool3d, run_average_pool},
    {OpId::avg_pool_backward, run_average_pool_backward},
    {OpId::adaptive_avg_pool2d_windows, run_adaptive_average_pool},
    {OpId::adaptive_avg_pool3d_windows, run_adaptive_average_pool},
    {OpId::reflection_pad1d, run_padding},
    {OpId::reflection_pad2d, run_padding},
    {OpId::reflection_pad3d, run_padding},
    {OpId::replication_pad1d, run_padding},
    {OpId::replication_pad2d, run_padding},
    {OpId::replication_pad3d, run_padding},
    {OpId::pad_circular, run_padding},
    {OpId::pad_backward, run_padding},
    {OpId::upsample_nearest1d, run_resizing},
    {OpId::upsample_nearest2d, run_resizing},
    {OpId::upsample_nearest3d, run_resizing},
    {OpId::upsample_nearest_exact1d, run_resizing},
    {OpId::upsample_nearest_exact2d, run_resizing},
    {OpId::upsample_nearest_exact3d, run_resizing},
    {OpId::upsample_linear1d, run_resizing},
    {OpId::upsample_bilinear2d, run_resizing},
    {OpId::upsample_trilinear3d, run_resizing},
    {OpId::upsample_bicubic2d, run_resizing},
    {OpId::upsample_bilinear2d_aa, run_resizing},
    {OpId::upsample_bicubic2d_aa, run_resizing},
    {OpId::upsample_backward, run_resizing},
    {OpId::grid_sampler_2d, run_grid_sampler},
    {OpId::grid_sampler_3d, run_grid_sampler},
    {OpId::grid_sampler_backward, run_grid_sampler_backward},
    {OpId::adaptive_avg_pool_backward, run_adaptive_average_pool_backward},
    {OpId::native_batch_norm, run_batch_norm},
    {OpId::native_batch_norm_backward, run_batch_norm_backward},
    {OpId::native_group_norm, run_group_norm},
    {OpId::native_group_norm_backward, run_group_norm_backward},
    {OpId::fused_rms_norm, run_rms_norm},
    {OpId::fused_rms_norm_backward, run_rms_norm_backward},
};

constexpr std::array<CudaBody, ops::kOps> make_table() {
  std::array<CudaBody, ops::kOps> table{};
  for (const OpId id : kShared) table[static_cast<std::size_t>(id)] = run_shared;
  for (const Row& row : kRows) table[static_cast<std::size_t>(row.id)] = row.body;
  return table;
}

}  // namespace

CudaBody cuda_body(OpId id) {
  static constexpr std::array<CudaBody, ops::kOps> kTable = make_table();
  return kTable[static_cast<std::size_t>(id)];
}

bool runs_cpu_body(OpId id) { return cuda_body(id) == run_shared; }

}  // namespace nns::cuda
