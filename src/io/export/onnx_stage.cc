// SPDX-License-Identifier: Apache-2.0
#include "io/export/onnx_stage.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "io/wire.h"
#include "io/wire_parts.h"

namespace berth {
namespace {

// TensorProto.DataType by our types; where ONNX has several of one size, the common one.
std::uint64_t onnx_number(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 11;
    case DType::kF16:
      return 10;
    case DType::kBF16:
      return 16;
    case DType::kF8:
      return 17;
    case DType::kI64:
      return 7;
    case DType::kI32:
      return 6;
    case DType::kI16:
      return 5;
    case DType::kI8:
      return 3;
    case DType::kU8:
      return 2;
    case DType::kBool:
      return 9;
    case DType::kC64:
      return 14;
    case DType::kC128:
      return 15;
    case DType::kI4:
      return 22;
    case DType::kF32:
    case DType::kTF32:
      break;
  }
  return 1;
}

// ValueInfoProto of a tensor of that type and rank, of any size: what sizes the plan was made for does not bind the
// model.
std::string value_info(std::string_view name, DType dtype, const std::optional<Shape>& shape) {
  std::string tensor = wire_number(1, onnx_number(dtype));
  if (shape) {
    std::string dims;
    for (std::size_t i = 0; i < shape->size(); ++i) dims += wire_field(1, {});
    tensor += wire_field(2, dims);
  }
  return wire_field(1, name) + wire_field(2, wire_field(1, tensor));
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

  void add_constant_outputs(OnnxStage& last) const {
    std::set<std::uint32_t> seen(last.nodes.begin(), last.nodes.end());
    for (const OnnxSource::Named& output : source_.outputs) {
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
  StageWriter(std::string_view file, const OnnxSource& source, const Model& model, const OnnxStage& stage)
      : file_(file), source_(source), model_(model), stage_(stage) {}

  Result<std::vector<FilePart>> write() {
    WireParts graph(file_);
    std::set<std::string_view> named;
    for (const std::uint32_t node : stage_.nodes) {
      graph.keep(source_.nodes[node].field);
      named.insert(source_.nodes[node].reads.begin(), source_.nodes[node].reads.end());
      named.insert(source_.nodes[node].makes.begin(), source_.nodes[node].makes.end());
    }
    for (const std::string_view field : source_.rest) graph.keep(field);
    for (const auto& [name, field] : source_.weights) {
      if (named.contains(name)) graph.keep(field);
    }
    // Old files list their weights among the inputs.
    for (const OnnxSource::Named& input : source_.inputs) {
      if (source_.is_weight(input.name) && named.contains(input.name)) graph.keep(input.field);
    }
    for (const std::string_view name : stage_.inputs) {
      BERTH_TRY(std::string info, info_of(name));
      graph.add(wire_field(11, info));
    }
    for (const std::string_view name : stage_.outputs) {
      BERTH_TRY(std::string info, info_of(name));
      graph.add(wire_field(12, info));
    }
    add_inner_types(named, graph);
    WireParts model(file_);
    for (const std::string_view field : source_.around) model.keep(field);
    model.add(7, std::move(graph));
    return std::move(model).take();
  }

 private:
  // As the file says it, else by its type and rank.
  Result<std::string> info_of(std::string_view name) {
    const auto known = source_.types.find(name);
    if (known != source_.types.end() && has_type(known->second)) return std::string(known->second);
    if (typed_.empty()) {
      for (const Value& value : model_.values) {
        if (value.dtype) typed_.emplace(value.name, &value);
      }
    }
    const auto typed = typed_.find(name);
    if (typed != typed_.end()) return value_info(name, *typed->second->dtype, typed->second->shape);
    return bad_input("the type of '{}', which goes from stage to stage, is not known; run shape inference on the model",
                     name);
  }

  static bool has_type(std::string_view info) {
    for (WireReader field(info); field.next();) {
      if (field.is(2, WireType::kBytes) && !field.bytes().empty()) return true;
    }
    return false;
  }

  void add_inner_types(const std::set<std::string_view>& named, WireParts& graph) const {
    for (const std::string_view name : named) {
      const auto known = source_.types.find(name);
      const bool is_border = std::ranges::find(stage_.inputs, name) != stage_.inputs.end() ||
                             std::ranges::find(stage_.outputs, name) != stage_.outputs.end() || source_.is_weight(name);
      if (known != source_.types.end() && !is_border) graph.add(wire_field(13, known->second));
    }
  }

  std::string_view file_;
  const OnnxSource& source_;
  const Model& model_;
  const OnnxStage& stage_;
  std::unordered_map<std::string_view, const Value*> typed_;  // by name, those whose types are known
};

}  // namespace

std::vector<OnnxStage> fill_stages(const OnnxSource& source, const OnnxPlacement& placement,
                                   std::vector<Stage> stages) {
  return StageFiller(source, placement).run(std::move(stages));
}

Result<std::vector<FilePart>> write_onnx_stage(std::string_view file, const OnnxSource& source, const Model& model,
                                               const OnnxStage& stage) {
  return StageWriter(file, source, model, stage).write();
}

}  // namespace berth
