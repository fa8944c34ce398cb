// SPDX-License-Identifier: Apache-2.0
#include "import/onnx/onnx_type_rules.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "files/protobuf/wire.h"
#include "files/protobuf/wire_parts.h"

namespace berth {
namespace {

// Fields of TypeProto.
enum TypeKind : std::uint32_t { kTensor = 1, kSequence = 4, kMap = 5, kSparse = 8, kOptional = 9 };
constexpr int kDeepestType = 16;

// What the outputs are, one word for each; a '+' behind the last stands for all that follow. The characters of a word
// are tried in turn:
//   0 to 9  the type of that input, if it is there
//   @       what the attribute says: a number of a type, a tensor of that type, or a type
//   F U I L S B W  tensors of float, uint8, int32, int64, string, bool, uint32
// In front of them: q a sequence of it, o an optional of it, e what the sequence holds, g what the optional holds.
struct TypeRuleRow {
  std::string_view domain, types, attribute, outputs;
};

// By the schemas of onnx 1.23 and onnxruntime 1.31.
constexpr TypeRuleRow kRows[] = {
    {"",
     "Abs Acos Acosh Add AffineGrid Asin Asinh Atan Atanh AveragePool BitShift BitwiseAnd BitwiseNot BitwiseOr "
     "BitwiseXor CausalConvWithState Ceil Celu CenterCropPad Clip Col2Im Compress Concat Conv ConvTranspose Cos Cosh "
     "CumProd CumSum DFT DeformConv DepthToSpace Det Div Einsum Elu Erf Exp Expand Flatten Floor GRU Gather "
     "GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool GridSample GroupNormalization "
     "HardSigmoid HardSwish Hardmax Identity InstanceNormalization LRN LSTM LeakyRelu Log LogSoftmax LpNormalization "
     "LpPool MatMul Max MaxRoiPool MaxUnpool Mean MeanVarianceNormalization Min Mish Mod Mul Neg "
     "NegativeLogLikelihoodLoss Not PRelu Pad Pow RNN Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
     "ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign "
     "RotaryEmbedding Round STFT Scatter ScatterElements ScatterND Selu SequenceErase SequenceInsert Shrink Sigmoid "
     "Sign Sin Sinh Slice Softmax SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth Split Sqrt Squeeze "
     "StringConcat StringNormalizer Sub Sum SwiGLU Swish Tan Tanh TensorScatter ThresholdedRelu Tile Transpose Trilu "
     "Unsqueeze Upsample",
     "", "0+"},
    {"", "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual OptionalHasElement Or RegexFullMatch Xor", "",
     "B"},
    {"", "ArgMax ArgMin NonMaxSuppression NonZero SequenceLength Shape Size", "", "L"},
    {"", "ConvInteger MatMulInteger", "", "I"},
    {"", "CastLike RMSNormalization Where", "", "1"},
    {"", "OneHot", "", "2"},
    {"", "QLinearConv QLinearMatMul", "", "7"},
    {"", "ImageDecoder", "", "U"},
    {"", "TfIdfVectorizer", "", "F"},
    {"", "MaxPool TopK", "", "0 L"},
    {"", "Unique", "", "0 L+"},
    {"", "Dropout", "", "0 B"},
    {"", "BatchNormalization", "", "0 3+"},
    {"", "Attention", "", "0 0 2 0"},
    {"", "LinearAttention", "", "0 3"},
    {"", "StringSplit", "", "S L"},
    {"", "DynamicQuantizeLinear", "", "U F U"},
    {"", "LayerNormalization", "stash_type", "0 @F+"},
    {"", "SimplifiedLayerNormalization", "stash_type", "1 @F+"},
    {"", "BitCast Cast", "to", "@"},
    {"", "ConstantOfShape", "value", "@F"},
    {"", "RandomNormal RandomUniform", "dtype", "@F"},
    {"", "Bernoulli EyeLike RandomNormalLike RandomUniformLike", "dtype", "@0"},
    {"", "Multinomial", "dtype", "@I"},
    {"", "BlackmanWindow HammingWindow HannWindow MelWeightMatrix", "output_datatype", "@F"},
    {"", "QuantizeLinear", "output_dtype", "@2U"},
    {"", "DequantizeLinear", "output_dtype", "@1"},
    {"", "SequenceConstruct SplitToSequence", "", "q0"},
    {"", "SequenceEmpty", "dtype", "q@F"},
    {"", "ConcatFromSequence SequenceAt", "", "e0"},
    {"", "Optional", "type", "o@0"},
    {"", "OptionalGetElement", "", "g0"},
    {"ai.onnx.ml",
     "FeatureVectorizer LinearRegressor Normalizer OneHotEncoder SVMRegressor Scaler TreeEnsembleRegressor", "", "F"},
    {"ai.onnx.ml", "ArrayFeatureExtractor Binarizer Imputer TreeEnsemble", "", "0"},
    {"com.microsoft",
     "Attention BiasAdd BiasGelu BiasSoftmax BiasSplitGelu ConvTransposeWithDynamicPads DecoderAttention "
     "DecoderMaskedSelfAttention DynamicQuantizeLSTM DynamicQuantizeMatMul ExpandDims FastGelu FusedConv FusedGemm "
     "FusedMatMul FusedMatMulActivation GatedRelativePositionBias Gelu GemmFastGelu GroupNorm Inverse Irfft "
     "LongformerAttention MatMulBnb4 MatMulFpQ4 MatMulNBits MoE MultiHeadAttention NhwcConv NhwcFusedConv NhwcMaxPool "
     "PackedAttention PackedMultiHeadAttention Pad QLinearAdd QLinearAveragePool QLinearGlobalAveragePool "
     "QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax QMoE QuickGelu Range "
     "RelativePositionBias RestorePadding Rfft RotaryEmbedding SkipGroupNorm SparseAttention Trilu UnfoldTensor",
     "", "0+"},
    {"com.microsoft", "DequantizeLinear QLinearConcat QLinearWhere SparseToDenseMatMul", "", "1"},
    {"com.microsoft", "GatherBlockQuantized MatMulIntegerToFloat QAttention", "", "2+"},
    {"com.microsoft", "QuantizeLinear", "", "2U"},
    {"com.microsoft", "QLinearConv", "", "7"},
    {"com.microsoft", "QGemm", "", "8F"},
    {"com.microsoft", "GroupQueryAttention", "", "0 3 3 0"},
    {"com.microsoft", "BiasDropout", "", "0 B"},
    {"com.microsoft", "BitmaskBiasDropout BitmaskDropout", "", "0 W"},
    {"com.microsoft", "EmbedLayerNormalization", "", "2 I 2"},
    {"com.microsoft", "IsAllFinite", "", "B"},
    {"com.microsoft", "MatMulInteger16 MulInteger", "", "I"},
    {"com.microsoft", "SkipLayerNormalization SkipSimplifiedLayerNormalization", "", "0 F F 0"},
    {"com.microsoft", "Unique", "", "0 L L"},
};

const TypeRuleRow* find_row(const std::string& type) {
  static const auto kByType = [] {
    std::unordered_map<std::string, const TypeRuleRow*> by_type;
    for (const TypeRuleRow& row : kRows) {
      for (const std::string_view name : split(row.types, ' ')) by_type.emplace(onnx_type(row.domain, name), &row);
    }
    return by_type;
  }();
  const auto found = kByType.find(type);
  return found != kByType.end() ? found->second : nullptr;
}

OnnxType wrapped(TypeKind kind, const OnnxType& inside) {
  return inside.empty() ? OnnxType() : wire_field(kind, wire_field(1, inside));
}

// What a sequence or an optional holds; nothing if the type is of another kind.
std::string_view inside_of(TypeKind kind, const OnnxType& type) { return first_bytes(first_bytes(type, kind), 1); }

OnnxType type_of_attribute(const OnnxAttribute& attribute) {
  if (!attribute.type.empty()) return without_shapes(attribute.type);
  if (attribute.tensor) return tensor_type(attribute.element);
  const auto* number = attribute.value ? std::get_if<std::int64_t>(&*attribute.value) : nullptr;
  return number != nullptr && *number > 0 ? tensor_type(static_cast<std::uint64_t>(*number)) : OnnxType();
}

OnnxType fixed_type(char letter) {
  switch (letter) {
    case 'F':
      return tensor_type(kOnnxFloat);
    case 'U':
      return tensor_type(2);
    case 'I':
      return tensor_type(6);
    case 'L':
      return tensor_type(kOnnxInt64);
    case 'S':
      return tensor_type(kOnnxString);
    case 'B':
      return tensor_type(kOnnxBool);
    case 'W':
      return tensor_type(12);
    default:
      return {};
  }
}

class OutputTypes {
 public:
  OutputTypes(const OnnxNode& node, std::span<const OnnxType> inputs, std::string_view attribute)
      : node_(node), inputs_(inputs) {
    const auto found = std::ranges::find(node.attributes, attribute, &OnnxAttribute::name);
    if (!attribute.empty() && found != node.attributes.end()) stated_ = type_of_attribute(*found);
  }

  [[nodiscard]] OnnxType by_word(std::string_view word) const {
    switch (word.front()) {
      case 'q':
        return sequence_type(by_word(word.substr(1)));
      case 'o':
        return wrapped(kOptional, by_word(word.substr(1)));
      case 'e':
        return element_of_sequence(by_word(word.substr(1)));
      case 'g': {
        const OnnxType held = by_word(word.substr(1));
        const std::string_view inside = inside_of(kOptional, held);
        return inside.empty() ? held : OnnxType(inside);
      }
      default:
        return first_there(word);
    }
  }

 private:
  [[nodiscard]] OnnxType first_there(std::string_view choices) const {
    for (const char choice : choices) {
      if (choice == '@') {
        if (!stated_.empty()) return stated_;
      } else if (choice >= '0' && choice <= '9') {
        const auto input = static_cast<std::size_t>(choice - '0');
        const bool is_there = input < node_.inputs.size() && !node_.inputs[input].empty();
        if (is_there) return inputs_[input];
      } else {
        return fixed_type(choice);
      }
    }
    return {};
  }

  const OnnxNode& node_;
  std::span<const OnnxType> inputs_;
  OnnxType stated_;
};

// The attribute that a Constant has tells its type.
OnnxType constant_type(const OnnxNode& node) {
  for (const OnnxAttribute& attribute : node.attributes) {
    if (attribute.tensor) return tensor_type(attribute.element);
    if (attribute.name.starts_with("value_float")) return tensor_type(kOnnxFloat);
    if (attribute.name.starts_with("value_int")) return tensor_type(kOnnxInt64);
    if (attribute.name.starts_with("value_string")) return tensor_type(kOnnxString);
  }
  return {};
}

OnnxType strip_shapes(std::string_view type, int depth) {
  if (depth > kDeepestType) return {};
  for (WireReader field(type); field.next();) {
    if (field.type() != WireType::kBytes) continue;
    switch (field.field()) {
      case kTensor:
      case kSparse: {
        const std::uint64_t element = last_number(field.bytes(), 1);
        return element == 0 ? OnnxType() : wire_field(field.field(), wire_number(1, element));
      }
      case kSequence:
      case kOptional:
        return wrapped(static_cast<TypeKind>(field.field()), strip_shapes(first_bytes(field.bytes(), 1), depth + 1));
      case kMap: {
        const std::uint64_t key = last_number(field.bytes(), 1);
        const OnnxType value = strip_shapes(first_bytes(field.bytes(), 2), depth + 1);
        return value.empty() ? OnnxType() : wire_field(kMap, wire_number(1, key) + wire_field(2, value));
      }
      default:
        break;
    }
  }
  return {};
}

}  // namespace

OnnxType tensor_type(std::uint64_t element) {
  return element == 0 ? OnnxType() : wire_field(kTensor, wire_number(1, element));
}

OnnxType sequence_type(const OnnxType& element) { return wrapped(kSequence, element); }

OnnxType element_of_sequence(const OnnxType& type) { return OnnxType(inside_of(kSequence, type)); }

OnnxType without_shapes(std::string_view type) { return strip_shapes(type, 0); }

std::vector<OnnxType> output_types(const OnnxNode& node, std::span<const OnnxType> inputs) {
  std::vector<OnnxType> types(node.outputs.size());
  if (types.empty()) return types;
  if (node.type == "Constant") {
    types.front() = constant_type(node);
    return types;
  }
  const TypeRuleRow* const row = find_row(node.type);
  if (row == nullptr) return types;
  const OutputTypes outputs(node, inputs, row->attribute);
  const std::vector<std::string_view> words = split(row->outputs, ' ');
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool repeats = words.back().ends_with('+');
    if (i >= words.size() && !repeats) break;
    std::string_view word = words[std::min(i, words.size() - 1)];
    if (word.ends_with('+')) word.remove_suffix(1);
    types[i] = outputs.by_word(word);
  }
  return types;
}

}  // namespace berth
