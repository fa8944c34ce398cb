// SPDX-License-Identifier: Apache-2.0
#include "export/onnx_stage.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "files/protobuf/wire.h"
#include "files/protobuf/wire_parts.h"

namespace berth {
namespace {

// The type of ONNX that ours stands for, where it stands for one alone.
OnnxType sure_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return tensor_type(kOnnxFloat);
    case DType::kU8:
      return tensor_type(2);
    case DType::kI8:
      return tensor_type(3);
    case DType::kBool:
      return tensor_type(kOnnxBool);
    case DType::kF16:
      return tensor_type(10);
    case DType::kF64:
      return tensor_type(11);
    case DType::kC64:
      return tensor_type(14);
    case DType::kC128:
      return tensor_type(15);
    case DType::kBF16:
      return tensor_type(16);
    default:
      return {};
  }
}

// The type of a tensor with its rank, of any size: what sizes the plan was made for does not bind the model.
OnnxType with_rank(const OnnxType& type, std::size_t rank) {
  const std::string_view tensor = first_bytes(type, 1);
  if (tensor.empty()) return type;
  std::string dims;
  for (std::size_t i = 0; i < rank; ++i) dims += wire_field(1, {});
  return wire_field(1, std::string(tensor) + wire_field(2, dims));
}

class StageFiller {
 public:
  StageFiller(const OnnxSource& source, const OnnxPlacement& placement) : source_(source), placement_(placement) {}

  std::vector<OnnxStage> run(std::vector<Stage> stages) {
    std::vector<OnnxStage> filled;
    for (Stage& stage : stages) filled.push_back({stage.device, with_constants(stage.nodes)});
    if (filled.empty()) filled.push_back({DeviceId(0)});  // a model of constants alone
    add_constant_outputs(filled.back());
    find_wanted(filled);
    for (OnnxStage& stage : filled) find_borders(stage);
    return filled;
  }

 private:
  std::vector<std::uint32_t> with_constants(const std::vector<std::uint32_t>& nodes) const {
    std::vector<std::uint32_t> all;
    std::set<std::uint32_t> seen;
    for (const std::uint32_t node : nodes) add(node, all, seen);
    return all;
  }

  // Constants first, then the node itself. Their chains are short, but a file may have long ones: no recursion.
  void add(std::uint32_t node, std::vector<std::uint32_t>& all, std::set<std::uint32_t>& seen) const {
    std::vector<std::pair<std::uint32_t, bool>> open{{node, false}};
    while (!open.empty()) {
      const auto [next, is_ready] = open.back();
      open.pop_back();
      if (is_ready) {
        all.push_back(next);
        continue;
      }
      if (!seen.insert(next).second) continue;
      open.emplace_back(next, true);
      for (const std::uint32_t input : placement_.nodes[next].inputs) {
        if (placement_.placed.is_constant[input]) open.emplace_back(input, false);
      }
    }
  }

  // Outputs of the model that need no input of it: weights, and what constant nodes make.
  void add_constant_outputs(OnnxStage& last) const {
    std::set<std::uint32_t> seen(last.nodes.begin(), last.nodes.end());
    for (const OnnxSource::Named& output : source_.outputs) {
      if (source_.is_weight(output.name)) last.outputs.push_back(output.name);
      const auto maker = source_.maker.find(output.name);
      if (maker == source_.maker.end() || !placement_.placed.is_constant[maker->second]) continue;
      add(maker->second, last.nodes, seen);
    }
  }

  // Values that are read in another stage than the one they are made in, or that are outputs of the model.
  void find_wanted(const std::vector<OnnxStage>& stages) {
    for (const OnnxSource::Named& output : source_.outputs) wanted_.insert(output.name);
    for (const OnnxStage& stage : stages) {
      const std::set<std::uint32_t> own(stage.nodes.begin(), stage.nodes.end());
      for (const std::uint32_t node : stage.nodes) {
        for (const std::string_view name : source_.nodes[node].reads) {
          const auto maker = source_.maker.find(name);
          if (maker != source_.maker.end() && !own.contains(maker->second)) wanted_.insert(name);
        }
      }
    }
  }

  void find_borders(OnnxStage& stage) {
    std::set<std::string_view> made, seen;
    for (const std::uint32_t node : stage.nodes) {
      for (const std::string_view name : source_.nodes[node].makes) {
        made.insert(name);
        const bool is_new = !source_.is_weight(name) && wanted_.contains(name) && !given_.contains(name);
        if (is_new && given_.insert(name).second) stage.outputs.push_back(name);
      }
    }
    for (const std::uint32_t node : stage.nodes) {
      for (const std::string_view name : source_.nodes[node].reads) {
        const bool is_outside = source_.maker.contains(name) ? !made.contains(name) : source_.is_input(name);
        if (is_outside && !source_.is_weight(name) && seen.insert(name).second) stage.inputs.push_back(name);
      }
    }
  }

  const OnnxSource& source_;
  const OnnxPlacement& placement_;
  std::set<std::string_view> wanted_;
  std::set<std::string_view> given_;  // made by an earlier stage: a constant that two stages have comes from the first
};

class StageWriter {
 public:
  StageWriter(const OnnxWhole& whole, const OnnxStage& stage)
      : whole_(whole), source_(whole.source), stage_(stage), graph_(whole.file) {}

  Result<std::vector<FilePart>> write() {
    std::set<std::string_view> named(stage_.outputs.begin(), stage_.outputs.end());
    for (const std::uint32_t node : stage_.nodes) {
      BERTH_RETURN_IF_ERROR(add(source_.nodes[node].field, OnnxMessage::kGraph, graph_));
      named.insert(source_.nodes[node].reads.begin(), source_.nodes[node].reads.end());
      named.insert(source_.nodes[node].makes.begin(), source_.nodes[node].makes.end());
    }
    for (const std::string_view field : source_.rest) graph_.keep(field);
    BERTH_RETURN_IF_ERROR(add_weights(named));
    BERTH_RETURN_IF_ERROR(add_border(stage_.inputs, 11));
    BERTH_RETURN_IF_ERROR(add_border(stage_.outputs, 12));
    add_inner_types(named);
    WireParts model(whole_.file);
    for (const std::string_view field : source_.around) {
      BERTH_RETURN_IF_ERROR(add(field, OnnxMessage::kModel, model));
    }
    model.add(7, std::move(graph_));
    return std::move(model).take();
  }

 private:
  // A field of the model or the graph, with the names that the export has for files of weights.
  Status add(std::string_view field, OnnxMessage around, WireParts& to) const {
    WireReader reader(field);
    reader.next();
    BERTH_TRY(auto renamed, rename_onnx_locations(whole_.file, reader, around, whole_.locations));
    if (renamed) {
      to.add(reader.field(), *std::move(renamed));
    } else {
      to.keep(field);
    }
    return {};
  }

  Status add_weights(const std::set<std::string_view>& named) {
    for (const auto& [name, field] : source_.weights) {
      if (named.contains(name)) BERTH_RETURN_IF_ERROR(add(field, OnnxMessage::kGraph, graph_));
    }
    // Old files list their weights among the inputs.
    for (const OnnxSource::Named& input : source_.inputs) {
      if (source_.is_weight(input.name) && named.contains(input.name)) graph_.keep(input.field);
    }
    return {};
  }

  Status add_border(const std::vector<std::string_view>& names, std::uint32_t field) {
    for (const std::string_view name : names) {
      BERTH_TRY(const std::string info, info_of(name));
      graph_.add(wire_field(field, info));
    }
    return {};
  }

  // As the file says it, else by its type and rank.
  Result<std::string> info_of(std::string_view name) {
    const auto stated = source_.types.find(name);
    if (stated != source_.types.end() && !without_shapes(first_bytes(stated->second, 2)).empty()) {
      return std::string(stated->second);
    }
    if (value_of_.empty()) {
      for (const Value& value : whole_.model.values) value_of_.emplace(value.name, &value);
    }
    const auto value = value_of_.find(name);
    const Value* const known = value != value_of_.end() ? value->second : nullptr;
    OnnxType type;
    if (const auto found = whole_.types.find(std::string(name)); found != whole_.types.end()) type = found->second;
    if (type.empty() && known != nullptr && known->dtype) type = sure_type(*known->dtype);
    if (type.empty()) return unknown(name);
    if (known != nullptr && known->shape && !whole_.open_ranks.contains(name))
      type = with_rank(type, known->shape->size());
    return wire_field(1, name) + wire_field(2, type);
  }

  [[nodiscard]] Error unknown(std::string_view name) const {
    const auto maker = source_.maker.find(name);
    const std::string_view node = maker != source_.maker.end() ? source_.nodes[maker->second].label : name;
    return bad_input(
        "node '{}' makes '{}', which goes from stage to stage, and its type is not known; run shape inference on the "
        "model, or keep the node and its readers on one device",
        node, name);
  }

  void add_inner_types(const std::set<std::string_view>& named) {
    std::set<std::string_view> border(stage_.inputs.begin(), stage_.inputs.end());
    border.insert(stage_.outputs.begin(), stage_.outputs.end());
    for (const std::string_view name : named) {
      const auto known = source_.types.find(name);
      const bool is_inner = !border.contains(name) && !source_.is_weight(name);
      if (known != source_.types.end() && is_inner) graph_.add(wire_field(13, known->second));
    }
  }

  const OnnxWhole& whole_;
  const OnnxSource& source_;
  const OnnxStage& stage_;
  WireParts graph_;
  std::unordered_map<std::string_view, const Value*> value_of_;  // by name
};

}  // namespace

std::vector<OnnxStage> fill_stages(const OnnxSource& source, const OnnxPlacement& placement,
                                   std::vector<Stage> stages) {
  return StageFiller(source, placement).run(std::move(stages));
}

std::set<std::string_view> find_open_ranks(const OnnxSource& source, const PlacedNodes& placed) {
  std::set<std::string_view> opening{"If", "Loop"};
  for (const std::string_view field : source.around) {
    WireReader function(field);
    if (function.next() && function.is(25, WireType::kBytes)) opening.insert(first_bytes(function.bytes(), 1));
  }
  std::set<std::string_view> open;
  for (const std::uint32_t number : placed.order) {
    const OnnxSource::Node& node = source.nodes[number];
    const bool is_open = opening.contains(node.type) ||
                         std::ranges::any_of(node.reads, [&](std::string_view name) { return open.contains(name); });
    if (is_open) open.insert(node.makes.begin(), node.makes.end());
  }
  return open;
}

Result<std::vector<FilePart>> write_onnx_stage(const OnnxWhole& whole, const OnnxStage& stage) {
  return StageWriter(whole, stage).write();
}

}  // namespace berth
