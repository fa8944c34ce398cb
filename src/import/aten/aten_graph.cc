// SPDX-License-Identifier: Apache-2.0
#include "import/aten/aten_graph.h"

#include <algorithm>
#include <array>

#include "base/units.h"
#include "format/graph_fields.h"
#include "graph/builder.h"
#include "import/aten/aten_values.h"
#include "model/attribute_text.h"
#include "ops/traffic.h"

namespace berth {
namespace {

// Whose times a capture holds: words of its `measured_on` text, and our name of that device model.
struct MeasuredDevice {
  std::string_view words, model;
};
constexpr std::array kMeasuredDevices{MeasuredDevice{"H200", "h200"}, MeasuredDevice{"16-core Xeon", "xeon-16c"}};
constexpr std::array<std::string_view, 2> kTimers{"cuda", "cpu"};

enum AtenField : std::size_t {
  kAtenName,
  kAtenType,
  kAtenOutputs,
  kAtenArgs,
  kAtenKwargs,
  kAtenView,
  kAtenFlops,
  kAtenModule,
  kAtenLabel,
  kAtenUpdates,
  kAtenUs,
  kAtenCount
};
constexpr std::array<std::string_view, kAtenCount> kAtenFields{
    "name", "type", "outputs", "args", "kwargs", "view", "flops", "module", "label", "updates", "us"};
using AtenFields = std::array<std::optional<JsonValue>, kAtenCount>;

// _unsafe_view shows its input in another shape like view; PyTorch does not call it one, since nobody may write to it.
Role role_of(std::string_view type, bool is_view) {
  if (is_view || type == "getitem" || type == "aten._unsafe_view.default") return Role::kView;
  if (type == "parameter") return Role::kParameter;
  if (type == "buffer") return Role::kBuffer;
  if (type == "input") return Role::kInput;
  if (type == "constant" || type == "get_attr") return Role::kConstant;  // what a tracer found in the code
  return Role::kCompute;
}

// Attention of GPUs counts nine outputs, of which lengths of sequences are no tensors or do not exist.
std::vector<bool> attention_mask(std::string_view type, std::size_t existing) {
  if (type != "aten._scaled_dot_product_flash_attention.default" &&
      type != "aten._scaled_dot_product_cudnn_attention.default") {
    return {};
  }
  const bool has_debug_mask = existing == 5;
  return {true, true, false, false, false, false, true, true, has_debug_mask};
}

// Backward ops end with a list of booleans that says which of their outputs to make. Empty if the last argument is no
// such list.
std::vector<bool> read_output_mask(const std::optional<JsonValue>& args) {
  std::vector<bool> mask;
  if (!args || args->size() == 0) return mask;
  const auto last = args->at(args->size() - 1);
  const auto list = last->find("list");
  if (!list || !list->is_array()) return mask;
  const Status all_are_booleans = list->for_each([&](const JsonValue& item) -> Status {
    const auto truth = item.find("b");
    if (!truth) return item.expected("a boolean");
    BERTH_TRY(const bool exists, truth->boolean());
    mask.push_back(exists);
    return {};
  });
  if (!all_are_booleans) mask.clear();
  return mask;
}

class AtenGraphReader {
 public:
  AtenGraphReader(JsonDocument& document, std::string title) : document_(document), builder_(std::move(title)) {}

  Status read() {
    BERTH_RETURN_IF_ERROR(read_models());
    BERTH_RETURN_IF_ERROR(document_.for_each("ops", [&](const JsonValue& op) { return read_op(op); }));
    std::vector<OutputRef> marks;
    BERTH_RETURN_IF_ERROR(document_.for_each("outputs", [&](const JsonValue& output) -> Status {
      BERTH_TRY(const OpId op, read_known_op(output));
      return append_outputs(output, op, marks);
    }));
    for (const OutputRef& tensor : marks) builder_.mark_output(tensor);
    return {};
  }
  GraphBuilder take() && { return std::move(builder_); }

 private:
  Status read_models() {
    if (!document_.has("measured_on")) return {};
    BERTH_TRY(const JsonValue measured_on, document_.member("measured_on"));
    for (std::size_t timer = 0; timer < kTimers.size(); ++timer) {
      const auto text = measured_on.find(kTimers[timer]);
      if (!text || text->is_null()) continue;
      BERTH_TRY(const std::string_view words, text->string());
      for (const MeasuredDevice& device : kMeasuredDevices) {
        if (words.find(device.words) != std::string_view::npos) models_[timer] = device.model;
      }
    }
    return {};
  }

  Status read_op(const JsonValue& op) {
    AtenFields fields;
    const auto keep = [&](std::size_t field, const JsonValue& value) { return fields[field].emplace(value), Status(); };
    BERTH_TRY(const std::uint32_t seen, op.fields(kAtenFields, UnknownFields::kIgnore, keep));
    for (const AtenField required : {kAtenName, kAtenType, kAtenOutputs}) {
      if ((seen >> required & 1U) == 0) return op.error(fmt::format("\"{}\" is missing", kAtenFields[required]));
    }
    spec_ = {};
    BERTH_RETURN_IF_ERROR(read_facts(fields));
    BERTH_RETURN_IF_ERROR(spec_.type == "getitem" ? read_getitem(op, fields) : read_inputs(fields));
    if (spec_.type == "sgd_update" && spec_.updates == kNoOp) return op.error("\"updates\" is missing");
    set_bytes_touched();
    BERTH_TRY(const NamedConstants constants, aten_constants(fields[kAtenArgs], fields[kAtenKwargs]));
    const std::string attributes = attribute_text(constants);
    spec_.attributes = attributes;
    const OpId id = builder_.add(spec_);
    if (spec_.role == Role::kCompute && fields[kAtenUs]) BERTH_RETURN_IF_ERROR(read_times(id, *fields[kAtenUs]));
    if (builder_.early_error()) return *builder_.early_error();
    std::vector<bool> mask = attention_mask(spec_.type, spec_.outputs.size());
    if (mask.empty()) mask = read_output_mask(fields[kAtenArgs]);
    outputs_.add(std::move(spec_.outputs), std::move(mask));
    return {};
  }

  Status read_facts(const AtenFields& fields) {
    BERTH_TRY(spec_.name, fields[kAtenName]->string());
    BERTH_TRY(spec_.type, fields[kAtenType]->string());
    BERTH_RETURN_IF_ERROR(read_tensors(*fields[kAtenOutputs], spec_.outputs));
    if (fields[kAtenFlops]) {
      BERTH_TRY(spec_.flops, fields[kAtenFlops]->number());
    }
    if (fields[kAtenModule]) {
      BERTH_TRY(spec_.module, fields[kAtenModule]->string());
    }
    if (fields[kAtenLabel]) {
      BERTH_TRY(spec_.label, fields[kAtenLabel]->string());
    }
    if (fields[kAtenUpdates]) {
      BERTH_TRY(spec_.updates, read_known_op(*fields[kAtenUpdates]));
    }
    bool is_view = false;
    if (fields[kAtenView]) {
      BERTH_TRY(is_view, fields[kAtenView]->boolean());
    }
    spec_.role = role_of(spec_.type, is_view);
    return {};
  }

  // Ops stand in topological order: whatever is named has been read.
  [[nodiscard]] Result<OpId> read_known_op(const JsonValue& value) const {
    BERTH_TRY(const OpId op, read_op_id(value));
    if (index(op) < outputs_.num_ops()) return op;
    return value.error(fmt::format("it names op {}, but only {} ops come before it", index(op), outputs_.num_ops()));
  }

  Status read_inputs(const AtenFields& fields) {
    if (fields[kAtenArgs]) {
      BERTH_RETURN_IF_ERROR(fields[kAtenArgs]->for_each([&](const JsonValue& value) { return collect_inputs(value); }));
    }
    if (!fields[kAtenKwargs]) return {};
    return fields[kAtenKwargs]->for_each_member(
        [&](std::string_view, const JsonValue& value) { return collect_inputs(value); });
  }

  // All outputs of an op. A short text can name an op with many of them again and again.
  Status append_outputs(const JsonValue& value, OpId op, std::vector<OutputRef>& refs) const {
    outputs_.append_all(op, refs);
    if (refs.size() <= kMaxEdges) return {};
    return value.error(fmt::format("the ops named so far have more than {} outputs", kMaxEdges));
  }

  Status collect_inputs(const JsonValue& value) {
    if (const auto id = value.find("op")) {
      BERTH_TRY(const OpId op, read_known_op(*id));
      BERTH_RETURN_IF_ERROR(append_outputs(value, op, spec_.inputs));
    } else if (const auto list = value.find("list")) {
      return list->for_each([&](const JsonValue& item) { return collect_inputs(item); });
    }
    return {};
  }

  Status read_getitem(const JsonValue& op, const AtenFields& fields) {
    const auto first = fields[kAtenArgs] ? fields[kAtenArgs]->at(0) : std::nullopt;
    const auto second = fields[kAtenArgs] ? fields[kAtenArgs]->at(1) : std::nullopt;
    const auto from = first ? first->find("op") : std::nullopt;
    const auto number = second ? second->find("i") : std::nullopt;
    if (!from || !number) return op.error("a getitem needs the args [{\"op\": ...}, {\"i\": ...}]");
    BERTH_TRY(const OpId source, read_known_op(*from));
    BERTH_TRY(const std::int64_t picked, number->integer());
    if (spec_.outputs.empty()) {  // it picks an output that does not exist: no time, no bytes, nothing to wait for
      spec_.role = Role::kConstant;
      return {};
    }
    const auto tensor = outputs_.pick(source, picked);
    if (!tensor) return number->error(fmt::format("op {} has no output {}", index(source), picked));
    const TensorSpec& wanted = outputs_.tensor(*tensor);
    const TensorSpec& stated = spec_.outputs.front();
    if (spec_.outputs.size() != 1 || stated.dtype != wanted.dtype || stated.shape != wanted.shape) {
      return op.error(fmt::format("its outputs differ from output {} of op {}, which it picks", picked, index(source)));
    }
    spec_.inputs.push_back(*tensor);
    return {};
  }

  void set_bytes_touched() {
    if (spec_.role != Role::kCompute) return;
    const auto info = find_op(Dialect::kAten, spec_.type);
    Traffic traffic = info ? info->traffic : Traffic{};
    if (spec_.updates != kNoOp) traffic = {Reads::kRewrites, 0, 1};  // the parameter, which is its first input
    std::vector<Bytes> read;
    for (const OutputRef& input : spec_.inputs) read.push_back(outputs_.bytes(input));
    Bytes written = 0;
    for (const TensorSpec& tensor : spec_.outputs) {
      written = clamped_sum(written, std::max<Bytes>(tensor_bytes(tensor), 0));
    }
    spec_.bytes_touched = bytes_touched(traffic, read, written);
  }

  Status read_times(OpId id, const JsonValue& us) {
    for (std::size_t timer = 0; timer < kTimers.size(); ++timer) {
      const auto time = us.find(kTimers[timer]);
      if (!time || time->is_null() || models_[timer].empty()) continue;
      BERTH_TRY(const double microseconds, time->number());
      builder_.set_measured(models_[timer], id, microseconds * kMicrosecond);
    }
    return {};
  }

  JsonDocument& document_;
  GraphBuilder builder_;
  std::array<std::string_view, kTimers.size()> models_;  // empty: a device we do not know
  AtenOutputs outputs_;
  OpSpec spec_;  // of the op being read
};

Result<GraphBuilder> read_into_builder(JsonDocument document) {
  BERTH_TRY(const std::string name, document.string("name"));
  BERTH_TRY(const std::string mode, document.string("mode"));
  if (mode != "train" && mode != "infer") return bad_input("mode: expected train or infer, found {}", in_quotes(mode));
  AtenGraphReader reader(document, fmt::format("{}.{}", name, mode));
  BERTH_RETURN_IF_ERROR(reader.read());
  return std::move(reader).take();
}

}  // namespace

Result<Graph> read_aten_graph(JsonDocument document) {
  BERTH_TRY(GraphBuilder builder, read_into_builder(std::move(document)));
  return std::move(builder).build();
}

}  // namespace berth
