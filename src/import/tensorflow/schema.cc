// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/schema.h"

#include <algorithm>
#include <array>

#include "files/protobuf/wire.h"

namespace berth::tensorflow {

extern const ProtoMessage kAttrValue;

namespace {

using enum ProtoKind;

constexpr ProtoField message(std::string_view name, std::uint32_t number, const ProtoMessage& of) {
  return {.name = name, .number = number, .kind = kMessage, .message = &of};
}
constexpr ProtoField data_type(std::string_view name, std::uint32_t number) {
  return {.name = name, .number = number, .kind = kEnum, .enum_value = &data_type_number};
}
constexpr ProtoField field(std::string_view name, std::uint32_t number, ProtoKind kind) {
  return {.name = name, .number = number, .kind = kind};
}

constexpr std::array kDimFields{field("size", DimField::kSize, kInteger), field("name", DimField::kName, kBytes)};
constexpr ProtoMessage kDim{"dim", kDimFields};

constexpr std::array kShapeFields{message("dim", ShapeField::kDim, kDim),
                                  field("unknown_rank", ShapeField::kUnknownRank, kBoolean)};
constexpr ProtoMessage kShape{"shape", kShapeFields};

constexpr std::array kTensorFields{
    data_type("dtype", TensorField::kDType), message("tensor_shape", TensorField::kShape, kShape),
    field("tensor_content", TensorField::kContent, kBytes), field("int_val", TensorField::kInt32, kInteger),
    field("int64_val", TensorField::kInt64, kInteger)};
constexpr ProtoMessage kTensor{"tensor", kTensorFields};

constexpr std::array kAttrEntryFields{field("key", EntryField::kKey, kBytes),
                                      message("value", EntryField::kValue, kAttrValue)};
constexpr ProtoMessage kAttrEntry{"attr", kAttrEntryFields};

constexpr std::array kCalleeFields{field("name", CalleeField::kName, kBytes),
                                   message("attr", CalleeField::kAttr, kAttrEntry)};
constexpr ProtoMessage kCallee{"func", kCalleeFields};

constexpr std::array kListFields{field("s", AttrField::kString, kBytes),
                                 field("i", AttrField::kInteger, kInteger),
                                 field("f", AttrField::kFloat, kFloat),
                                 field("b", AttrField::kBoolean, kBoolean),
                                 data_type("type", AttrField::kType),
                                 message("shape", AttrField::kShape, kShape),
                                 message("tensor", AttrField::kTensor, kTensor),
                                 message("func", ListField::kFunction, kCallee)};
constexpr ProtoMessage kList{"list", kListFields};

constexpr std::array kAttrFields{message("list", AttrField::kList, kList),
                                 field("s", AttrField::kString, kBytes),
                                 field("i", AttrField::kInteger, kInteger),
                                 field("f", AttrField::kFloat, kFloat),
                                 field("b", AttrField::kBoolean, kBoolean),
                                 data_type("type", AttrField::kType),
                                 message("shape", AttrField::kShape, kShape),
                                 message("tensor", AttrField::kTensor, kTensor),
                                 field("placeholder", AttrField::kPlaceholder, kBytes),
                                 message("func", AttrField::kFunction, kCallee)};

constexpr std::array kNodeFields{field("name", NodeField::kName, kBytes), field("op", NodeField::kOp, kBytes),
                                 field("input", NodeField::kInput, kBytes), field("device", NodeField::kDevice, kBytes),
                                 message("attr", NodeField::kAttr, kAttrEntry)};
constexpr ProtoMessage kNode{"node", kNodeFields};

constexpr std::array kArgFields{field("name", ArgField::kName, kBytes),
                                field("number_attr", ArgField::kNumberAttr, kBytes),
                                field("type_list_attr", ArgField::kTypeListAttr, kBytes)};
constexpr ProtoMessage kArg{"arg", kArgFields};

constexpr std::array kOpDefFields{field("name", OpDefField::kName, kBytes),
                                  message("input_arg", OpDefField::kInput, kArg),
                                  message("output_arg", OpDefField::kOutput, kArg)};
constexpr ProtoMessage kOpDef{"signature", kOpDefFields};

constexpr std::array kTextEntryFields{field("key", EntryField::kKey, kBytes),
                                      field("value", EntryField::kValue, kBytes)};
constexpr ProtoMessage kTextEntry{"ret", kTextEntryFields};

constexpr std::array kFunctionFields{message("signature", FunctionField::kSignature, kOpDef),
                                     message("node_def", FunctionField::kNode, kNode),
                                     message("ret", FunctionField::kReturn, kTextEntry),
                                     message("control_ret", FunctionField::kControlReturn, kTextEntry)};
constexpr ProtoMessage kFunction{"function", kFunctionFields};

constexpr std::array kLibraryFields{message("function", LibraryField::kFunction, kFunction)};
constexpr ProtoMessage kLibrary{"library", kLibraryFields};

constexpr std::array kGraphFields{message("node", GraphField::kNode, kNode),
                                  message("library", GraphField::kLibrary, kLibrary)};

constexpr std::array kTensorInfoFields{field("name", TensorInfoField::kName, kBytes)};
constexpr ProtoMessage kTensorInfo{"tensor_info", kTensorInfoFields};

constexpr std::array kTensorInfoEntryFields{field("key", EntryField::kKey, kBytes),
                                            message("value", EntryField::kValue, kTensorInfo)};
constexpr ProtoMessage kTensorInfoEntry{"signature", kTensorInfoEntryFields};

constexpr std::array kSignatureFields{message("inputs", SignatureField::kInput, kTensorInfoEntry),
                                      message("outputs", SignatureField::kOutput, kTensorInfoEntry)};
constexpr ProtoMessage kSignature{"signature", kSignatureFields};

constexpr std::array kSignatureEntryFields{field("key", EntryField::kKey, kBytes),
                                           message("value", EntryField::kValue, kSignature)};
constexpr ProtoMessage kSignatureEntry{"signature_def", kSignatureEntryFields};

constexpr std::array kInfoFields{field("tags", InfoField::kTag, kBytes)};
constexpr ProtoMessage kInfo{"meta_info_def", kInfoFields};

}  // namespace

constinit const ProtoMessage kAttrValue{"value", kAttrFields};
constinit const ProtoMessage kGraphDef{"graph", kGraphFields};

namespace {

constexpr std::array kMetaGraphFields{message("meta_info_def", MetaGraphField::kInfo, kInfo),
                                      message("graph_def", MetaGraphField::kGraph, kGraphDef),
                                      message("signature_def", MetaGraphField::kSignature, kSignatureEntry)};

}  // namespace

constinit const ProtoMessage kMetaGraphDef{"meta graph", kMetaGraphFields};

namespace {

constexpr std::array kSavedModelFields{field("saved_model_schema_version", SavedModelField::kVersion, kInteger),
                                       message("meta_graphs", SavedModelField::kMetaGraph, kMetaGraphDef)};

}  // namespace

constinit const ProtoMessage kSavedModel{"saved model", kSavedModelFields};

std::pair<std::string_view, std::string_view> read_entry(std::string_view bytes) {
  std::pair<std::string_view, std::string_view> entry;
  for (WireReader field(bytes); field.next();) {
    if (field.is(EntryField::kKey, WireType::kBytes)) entry.first = field.bytes();
    if (field.is(EntryField::kValue, WireType::kBytes)) entry.second = field.bytes();
  }
  return entry;
}

namespace {

struct DataTypeRow {
  std::string_view name;
  std::int64_t number;
  std::optional<DType> dtype;
};

constexpr std::array kDataTypes{
    DataTypeRow{"DT_INVALID", 0, std::nullopt},     DataTypeRow{"DT_FLOAT", 1, DType::kF32},
    DataTypeRow{"DT_DOUBLE", 2, DType::kF64},       DataTypeRow{"DT_INT32", kInt32Type, DType::kI32},
    DataTypeRow{"DT_UINT8", 4, DType::kU8},         DataTypeRow{"DT_INT16", 5, DType::kI16},
    DataTypeRow{"DT_INT8", 6, DType::kI8},          DataTypeRow{"DT_STRING", 7, std::nullopt},
    DataTypeRow{"DT_COMPLEX64", 8, DType::kC64},    DataTypeRow{"DT_INT64", kInt64Type, DType::kI64},
    DataTypeRow{"DT_BOOL", 10, DType::kBool},       DataTypeRow{"DT_QINT8", 11, DType::kI8},
    DataTypeRow{"DT_QUINT8", 12, DType::kU8},       DataTypeRow{"DT_QINT32", 13, DType::kI32},
    DataTypeRow{"DT_BFLOAT16", 14, DType::kBF16},   DataTypeRow{"DT_QINT16", 15, DType::kI16},
    DataTypeRow{"DT_QUINT16", 16, DType::kI16},     DataTypeRow{"DT_UINT16", 17, DType::kI16},
    DataTypeRow{"DT_COMPLEX128", 18, DType::kC128}, DataTypeRow{"DT_HALF", 19, DType::kF16},
    DataTypeRow{"DT_RESOURCE", 20, std::nullopt},   DataTypeRow{"DT_VARIANT", 21, std::nullopt},
    DataTypeRow{"DT_UINT32", 22, DType::kI32},      DataTypeRow{"DT_UINT64", 23, DType::kI64},
    DataTypeRow{"DT_FLOAT8_E5M2", 24, DType::kF8},  DataTypeRow{"DT_FLOAT8_E4M3FN", 25, DType::kF8},
    DataTypeRow{"DT_INT4", 29, DType::kI4},         DataTypeRow{"DT_UINT4", 30, DType::kI4}};
constexpr std::int64_t kReference = 100;

}  // namespace

std::optional<std::int64_t> data_type_number(std::string_view name) {
  constexpr std::string_view kSuffix = "_REF";
  const bool reference = name.ends_with(kSuffix);
  if (reference) name.remove_suffix(kSuffix.size());
  const auto row = std::ranges::find(kDataTypes, name, &DataTypeRow::name);
  if (row == kDataTypes.end()) return std::nullopt;
  return row->number + (reference ? kReference : 0);
}

std::optional<DType> dtype_of(std::int64_t data_type) {
  if (data_type > kReference) data_type -= kReference;
  const auto row = std::ranges::find(kDataTypes, data_type, &DataTypeRow::number);
  return row != kDataTypes.end() ? row->dtype : std::nullopt;
}

}  // namespace berth::tensorflow
