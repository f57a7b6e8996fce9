"""Schemas of ATen's ops that layers are made of, in the form that pointwise.py describes."""

ROWS = """
leaky_relu(Tensor self, Scalar negative_slope=0.01)!
elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1)!
celu(Tensor self, Scalar alpha=1.0)!
gelu(Tensor self, *, str approximate='none')!
softplus(Tensor self, Scalar beta=1, Scalar threshold=20)
hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1)!
hardshrink(Tensor self, Scalar lambd=0.5)
softshrink(Tensor self, Scalar lambd=0.5)
threshold(Tensor self, Scalar threshold, Scalar value)!
glu(Tensor self, int dim=-1)
rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None)!
softmax.int(Tensor self, int dim, ScalarType? dtype=None)
log_softmax.int(Tensor self, int dim, ScalarType? dtype=None)
_softmax(Tensor self, int dim, bool half_to_float:False)
_log_softmax(Tensor self, int dim, bool half_to_float:False)
dropout(Tensor input, float p, bool train)
dropout_(Tensor self, float p, bool train)
feature_dropout(Tensor input, float p, bool train)
feature_dropout_(Tensor self, float p, bool train)
alpha_dropout(Tensor input, float p, bool train)
alpha_dropout_(Tensor self, float p, bool train)
feature_alpha_dropout(Tensor input, float p, bool train)
feature_alpha_dropout_(Tensor self, float p, bool train)
native_dropout(Tensor input, float p, bool? train) -> 2
layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True)
native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> 3
group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True)
native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> 3
rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None)
_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> 2
batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled:True)
instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled:True)
native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> 3
_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> 3
_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> 3
_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> 5
_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> 3
scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False)
_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> 2
embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False)
embedding_renorm_(Tensor self, Tensor indices, float max_norm, float norm_type)
embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq:False, int mode:0, bool sparse:False, Tensor? per_sample_weights, bool include_last_offset:False, int? padding_idx:None) -> 4
linear(Tensor input, Tensor weight, Tensor? bias=None)
bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None)
cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08)
pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False)
pdist(Tensor self, float p=2)
cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None)
norm_except_dim(Tensor v, int pow=2, int dim=0)
_weight_norm(Tensor v, Tensor g, int dim=0)
nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100)
nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> 2
cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100, float label_smoothing=0.0)
ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False)
ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False)
mse_loss(Tensor self, Tensor target, int reduction=1)
l1_loss(Tensor self, Tensor target, int reduction=1)
smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0)
huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0)
soft_margin_loss(Tensor self, Tensor target, int reduction=1)
kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False)
poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction)
hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=1)
margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1)
cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1)
triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, int reduction=1)
multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1)
multilabel_margin_loss(Tensor self, Tensor target, int reduction=1)
binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1)
binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1)
convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups)
conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] dilation=1, int groups=1)
conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding='valid', int[1] dilation=1, int groups=1)
conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1)
conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, str padding='valid', int[2] dilation=1, int groups=1)
conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] dilation=1, int groups=1)
conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, str padding='valid', int[3] dilation=1, int groups=1)
conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1)
conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] output_padding=0, int groups=1, int[2] dilation=1)
conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] output_padding=0, int groups=1, int[3] dilation=1)
conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0)
constant_pad_nd(Tensor self, int[] pad, Scalar value=0)
pad(Tensor self, int[] pad, str mode='constant', float? value=None)
reflection_pad1d(Tensor self, int[2] padding)
reflection_pad2d(Tensor self, int[4] padding)
reflection_pad3d(Tensor self, int[6] padding)
replication_pad1d(Tensor self, int[2] padding)
replication_pad2d(Tensor self, int[4] padding)
replication_pad3d(Tensor self, int[6] padding)
max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False)
max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False)
max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False)
max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> 2
max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> 2
max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> 2
adaptive_max_pool1d(Tensor self, int[1] output_size) -> 2
adaptive_max_pool2d(Tensor self, int[2] output_size) -> 2
adaptive_max_pool3d(Tensor self, int[3] output_size) -> 2
fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> 2
fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> 2
max_unpool2d(Tensor self, Tensor indices, int[2] output_size)
max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding)
avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, bool count_include_pad=True)
avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None)
avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None)
adaptive_avg_pool1d(Tensor self, int[1] output_size)
adaptive_avg_pool2d(Tensor self, int[2] output_size)
adaptive_avg_pool3d(Tensor self, int[3] output_size)
_adaptive_avg_pool2d(Tensor self, int[2] output_size)
_adaptive_avg_pool3d(Tensor self, int[3] output_size)
upsample_nearest1d.vec(Tensor input, int[]? output_size, float[]? scale_factors)
upsample_nearest2d.vec(Tensor input, int[]? output_size, float[]? scale_factors)
upsample_nearest3d.vec(Tensor input, int[]? output_size, float[]? scale_factors)
_upsample_nearest_exact1d.vec(Tensor input, int[]? output_size, float[]? scale_factors)
_upsample_nearest_exact2d.vec(Tensor input, int[]? output_size, float[]? scale_factors)
_upsample_nearest_exact3d.vec(Tensor input, int[]? output_size, float[]? scale_factors)
upsample_linear1d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors)
upsample_bilinear2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors)
upsample_trilinear3d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors)
upsample_bicubic2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors)
_upsample_bilinear2d_aa.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors)
_upsample_bicubic2d_aa.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors)
im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride)
col2im(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride)
pixel_shuffle(Tensor self, int upscale_factor)
pixel_unshuffle(Tensor self, int downscale_factor)
channel_shuffle(Tensor self, int groups)
affine_grid_generator(Tensor theta, int[] size, bool align_corners)
grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)
grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)
grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners)
lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> 3
gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> 2
rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> 2
rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> 2
lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> 2
gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None)
sym_size.int(Tensor self, int dim) -> int
sym_numel(Tensor self) -> int
_assert_tensor_metadata(Tensor a, int[]? size=None, int[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> 0
"""
