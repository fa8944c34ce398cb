// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/tensorflow/types.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/shapes/tensorflow/lists.h"

namespace berth::tensorflow {
namespace {

constexpr std::array<std::string_view, 19> kBoolean{"Greater",
                                                    "GreaterEqual",
                                                    "Less",
                                                    "LessEqual",
                                                    "Equal",
                                                    "NotEqual",
                                                    "LogicalAnd",
                                                    "LogicalOr",
                                                    "LogicalNot",
                                                    "ApproximateEqual",
                                                    "IsNan",
                                                    "IsFinite",
                                                    "IsInf",
                                                    "All",
                                                    "Any",
                                                    "LoopCond",
                                                    "InTopK",
                                                    "IsVariableInitialized",
                                                    "VarIsInitializedOp"};

// Outputs whose type no attribute tells, or another than its name suggests.
struct FixedType {
  std::string_view type;
  std::size_t output;
  DType dtype;
};
constexpr std::array kFixedTypes{FixedType{"Merge", 1, DType::kI32},
                                 FixedType{"RefMerge", 1, DType::kI32},
                                 FixedType{"TopK", 1, DType::kI32},
                                 FixedType{"TopKV2", 1, DType::kI32},
                                 FixedType{"Rank", 0, DType::kI32},
                                 FixedType{"Where", 0, DType::kI64},
                                 FixedType{"Bucketize", 0, DType::kI32},
                                 FixedType{"MaxPoolWithArgmax", 1, DType::kI64},
                                 FixedType{"ResizeBilinear", 0, DType::kF32},
                                 FixedType{"ResizeBicubic", 0, DType::kF32},
                                 FixedType{"ResizeArea", 0, DType::kF32},
                                 FixedType{"CropAndResize", 0, DType::kF32},
                                 FixedType{"NonMaxSuppression", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV2", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV3", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV4", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV4", 1, DType::kI32},
                                 FixedType{"NonMaxSuppressionV5", 0, DType::kI32},
                                 FixedType{"NonMaxSuppressionV5", 2, DType::kI32},
                                 FixedType{"QuantizeV2", 1, DType::kF32},
                                 FixedType{"QuantizeV2", 2, DType::kF32},
                                 FixedType{"TensorArrayV3", 1, DType::kF32},
                                 FixedType{"TensorArrayGradV3", 1, DType::kF32},
                                 FixedType{"TensorArrayWriteV3", 0, DType::kF32},
                                 FixedType{"TensorArrayScatterV3", 0, DType::kF32},
                                 FixedType{"TensorArrayConcatV3", 1, DType::kI64},
                                 FixedType{"TensorArraySizeV3", 0, DType::kI32},
                                 FixedType{"TensorListConcatV2", 1, DType::kI64},
                                 FixedType{"TensorListLength", 0, DType::kI32}};

// Whether an attribute names a type, which may be one that we do not have.
const std::string* find_type(const Node& node, std::string_view attribute) {
  const auto* word = node.find<std::string>(attribute);
  return word != nullptr && (*word == kOtherType || dtype_from_name(*word)) ? word : nullptr;
}

std::optional<DType> stated_type(const Node& node, std::string_view attribute, DType otherwise) {
  const std::string* word = find_type(node, attribute);
  return word != nullptr ? dtype_from_name(*word) : otherwise;
}

}  // namespace

std::optional<DType> dtype_of_output(const Node& node, std::size_t output, std::optional<DType> first_input) {
  const std::string_view type = node.type;
  if (std::ranges::find(kBoolean, type) != kBoolean.end()) return DType::kBool;
  if (is_handle(type, output)) return std::nullopt;
  for (const FixedType& fixed : kFixedTypes) {
    if (fixed.type == type && fixed.output == output) return fixed.dtype;
  }
  const auto* types = node.find<std::vector<std::string>>(kOutputTypes);
  if (types != nullptr && output < types->size()) return dtype_from_name((*types)[output]);
  if (type == "ArgMax" || type == "ArgMin") return stated_type(node, "output_type", DType::kI64);
  if (type == "Shape" || type == "ShapeN" || type == "Size" || type == "VariableShape") {
    return stated_type(node, "out_type", DType::kI32);
  }
  if (type.starts_with("Unique") && output > 0) return stated_type(node, "out_idx", DType::kI32);
  for (const std::string_view name :
       {"dtype", "DstT", "type", "out_type", "T", "Tparams", "Tidx", "TI", "element_dtype", "shape_type"}) {
    if (const std::string* word = find_type(node, name)) return dtype_from_name(*word);
  }
  return first_input;
}

}  // namespace berth::tensorflow
