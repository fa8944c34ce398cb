// SPDX-License-Identifier: Apache-2.0
#include "import/tensorflow/op_kinds.h"

#include <algorithm>
#include <array>
#include <span>

namespace berth::tensorflow {
namespace {

using Names = std::span<const std::string_view>;

bool is_in(Names names, std::string_view op) { return std::ranges::find(names, op) != names.end(); }
bool starts_with_one_of(Names names, std::string_view op) {
  return std::ranges::any_of(names, [&](std::string_view name) { return op.starts_with(name); });
}
bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

constexpr std::array<std::string_view, 4> kVariables{"Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"};
constexpr std::array<std::string_view, 8> kInputs{
    "Placeholder", "PlaceholderV2",       "PlaceholderWithDefault",    "IteratorGetNext",
    "_Arg",        "IteratorGetNextSync", "IteratorGetNextAsOptional", "InfeedDequeueTuple"};
constexpr std::array<std::string_view, 3> kInputPrefixes{"QueueDequeue", "ReaderRead", "InfeedDequeue"};
constexpr std::array<std::string_view, 9> kCheckpoints{"SaveV2",          "Save",         "SaveSlices",
                                                       "ShardedFilename", "RestoreV2",    "Restore",
                                                       "ShardedFilespec", "RestoreSlice", "MergeV2Checkpoints"};
constexpr std::array<std::string_view, 8> kInitializers{
    "IsVariableInitialized", "VarIsInitializedOp",          "InitializeTable",
    "InitializeTableV2",     "InitializeTableFromTextFile", "InitializeTableFromTextFileV2",
    "LookupTableImport",     "LookupTableImportV2"};
constexpr std::array<std::string_view, 9> kUpdatePrefixes{"Apply",   "ResourceApply",  "SparseApply",
                                                          "Assign",  "ResourceSparse", "ResourceScatter",
                                                          "Scatter", "QueueEnqueue",   "Write"};
constexpr std::array<std::string_view, 2> kNotUpdates{"ScatterNd", "ScatterNdNonAliasingAdd"};
constexpr std::array<std::string_view, 5> kSilentPrefixes{"ResourceApply", "ResourceSparse", "ResourceScatter",
                                                          "QueueEnqueue", "QueueClose"};
constexpr std::array<std::string_view, 12> kSilent{
    "NoOp",   "Assert", "AssignVariableOp",  "AssignAddVariableOp", "AssignSubVariableOp", "OutfeedEnqueue",
    "SaveV2", "Save",   "DestroyResourceOp", "ControlTrigger",      "TensorArrayCloseV3",  "PrintV2"};

struct NamedOutputs {
  std::string_view op;
  std::array<std::string_view, 7> names;
};
constexpr std::array kOutputs{
    NamedOutputs{"Switch", {"output_false", "output_true"}},
    NamedOutputs{"RefSwitch", {"output_false", "output_true"}},
    NamedOutputs{"Merge", {"output", "value_index"}},
    NamedOutputs{"RefMerge", {"output", "value_index"}},
    NamedOutputs{"LSTMBlockCell", {"i", "cs", "f", "o", "ci", "co", "h"}},
    NamedOutputs{"BlockLSTM", {"i", "cs", "f", "o", "ci", "co", "h"}},
    NamedOutputs{"BlockLSTMV2", {"i", "cs", "f", "o", "ci", "co", "h"}},
    NamedOutputs{"GRUBlockCell", {"r", "u", "c", "h"}},
    NamedOutputs{"CudnnRNN", {"output", "output_h", "output_c", "reserve_space"}},
    NamedOutputs{"CudnnRNNV2", {"output", "output_h", "output_c", "reserve_space", "host_reserved"}},
    NamedOutputs{"CudnnRNNV3", {"output", "output_h", "output_c", "reserve_space", "host_reserved"}},
    NamedOutputs{"FusedBatchNorm", {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}},
    NamedOutputs{"FusedBatchNormV2", {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"}},
    NamedOutputs{"FusedBatchNormV3",
                 {"y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"}},
    NamedOutputs{"FusedBatchNormGrad",
                 {"x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3", "reserve_space_4"}},
    NamedOutputs{"FusedBatchNormGradV2",
                 {"x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3", "reserve_space_4"}},
    NamedOutputs{"FusedBatchNormGradV3",
                 {"x_backprop", "scale_backprop", "offset_backprop", "reserve_space_4", "reserve_space_5"}},
    NamedOutputs{"SoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
    NamedOutputs{"SparseSoftmaxCrossEntropyWithLogits", {"loss", "backprop"}},
    NamedOutputs{"TopK", {"values", "indices"}},
    NamedOutputs{"TopKV2", {"values", "indices"}},
    NamedOutputs{"Unique", {"y", "idx"}},
    NamedOutputs{"UniqueV2", {"y", "idx"}},
    NamedOutputs{"UniqueWithCounts", {"y", "idx", "count"}},
    NamedOutputs{"BroadcastGradientArgs", {"r0", "r1"}},
    NamedOutputs{"MaxPoolWithArgmax", {"output", "argmax"}},
    NamedOutputs{"TensorArrayV3", {"handle", "flow"}},
    NamedOutputs{"TensorArrayGradV3", {"grad_handle", "flow_out"}},
    NamedOutputs{"TensorArrayConcatV3", {"value", "lengths"}},
    NamedOutputs{"SparseReshape", {"output_indices", "output_shape"}},
    NamedOutputs{"SparseFillEmptyRows",
                 {"output_indices", "output_values", "empty_row_indicator", "reverse_index_map"}},
    NamedOutputs{"SparseSlice", {"output_indices", "output_values", "output_shape"}},
    NamedOutputs{"StringSplit", {"indices", "values", "shape"}},
    NamedOutputs{"NonMaxSuppressionV5", {"selected_indices", "selected_scores", "valid_outputs"}},
    NamedOutputs{"CombinedNonMaxSuppression", {"nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"}},
    NamedOutputs{"Qr", {"q", "r"}},
    NamedOutputs{"Svd", {"s", "u", "v"}},
    NamedOutputs{"SelfAdjointEigV2", {"e", "v"}},
    NamedOutputs{"QuantizeV2", {"output", "output_min", "output_max"}},
    NamedOutputs{"QuantizedMatMul", {"out", "min_out", "max_out"}},
    NamedOutputs{"TensorListConcatV2", {"tensor", "lengths"}},
    NamedOutputs{"TensorListPopBack", {"output_handle", "tensor"}},
    NamedOutputs{"CTCLoss", {"loss", "gradient"}},
    NamedOutputs{"StatelessRandomGetKeyCounter", {"key", "counter"}},
    NamedOutputs{"ReaderReadV2", {"key", "value"}}};

}  // namespace

OpKind kind_of(std::string_view op) {
  if (op == "Const" || op == "HostConst") return OpKind::kConstant;
  if (op == "NoOp") return OpKind::kNoOp;
  if (is_in(kVariables, op)) return OpKind::kVariable;
  if (is_in(kInputs, op) || starts_with_one_of(kInputPrefixes, op)) return OpKind::kInput;
  if (is_in(kCheckpoints, op)) return OpKind::kCheckpoint;
  if (is_in(kInitializers, op)) return OpKind::kInitializer;
  const bool pipeline = contains(op, "Dataset") || contains(op, "Iterator") || contains(op, "Queue") ||
                        op.ends_with("Reader") || op.ends_with("ReaderV2");
  return pipeline ? OpKind::kPipeline : OpKind::kCompute;
}

bool is_assignment(std::string_view op) { return op == "Assign" || op == "AssignVariableOp"; }

bool is_update(std::string_view op) {
  return (starts_with_one_of(kUpdatePrefixes, op) && !is_in(kNotUpdates, op)) || op.ends_with("Summary") ||
         op.ends_with("SummaryV2");
}

bool has_outputs(std::string_view op) { return !is_in(kSilent, op) && !starts_with_one_of(kSilentPrefixes, op); }

int output_position(std::string_view op, std::string_view output) {
  const auto row = std::ranges::find(kOutputs, op, &NamedOutputs::op);
  if (row == kOutputs.end() || output.empty()) return -1;
  const auto name = std::ranges::find(row->names, output);
  return name == row->names.end() ? -1 : static_cast<int>(name - row->names.begin());
}

}  // namespace berth::tensorflow
