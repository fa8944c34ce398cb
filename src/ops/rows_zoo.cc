// SPDX-License-Identifier: Apache-2.0
// The op table: types of the zoo (zoo/op_types.h). Products take their factors as they lie: no type transposes. Bytes
// that the zoo states itself, since it knows more than the shapes, win over those of the table.
#include <array>

#include "ops/rows.h"

namespace berth::rows {
namespace {

using enum CostClass;

constexpr std::array kZooRows{
    OpRow{"matmul batch_matmul", {kMatmul, product()}},
    OpRow{"conv2d conv1d", {kConvWindowed, conv()}},
    OpRow{"conv2d_grad_input conv1d_grad_input", {kConvGradWindowed, conv_from(0, 1)}},
    OpRow{"conv2d_grad_weight conv1d_grad_weight", {kConvGradWindowed, filter_gradient(0)}},
    OpRow{"add mul scale neg bias_add select sigmoid tanh relu gelu silu grad_add", {kElementwise}},
    OpRow{"select_grad sigmoid_grad tanh_grad relu_grad gelu_grad silu_grad dropout_grad", {kElementwise}},
    OpRow{"softmax log_softmax", {kSoftmax}},
    OpRow{"softmax_grad log_softmax_grad", {kSoftmaxGrad}},
    OpRow{"layer_norm rms_norm", {kLayerNorm}},
    OpRow{"layer_norm_grad rms_norm_grad", {kLayerNormGrad}},
    OpRow{"batch_norm", {kBatchNorm}},
    OpRow{"batch_norm_grad", {kBatchNormGrad}},
    OpRow{"max_pool avg_pool", {kPool}},
    OpRow{"max_pool_grad avg_pool_grad", {kPoolGrad}},
    OpRow{"reduce_sum reduce_mean argmax topk", {kReduction}},
    OpRow{"broadcast concat stack contiguous slice_grad", {kCopy}},
    OpRow{"zeros ones", {kFill}},
    OpRow{"dropout", {kRandom}},
    OpRow{"embedding nll_loss moe_dispatch", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"moe_combine", {kGather}},
    OpRow{"embedding_grad topk_grad moe_dispatch_grad moe_combine_grad", {kScatter}},
    OpRow{"nll_loss_grad", {kLossGrad}},
    OpRow{"sgd_update momentum_update adam_update",
          {.cost_class = kUpdate, .traffic = rewrites(1), .effect = Effect::kUpdate}},
    OpRow{"reshape", view()},
    OpRow{"transpose split unstack slice", view(kCopy)},
    OpRow{"parameter buffer constant input", {.cost_class = kNothing, .traffic = kUntouched}},
    // Serving of language models (serving/workload.h), which states flops and bytes itself.
    OpRow{"streamed_product streamed_product_8bit streamed_product_4bit", {kMatmul}},
    OpRow{"streamed_experts streamed_experts_8bit streamed_experts_4bit", {kMatmul}},
    OpRow{"cached_attention", {kAttention}},
    // Words that people use in graphs of their own and that no framework has.
    OpRow{"dense inner_product", {kMatmul}},
    OpRow{"truediv max2 fma", {kElementwise}},
    OpRow{"permute split_grad", {kCopy}},
    OpRow{"embedding_lookup", {.cost_class = kGather, .traffic = gathered()}},
    OpRow{"output group_deps", {.cost_class = kNothing, .traffic = kUntouched}},
};

}  // namespace

std::span<const OpRow> zoo() { return kZooRows; }

}  // namespace berth::rows
