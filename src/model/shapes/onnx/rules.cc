// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/shapes/onnx/attention.h"
#include "model/shapes/onnx/elementwise.h"
#include "model/shapes/onnx/images.h"
#include "model/shapes/onnx/indexing.h"
#include "model/shapes/onnx/layout.h"
#include "model/shapes/onnx/norms.h"
#include "model/shapes/onnx/products.h"
#include "model/shapes/onnx/sequences.h"
#include "model/shapes/onnx/signals.h"
#include "model/shapes/onnx/windows.h"

namespace berth {
namespace {

using Rule = Outputs (*)(const OnnxView&);

struct TypeRule {
  std::string_view types;  // with spaces between; after a "com.microsoft:" all are of that domain
  Rule rule;
};

constexpr std::string_view kMicrosoft = "com.microsoft:";

constexpr TypeRule kRules[] = {
    {"Relu Sigmoid Tanh Gelu Erf Exp Log Sqrt Reciprocal Neg Abs Sign Floor Ceil Round Softplus Softsign Elu Selu "
     "Shrink "
     "LeakyRelu PRelu Celu HardSigmoid HardSwish Mish Swish ThresholdedRelu Clip Sin Cos Tan Asin Acos Atan Sinh Cosh "
     "Asinh Acosh Atanh BitwiseNot Identity Softmax LogSoftmax Hardmax LRN LpNormalization InstanceNormalization "
     "GroupNormalization MeanVarianceNormalization CumSum CumProd ScatterND ScatterElements Scatter TensorScatter "
     "Trilu Bernoulli ReverseSequence RotaryEmbedding Optional OptionalGetElement",
     infer_like_first},
    {"com.microsoft: Gelu FastGelu BiasGelu QuickGelu FusedGelu BiasAdd BiasSoftmax GroupNorm SkipGroupNorm "
     "RotaryEmbedding "
     "MoE QMoE LongformerAttention QLinearSigmoid QLinearLeakyRelu QLinearSoftmax GeluGrad FastGeluGrad "
     "BiasGeluGrad_dX "
     "BiasFastGeluGrad_dX SoftmaxGrad SoftmaxGrad_13 LogSoftmaxGrad LogSoftmaxGrad_13 ReluGrad TanhGrad SigmoidGrad "
     "DropoutGrad BitmaskDropoutGrad BiasDropoutGrad FakeQuantGrad ScaledSum ZeroGradient GlobalAveragePoolGrad",
     infer_like_first},
    {"com.microsoft: SoftmaxCrossEntropyLossInternalGrad SoftmaxCrossEntropyLossGrad SoftmaxCrossEntropyGrad",
     infer_like_second},
    {"com.microsoft: YieldOp PassThrough", infer_pairs},
    {"Dropout", infer_dropout},
    {"com.microsoft: BiasDropout FakeQuant", infer_dropout},
    {"com.microsoft: BitmaskDropout BitmaskBiasDropout", infer_bitmask_dropout},
    {"Add Sub Mul Div Pow Mod Max Min Mean Sum BitwiseAnd BitwiseOr BitwiseXor BitShift", infer_elementwise},
    {"Equal Less LessOrEqual Greater GreaterOrEqual And Or Xor Not IsNaN IsInf", infer_comparison},
    {"Where", infer_where},
    {"Cast", infer_cast},
    {"CastLike", infer_cast_like},
    {"QuantizeLinear", infer_quantize},
    {"com.microsoft: QuantizeLinear", infer_quantize},
    {"DequantizeLinear", infer_dequantize},
    {"com.microsoft: DequantizeLinear", infer_dequantize},
    {"DynamicQuantizeLinear", infer_dynamic_quantize},
    {"com.microsoft: QLinearAdd QLinearMul", infer_quantized_pair},
    {"com.microsoft: QLinearWhere", infer_quantized_where},
    {"Multinomial", infer_multinomial},
    {"RandomNormal RandomUniform", infer_random},
    {"RandomNormalLike RandomUniformLike EyeLike", infer_random_like},
    {"com.microsoft: BiasSplitGelu", infer_split_gelu},

    {"MatMul Gemm FusedMatMul", infer_matmul},
    {"com.microsoft: FusedMatMul FusedMatMulActivation TransposeMatMul FusedGemm GemmFastGelu GemmFloat8",
     infer_matmul},
    {"MatMulInteger", infer_integer_matmul},
    {"com.microsoft: MatMulInteger16", infer_integer_matmul},
    {"QLinearMatMul", infer_quantized_matmul},
    {"com.microsoft: QGemm", infer_quantized_matmul},
    {"com.microsoft: DynamicQuantizeMatMul MatMulIntegerToFloat", infer_dequantized_matmul},
    {"com.microsoft: MatMulNBits MatMulBnb4", infer_matmul_nbits},
    {"Einsum", infer_einsum},

    {"Transpose", infer_transpose},
    {"Reshape", infer_reshape},
    {"Flatten", infer_flatten},
    {"Squeeze", infer_squeeze},
    {"Unsqueeze", infer_unsqueeze},
    {"com.microsoft: ExpandDims", infer_unsqueeze},
    {"Concat", infer_concat},
    {"com.microsoft: QLinearConcat", infer_quantized_concat},
    {"com.microsoft: ConcatTraining", infer_concat_training},
    {"Split", infer_split},
    {"com.microsoft: SplitTraining", infer_split},
    {"Expand", infer_expand},
    {"Tile", infer_tile},
    {"DepthToSpace", infer_depth_to_space},
    {"SpaceToDepth", infer_space_to_depth},

    {"Slice", infer_slice},
    {"Gather", infer_gather},
    {"GatherElements", infer_gather_elements},
    {"GatherND", infer_gather_nd},
    {"aten.embedding", infer_embedding},
    {"aten.embedding_backward", infer_embedding_backward},
    {"Shape", infer_shape},
    {"Size", infer_size},
    {"ConstantOfShape", infer_constant_of_shape},
    {"Range", infer_range},
    {"TopK", infer_top_k},
    {"OneHot", infer_one_hot},
    {"NonZero", infer_non_zero},
    {"NonMaxSuppression", infer_non_max},
    {"Compress", infer_compress},
    {"Unique", infer_unique},
    {"com.microsoft: Unique", infer_unique_of_row},
    {"com.microsoft: GatherBlockQuantized", infer_gather_quantized},
    {"com.microsoft: GatherGrad GatherNDGrad", infer_gather_grad},
    {"com.microsoft: SliceGrad GatherElementsGrad", infer_slice_grad},
    {"com.microsoft: BroadcastGradientArgs", infer_broadcast_axes},

    {"ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
     "ReduceSumSquare",
     infer_reduce},
    {"com.microsoft: QLinearReduceMean ReduceSumTraining", infer_reduce},
    {"com.microsoft: ReduceAllL2", infer_reduce_all},
    {"com.microsoft: IsAllFinite", infer_flag},
    {"Det", infer_determinant},
    {"ArgMax ArgMin", infer_arg_reduce},
    {"LayerNormalization SimplifiedLayerNormalization RMSNormalization", infer_layer_norm},
    {"com.microsoft: LayerNormalizationGrad SimplifiedLayerNormalizationGrad InvertibleLayerNormalizationGrad "
     "BatchNormalizationGrad",
     infer_layer_norm_grad},
    {"com.microsoft: SkipLayerNormalization SkipSimplifiedLayerNormalization", infer_skip_layer_norm},
    {"com.microsoft: EmbedLayerNormalization", infer_embed_layer_norm},
    {"BatchNormalization", infer_batch_norm},
    {"com.microsoft: BatchNormInternal", infer_batch_norm},
    {"SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss", infer_loss},
    {"com.microsoft: SoftmaxCrossEntropyLossInternal SoftmaxCrossEntropy", infer_loss},

    {"Attention", infer_attention},
    {"com.microsoft: Attention QAttention", infer_packed_attention},
    {"com.microsoft: MultiHeadAttention DecoderMaskedMultiHeadAttention", infer_multi_head_attention},
    {"com.microsoft: PackedAttention", infer_unpadded_attention},
    {"com.microsoft: GroupQueryAttention", infer_group_query_attention},
    {"com.microsoft: SparseAttention", infer_sparse_attention},

    {"Conv DeformConv", infer_conv},
    {"com.microsoft: FusedConv NhwcConv NhwcFusedConv", infer_conv},
    {"ConvInteger", infer_integer_conv},
    {"QLinearConv", infer_quantized_conv},
    {"ConvTranspose", infer_conv_transpose},
    {"com.microsoft: QLinearConvTranspose", infer_quantized_conv_transpose},
    {"com.microsoft: ConvGrad ConvTransposeGrad", infer_conv_grad},
    {"MaxPool AveragePool LpPool", infer_pool},
    {"com.microsoft: QLinearAveragePool NhwcMaxPool", infer_pool},
    {"GlobalAveragePool GlobalMaxPool GlobalLpPool", infer_global_pool},
    {"com.microsoft: QLinearGlobalAveragePool", infer_global_pool},
    {"MaxUnpool", infer_max_unpool},
    {"Pad", infer_pad},
    {"Resize Upsample", infer_resize},
    {"GridSample", infer_grid_sample},
    {"RoiAlign", infer_roi_align},
    {"LSTM GRU RNN", infer_recurrent},
    {"com.microsoft: DynamicQuantizeLSTM", infer_quantized_recurrent},

    {"CenterCropPad", infer_center_crop_pad},
    {"Col2Im", infer_col2im},
    {"MaxRoiPool", infer_max_roi_pool},
    {"AffineGrid", infer_affine_grid},
    {"com.microsoft: ReorderInput", infer_reorder_input},
    {"com.microsoft: ReorderOutput", infer_reorder_output},

    {"DFT", infer_dft},
    {"STFT", infer_stft},
    {"HannWindow HammingWindow BlackmanWindow", infer_signal_window},
    {"MelWeightMatrix", infer_mel_weights},

    {"SequenceConstruct", infer_sequence_construct},
    {"SequenceInsert", infer_sequence_insert},
    {"SequenceErase", infer_sequence_erase},
    {"SequenceAt", infer_sequence_at},
    {"SplitToSequence", infer_split_to_sequence},
    {"ConcatFromSequence", infer_concat_from_sequence},
    {"SequenceLength", infer_length},
    {"OptionalHasElement", infer_flag},
};

using RuleByType = std::unordered_map<std::string, Rule>;

void add_types(RuleByType& by_type, const TypeRule& row) {
  const bool is_microsoft = row.types.starts_with(kMicrosoft);
  std::string_view rest = row.types.substr(is_microsoft ? kMicrosoft.size() + 1 : 0);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string type = is_microsoft ? "com.microsoft." : "";
    by_type.emplace(type += rest.substr(0, end), row.rule);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

const RuleByType& rules() {
  static const RuleByType table = [] {
    RuleByType by_type;
    for (const TypeRule& row : kRules) add_types(by_type, row);
    return by_type;
  }();
  return table;
}

// Null if there is none. Blocks of channels ("nchwc") keep the order of the axes, so ONNX's rules hold for them too.
Rule find_rule(const std::string& type) {
  if (const auto found = rules().find(type); found != rules().end()) return found->second;
  for (const std::string_view domain : {"com.microsoft.nchwc.", "com.microsoft.experimental.", "com.microsoft."}) {
    if (!type.starts_with(domain)) continue;
    const std::string name = type.substr(domain.size());
    for (const std::string& other : {fmt::format("com.microsoft.{}", name), name}) {
      if (const auto found = rules().find(other); found != rules().end()) return found->second;
    }
    break;
  }
  return nullptr;
}

}  // namespace

Outputs infer_outputs(const OnnxView& node) {
  const Rule rule = find_rule(node.node().type);
  return rule != nullptr ? rule(node) : Outputs();
}

bool has_shape_rule(std::string_view type) { return find_rule(std::string(type)) != nullptr; }

}  // namespace berth
