// SPDX-License-Identifier: Apache-2.0
#include "format/native_graph_reader.h"

#include <algorithm>

#include "base/text.h"
#include "format/graph_fields.h"
#include "format/native_graph.h"
#include "graph/builder.h"

namespace berth {
namespace {

Result<Role> read_role(const JsonValue& value) {
  BERTH_TRY(const std::string_view name, value.string());
  if (const auto role = role_from_name(name)) return *role;
  return value.expected("a role: compute, parameter, buffer, constant, input or view");
}

Result<KindSet> read_kinds(const JsonValue& value) {
  KindSet kinds = 0;
  BERTH_RETURN_IF_ERROR(value.for_each([&](const JsonValue& item) -> Status {
    BERTH_TRY(const std::string_view name, item.string());
    const auto kind = device_kind_from_name(name);
    if (!kind) return item.expected("a kind of device: cpu, gpu, tpu, npu or fpga");
    kinds = static_cast<KindSet>(kinds | kind_bit(*kind));
    return {};
  }));
  return kinds;
}

class NativeGraphReader {
 public:
  NativeGraphReader(JsonDocument& document, std::string title) : document_(document), builder_(std::move(title)) {}

  Status read() {
    BERTH_RETURN_IF_ERROR(document_.check_members(kGraphMembers));
    BERTH_RETURN_IF_ERROR(read_optimizer());
    BERTH_RETURN_IF_ERROR(read_source_counts());
    BERTH_RETURN_IF_ERROR(read_models());
    BERTH_RETURN_IF_ERROR(document_.for_each("ops", [&](const JsonValue& op) { return read_op(op); }));
    if (!document_.has("outputs")) return {};
    return document_.for_each("outputs", [&](const JsonValue& output) -> Status {
      BERTH_TRY(const OutputRef tensor, read_output_ref(output));
      builder_.mark_output(tensor);
      return {};
    });
  }
  GraphBuilder take() && { return std::move(builder_); }

 private:
  Status read_optimizer() {
    if (!document_.has("optimizer")) return {};
    BERTH_TRY(const JsonValue value, document_.member("optimizer"));
    BERTH_TRY(const std::string_view name, value.string());
    const auto optimizer = optimizer_from_name(name);
    if (!optimizer) return value.expected("sgd, momentum or adam");
    builder_.set_optimizer(*optimizer);
    return {};
  }

  Result<std::size_t> read_count(std::string_view key) {
    if (!document_.has(key)) return kAsCounted;
    BERTH_TRY(const JsonValue value, document_.member(key));
    BERTH_TRY(const std::int64_t count, value.integer());
    return static_cast<std::size_t>(count);
  }

  Status read_source_counts() {
    BERTH_TRY(const std::size_t nodes, read_count("source_nodes"));
    BERTH_TRY(const std::size_t edges, read_count("source_edges"));
    builder_.set_source_counts(nodes, edges);
    return {};
  }

  Status read_models() {
    if (!document_.has("measured_on")) return {};
    return document_.for_each("measured_on", [&](const JsonValue& model) -> Status {
      BERTH_TRY(const std::string_view name, model.string());
      if (models_.size() == kMaxMeasuredModels) {
        return model.error(fmt::format("times for more than {} device models", kMaxMeasuredModels));
      }
      if (std::find(models_.begin(), models_.end(), name) != models_.end()) return model.error("it is there twice");
      models_.emplace_back(name);
      return {};
    });
  }

  Status read_op(const JsonValue& op) {
    reset_spec();
    const auto read_field = [&](std::size_t field, const JsonValue& value) {
      return read_op_field(static_cast<OpField>(field), value);
    };
    BERTH_TRY(const std::uint32_t seen, op.fields(kOpFields, UnknownFields::kRefuse, read_field));
    for (const OpField required : {OpField::kName, OpField::kType, OpField::kOutputs}) {
      if ((seen & bit_of(required)) == 0) return op.error(fmt::format("\"{}\" is missing", name_of(required)));
    }
    const OpId id = builder_.add(spec_);
    for (std::size_t model = 0; model < measured_.size(); ++model) {
      if (measured_[model] >= 0) builder_.set_measured(models_[model], id, measured_[model]);
    }
    if (builder_.early_error()) return *builder_.early_error();
    return {};
  }

  // Forgets the last op but keeps the memory of its vectors.
  void reset_spec() {
    OpSpec fresh;
    fresh.inputs.swap(spec_.inputs);
    fresh.control_inputs.swap(spec_.control_inputs);
    fresh.outputs.swap(spec_.outputs);
    fresh.inputs.clear();
    fresh.control_inputs.clear();
    spec_ = std::move(fresh);
    measured_.clear();
  }

  Status read_op_field(OpField field, const JsonValue& value) {
    switch (field) {
      case OpField::kName:
        return store(value.string(), spec_.name);
      case OpField::kType:
        return store(value.string(), spec_.type);
      case OpField::kRole:
        return store(read_role(value), spec_.role);
      case OpField::kInputs:
        return value.for_each([&](const JsonValue& input) { return append(read_output_ref(input), spec_.inputs); });
      case OpField::kControl:
        return read_control(value);
      case OpField::kOutputs:
        return read_tensors(value, spec_.outputs);
      case OpField::kFlops:
        return store(value.number(), spec_.flops);
      case OpField::kBytesTouched:
        return store(value.integer(), spec_.bytes_touched);
      case OpField::kModule:
        return store(value.string(), spec_.module);
      case OpField::kLabel:
        return store(value.string(), spec_.label);
      case OpField::kAttributes:
        return store(value.string(), spec_.attributes);
      case OpField::kColocate:
        return store(value.string(), spec_.colocate);
      case OpField::kAllowed:
        return store(read_kinds(value), spec_.allowed);
      case OpField::kUpdates:
        return store(read_op_id(value), spec_.updates);
      case OpField::kForwardOf:
        return store(read_op_id(value), spec_.forward_of);
      case OpField::kMeasured:
        return read_measured(value);
    }
    return {};
  }

  // Repeats are dropped at once: they cost little text but much memory.
  Status read_control(const JsonValue& value) {
    std::vector<OpId>& before = spec_.control_inputs;
    BERTH_RETURN_IF_ERROR(value.for_each([&](const JsonValue& op) { return append(read_op_id(op), before); }));
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    return {};
  }

  Status read_measured(const JsonValue& value) {
    BERTH_RETURN_IF_ERROR(value.for_each([&](const JsonValue& item) -> Status {
      if (item.is_null()) return measured_.push_back(-1.0), Status();
      BERTH_TRY(const double seconds, item.number());
      if (seconds < 0) return item.expected("a time in seconds or null");
      measured_.push_back(seconds);
      return {};
    }));
    if (measured_.size() == models_.size()) return {};
    return value.error(fmt::format("expected one time for each of the {} models in \"measured_on\", found {}",
                                   models_.size(), measured_.size()));
  }

  template <typename From, typename To>
  static Status store(Result<From> value, To& place) {
    if (!value) return value.error();
    place = *value;
    return {};
  }
  template <typename T>
  static Status append(Result<T> value, std::vector<T>& list) {
    if (!value) return value.error();
    list.push_back(*value);
    return {};
  }

  JsonDocument& document_;
  GraphBuilder builder_;
  std::vector<std::string> models_;
  OpSpec spec_;  // of the op being read
  std::vector<double> measured_;
};

Result<GraphBuilder> read_into_builder(JsonDocument document, std::string title) {
  if (document.has("title")) {
    BERTH_TRY(title, document.string("title"));
  }
  NativeGraphReader reader(document, std::move(title));
  BERTH_RETURN_IF_ERROR(reader.read());
  return std::move(reader).take();
}

}  // namespace

Result<Graph> read_native_graph(JsonDocument document, std::string default_title) {
  BERTH_TRY(GraphBuilder builder, read_into_builder(std::move(document), std::move(default_title)));
  return std::move(builder).build();
}

}  // namespace berth
