// SPDX-License-Identifier: Apache-2.0
// The op table: ATen, as torch.export and captured graphs name it. Overloads share a row; a name with an underscore
// behind it ("add_") is the same op in place. What is read follows from native_functions.yaml and derivatives.yaml of
// PyTorch.
#include <array>

#include "ops/rows.h"

namespace berth::rows {
namespace {

using enum CostClass;

constexpr std::array kAtenRows{
    OpRow{"mm bmm matmul mv dot vdot inner linear _scaled_mm _int_mm", {kMatmul, product()}},
    OpRow{"addmm baddbmm addmv", {kMatmul, product(1)}},
    OpRow{"addbmm", {kMatmul, {.formula = Formula::kSumOfProducts, .data = 1}}},
    OpRow{"einsum", {kMatmul, by(Formula::kEinsum)}},
    OpRow{"bilinear", {kMatmul, recurrent(0, 2, 1)}},
    OpRow{"lstm gru rnn_tanh rnn_relu", {kMatmul, recurrent(0, 1, 0)}},
    OpRow{"lstm_cell", {kMatmul, recurrent(0, 3, 2)}},
    OpRow{"gru_cell rnn_tanh_cell rnn_relu_cell", {kMatmul, recurrent(0, 2, 2)}},
    OpRow{"convolution conv1d conv2d conv3d cudnn_convolution mkldnn_convolution", {kConvWindowed, conv()}},
    OpRow{"conv_transpose1d conv_transpose2d conv_transpose3d", {kConvWindowed, conv_from(0, 1)}},
    OpRow{"convolution_backward", {kConvGradWindowed, by(Formula::kConvBackward)}},
    OpRow{"scaled_dot_product_attention _scaled_dot_product_flash_attention flex_attention",
          {kAttention, by(Formula::kAttention)}},
    OpRow{"_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention",
          {kAttention, by(Formula::kAttention)}},
    OpRow{"_scaled_dot_product_attention_math _scaled_dot_product_flash_attention_for_cpu",
          {kAttention, by(Formula::kAttention)}},
    OpRow{"_scaled_dot_product_flash_attention_backward _scaled_dot_product_efficient_attention_backward",
          {kAttention, by(Formula::kAttentionGrad)}},
    OpRow{"_scaled_dot_product_cudnn_attention_backward _scaled_dot_product_flash_attention_for_cpu_backward",
          {kAttention, by(Formula::kAttentionGrad)}},

    OpRow{"add sub subtract rsub mul multiply div divide true_divide neg negative abs sign exp exp2", {kElementwise}},
    OpRow{"expm1 log log2 log10 log1p sqrt rsqrt square pow reciprocal floor ceil round trunc frac", {kElementwise}},
    OpRow{"sin cos tan asin acos atan atan2 sinh cosh asinh acosh atanh erf erfc erfinv sinc", {kElementwise}},
    OpRow{"fmod remainder floor_divide maximum minimum fmax fmin clamp clamp_min clamp_max clip", {kElementwise}},
    OpRow{"sigmoid tanh relu relu6 leaky_relu prelu _prelu_kernel elu selu celu gelu silu mish glu", {kElementwise}},
    OpRow{"softplus softsign hardtanh hardswish hardsigmoid hardshrink softshrink log_sigmoid", {kElementwise}},
    OpRow{"log_sigmoid_forward threshold native_dropout_backward addcmul addcdiv lerp logit", {kElementwise}},
    OpRow{"where masked_fill eq ne lt le gt ge logical_and logical_or logical_not logical_xor", {kElementwise}},
    OpRow{"__and__ __or__ __xor__ bitwise_and bitwise_or bitwise_xor bitwise_not isnan isinf", {kElementwise}},
    OpRow{"isfinite diff nan_to_num _to_copy polar complex conj_physical angle bucketize", {kElementwise}},
    OpRow{"fake_quantize_per_tensor_affine fake_quantize_per_channel_affine quantize_per_tensor", {kElementwise}},
    OpRow{"mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy fft_rfft fft_irfft", {kElementwise}},
    OpRow{"to type_as convert_element_type", {.cost_class = kElementwise, .effect = Effect::kViewIfSameType}},
    OpRow{"dropout feature_dropout alpha_dropout", {.cost_class = kRandom, .effect = Effect::kViewUnlessTraining}},
    OpRow{"native_dropout bernoulli rand randn randint randperm normal uniform multinomial exponential", {kRandom}},
    OpRow{"rand_like randn_like randint_like", {.cost_class = kRandom, .traffic = shape_of()}},

    OpRow{"cat concat concatenate stack hstack vstack clone copy repeat tile pad constant_pad_nd", {kCopy}},
    OpRow{"reflection_pad1d reflection_pad2d replication_pad2d flip roll rot90 pixel_shuffle", {kCopy}},
    OpRow{"pixel_unshuffle channel_shuffle im2col col2im index_copy slice_scatter select_scatter", {kCopy}},
    OpRow{"slice_backward select_backward split_copy split_with_sizes_copy unbind_copy expand_copy", {kCopy}},
    OpRow{"upsample_nearest1d upsample_nearest2d upsample_bilinear2d upsample_bicubic2d grid_sampler", {kCopy}},
    OpRow{"_upsample_bilinear2d_aa _upsample_bicubic2d_aa upsample_linear1d grid_sampler_2d", {kCopy}},
    OpRow{"permute_copy transpose_copy view_copy squeeze_copy unsqueeze_copy", {kCopy}},
    OpRow{"slice_copy select_copy narrow_copy", {.cost_class = kCopy, .traffic = gathered()}},
    OpRow{"contiguous", {.cost_class = kCopy, .effect = Effect::kMayView}},
    OpRow{"zeros ones full fill zero arange range eye linspace scalar_tensor empty empty_strided", {kFill}},
    OpRow{"one_hot tril triu tril_indices triu_indices empty_permuted", {kFill}},
    OpRow{"zeros_like ones_like full_like new_zeros new_ones new_full", {.cost_class = kFill, .traffic = shape_of()}},
    OpRow{"empty_like new_empty new_empty_strided", {.cost_class = kFill, .traffic = kUntouched}},
    OpRow{"sum mean max min prod amax amin aminmax var std var_mean std_mean norm linalg_vector_norm", {kReduction}},
    OpRow{"logsumexp all any argmax argmin topk sort argsort msort cumsum cumprod logcumsumexp", {kReduction}},
    OpRow{"bincount unique unique2 unique_consecutive nonzero count_nonzero median kthvalue mode", {kReduction}},
    OpRow{"nansum cummax cummin histc searchsorted nms", {kReduction}},
    OpRow{"_softmax _log_softmax _safe_softmax cross_entropy_loss", {kSoftmax}},
    OpRow{"_softmax_backward_data _log_softmax_backward_data softmax_backward log_softmax_backward", {kSoftmaxGrad}},
    OpRow{"batch_norm native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional", {kBatchNorm}},
    OpRow{"_batch_norm_with_update cudnn_batch_norm miopen_batch_norm instance_norm", {kBatchNorm}},
    OpRow{"_native_batch_norm_legit_no_training _batch_norm_no_update", {kBatchNormInference}},
    OpRow{"native_batch_norm_backward batch_norm_backward cudnn_batch_norm_backward", {kBatchNormGrad}},
    OpRow{"layer_norm native_layer_norm rms_norm _fused_rms_norm group_norm native_group_norm", {kLayerNorm}},
    OpRow{"native_layer_norm_backward _fused_rms_norm_backward native_group_norm_backward", {kLayerNormGrad}},
    OpRow{"max_pool1d max_pool2d max_pool3d max_pool2d_with_indices max_pool3d_with_indices", {kPool}},
    OpRow{"avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d", {kPool}},
    OpRow{"adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d roi_align", {kPool}},
    OpRow{"max_pool2d_with_indices_backward avg_pool2d_backward", {.cost_class = kPoolGrad, .traffic = shape_of(1)}},
    OpRow{"adaptive_avg_pool2d_backward avg_pool3d_backward", {kPoolGrad}},
    OpRow{"embedding gather index index_select", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"nll_loss_forward nll_loss2d_forward", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"take take_along_dim embedding_bag nll_loss nll_loss_nd masked_select",
          {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"repeat_interleave", {kGather}},
    OpRow{"embedding_dense_backward embedding_backward scatter scatter_add scatter_reduce index_put", {kScatter}},
    OpRow{"_unsafe_index_put _index_put_impl index_add index_fill index_reduce masked_scatter", {kScatter}},
    OpRow{"nll_loss_backward nll_loss2d_backward", {.cost_class = kLossGrad, .traffic = shape_of(1)}},
    OpRow{"sgd_update", {.cost_class = kUpdate, .traffic = rewrites(1), .effect = Effect::kUpdate}},

    OpRow{"view _unsafe_view _reshape_alias reshape flatten unflatten view_as squeeze unsqueeze", view()},
    OpRow{"getitem alias detach lift_fresh lift_fresh_copy t as_strided expand expand_as broadcast_to", view()},
    OpRow{"permute transpose swapaxes movedim slice select narrow split split_with_sizes chunk", view()},
    OpRow{"tensor_split unbind diagonal unfold real imag view_as_real view_as_complex numpy_T mT", view()},
    OpRow{"broadcast_in_dim ravel unsafe_split unsafe_chunk", view()},
    OpRow{"_assert_tensor_metadata _assert_tensor _assert_scalar _assert_async sym_size sym_numel",
          {.cost_class = kNothing, .traffic = kUntouched}},
    OpRow{"sym_stride sym_constrain_range sym_constrain_range_for_size item _local_scalar_dense size",
          {.cost_class = kNothing, .traffic = kUntouched}},
};

}  // namespace

std::span<const OpRow> aten() { return kAtenRows; }

}  // namespace berth::rows
