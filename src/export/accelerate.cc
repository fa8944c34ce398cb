// SPDX-License-Identifier: Apache-2.0
// accelerate's device_map: {module: device}, where a module covers all modules inside it that are not listed
// themselves. It moves whole modules, by their weights: the ops of a module run where its weights are. So
// - a leaf module, and a block (one of the layers that a model repeats, the classes that transformers never splits),
//   goes where most of its bytes are;
// - so does a module whose own ops need it whole (joined_modules.h);
// - a module that reads the weights of another (a tied output layer) goes with them;
// - no module of the map is inside another: accelerate's hooks take the device of the outer one. Weights of a module
//   whose parts are on several devices are listed by their own names;
// - the map is the shortest such one that covers every parameter and buffer of the graph.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "export/device_names.h"
#include "export/formats.h"
#include "export/joined_modules.h"
#include "export/lost.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"
#include "graph/module_path.h"
#include "import/pt2/pt2_weights.h"

namespace berth {
namespace {

struct Unit {  // what cannot be split: a block or a leaf module
  std::map<DeviceId, Bytes> bytes = {};
  std::vector<std::string> weights = {};
  OpId first = kNoOp;
  DeviceId device = kNoDevice;
};

class MapMaker {
 public:
  explicit MapMaker(const ExportRequest& request) : request_(request), graph_(request.problem.graph()) {}

  Result<Exported> run() {
    joined_ = joined_modules(graph_, request_.module_prefix);
    BERTH_RETURN_IF_ERROR(read_weights());
    BERTH_RETURN_IF_ERROR(add_unused_weights());
    add_tied_modules();
    decide();
    shorten("");
    for (const auto& [module, device] : shortest_) ordered_.emplace_back(first_of(module), module);
    std::ranges::sort(ordered_);
    note_what_is_lost();
    return one_file(json(), std::move(notes_));
  }

 private:
  Status read_weights() {
    std::size_t outside = 0;
    for (const OpId op : graph_.ops()) {
      const Role role = graph_.role(op);
      if ((role != Role::kParameter && role != Role::kBuffer) || graph_.label(op).empty()) continue;
      const auto inside = below_prefix(graph_.label(op));
      if (!inside) {
        ++outside;
        continue;
      }
      const std::string unit = unit_of(parent_of(*inside));
      add(unit, op, request_.plan.device(op), std::max<Bytes>(request_.problem.resident_bytes(op), 1));
      units_[unit].weights.emplace_back(*inside);
    }
    if (units_.empty() && outside > 0) {
      return bad_input("no parameter is inside the module {}; the first ones are called like {}",
                       in_quotes(request_.module_prefix), in_quotes(first_label()));
    }
    if (units_.empty()) {
      return bad_input(
          "'{}' has no parameters with names, so that there are no modules to place; export the model "
          "from PyTorch (torch.export) or to ONNX with its names",
          graph_.title());
    }
    return {};
  }

  // Weights that the file has though the step reads none of them: accelerate wants them placed too. Those that are
  // tied go with their other name, a module without others on the device of the one before it.
  Status add_unused_weights() {
    if (!request_.source.ends_with(".pt2")) return {};
    BERTH_TRY(const std::vector<Pt2Weight> weights, read_pt2_weights(request_.source));
    std::unordered_map<std::string_view, OpId> op_of;
    for (const OpId op : graph_.ops()) {
      if (is_resident(graph_.role(op))) op_of.emplace(graph_.label(op), op);
    }
    std::unordered_map<std::string_view, std::string_view> name_of;  // that the graph has, by content
    for (const Pt2Weight& weight : weights) {
      if (op_of.contains(weight.label) && !weight.content.empty()) name_of.emplace(weight.content, weight.label);
    }
    OpId last{0};
    for (const Pt2Weight& weight : weights) {
      const auto inside = below_prefix(weight.label);
      if (const auto used = op_of.find(weight.label); used != op_of.end()) last = used->second;
      if (!inside || op_of.contains(weight.label)) continue;
      const std::string unit = unit_of(parent_of(*inside));
      if (!units_.contains(unit)) add(unit, last, request_.plan.device(last), 1);
      units_[unit].weights.emplace_back(*inside);
      const auto name = name_of.find(weight.content);
      const auto other = name != name_of.end() ? below_prefix(name->second) : std::nullopt;
      if (other && !is_block(unit) && unit_of(parent_of(*other)) != unit) tied_[unit] = unit_of(parent_of(*other));
    }
    return {};
  }

  static bool is_block(const std::string& unit) { return block_of(unit + ".x") == unit; }

  std::string first_label() const {
    for (const OpId op : graph_.ops()) {
      if (graph_.role(op) == Role::kParameter && !graph_.label(op).empty()) return graph_.label(op);
    }
    return {};
  }

  std::optional<std::string_view> below_prefix(std::string_view path) const {
    return below(request_.module_prefix, path);
  }

  // The block, else the outermost joined module, else the module itself.
  std::string unit_of(std::string_view module) const {
    std::string_view unit = block_of(module);
    if (unit != module) return std::string(unit);
    for (auto around = module; !around.empty(); around = parent_of(around)) {
      if (joined_.contains(std::string(around))) unit = around;
    }
    return std::string(unit);
  }

  void add(const std::string& name, OpId op, DeviceId device, Bytes bytes) {
    Unit& unit = units_[name];
    unit.bytes[device] += bytes;
    unit.first = std::min(unit.first, op);
  }

  // "lm_head", whose weight is that of the embedding: it reads a parameter of another module. Blocks stay where most of
  // their own weights are.
  void add_tied_modules() {
    for (const OpId op : graph_.ops()) {
      if (graph_.role(op) != Role::kCompute || graph_.module(op).empty()) continue;
      const auto inside = below_prefix(graph_.module(op));
      if (!inside || inside->empty()) continue;
      const std::string name = unit_of(*inside);
      for (const TensorId input : graph_.inputs(op)) {
        const OpId weight = weight_behind(input);
        const auto label = weight != kNoOp ? below_prefix(graph_.label(weight)) : std::nullopt;
        if (label && !label->empty()) tie(name, unit_of(parent_of(*label)), op, weight);
      }
    }
  }

  void tie(const std::string& name, const std::string& owner, OpId reader, OpId weight) {
    if (name == owner || is_around(name, owner) || !units_.contains(owner)) return;
    if (is_around(owner, name)) {
      lent_.emplace(owner, name);
      return;
    }
    if (!units_.contains(name)) {
      const bool has_parts = std::ranges::any_of(units_, [&](const auto& unit) { return is_around(name, unit.first); });
      if (has_parts) return;
      add(name, reader, request_.plan.device(weight), 1);
    }
    if (!is_block(name)) tied_.emplace(name, owner);
  }

  // The parameter that the tensor is, through views.
  OpId weight_behind(TensorId tensor) const {
    OpId from = graph_.producer(tensor);
    while (graph_.role(from) == Role::kView && !graph_.inputs(from).empty()) {
      from = graph_.producer(graph_.inputs(from).front());
    }
    return graph_.role(from) == Role::kParameter ? from : kNoOp;
  }

  void decide() {
    for (auto& [name, unit] : units_) {
      unit.device = std::ranges::max_element(unit.bytes, {}, [](const auto& vote) { return vote.second; })->first;
      if (unit.bytes.size() < 2) continue;
      split_.add(name);
    }
    for (const auto& [name, owner] : tied_) units_.at(name).device = units_.at(owner).device;
    // A tied part takes what it reads of the module around it along: BERT's output layer has its bias from there.
    for (const auto& [owner, name] : lent_) {
      if (tied_.contains(name)) units_.at(owner).device = units_.at(name).device;
    }
  }

  // Lists the modules of the shortest map inside `module`; the device if all of it is on one.
  std::optional<DeviceId> shorten(const std::string& module) {
    if (const auto unit = units_.find(module); unit != units_.end() && children_of(module).empty()) {
      shortest_[module] = unit->second.device;
      return unit->second.device;
    }
    std::map<std::string, std::optional<DeviceId>> inside;
    if (const auto unit = units_.find(module); unit != units_.end()) inside[module] = unit->second.device;
    for (const std::string& child : children_of(module)) inside[child] = shorten(child);
    const std::optional<DeviceId> device = inside.begin()->second;
    const bool is_one = device && std::ranges::all_of(inside, [&](const auto& part) { return part.second == device; });
    if (is_one) {
      for (const auto& [child, unused] : inside) shortest_.erase(child);
      shortest_[module] = *device;
    } else if (const auto unit = units_.find(module); unit != units_.end()) {
      for (const std::string& weight : unit->second.weights) {
        shortest_[weight] = unit->second.device;
        alone_.add(weight);
      }
    }
    return is_one ? device : std::nullopt;
  }

  // Modules one level down that have units.
  const std::vector<std::string>& children_of(const std::string& module) {
    if (children_.empty()) {
      for (const auto& [name, unit] : units_) {
        std::string_view path = name;
        while (!path.empty()) {
          const std::string_view parent = parent_of(path);
          std::vector<std::string>& list = children_[std::string(parent)];
          if (std::ranges::find(list, path) == list.end()) list.emplace_back(path);
          path = parent;
        }
      }
    }
    return children_[module];
  }

  // Of a module, or of the one whose weight it is.
  OpId first_of(const std::string& listed) const {
    OpId first = kNoOp;
    for (const auto& [name, unit] : units_) {
      if (is_around(listed, name)) first = std::min(first, unit.first);
    }
    return first != kNoOp ? first : units_.at(std::string(parent_of(listed))).first;
  }

  void note_what_is_lost() {
    if (split_.count() > 0) {
      notes_.push_back(
          fmt::format("{} on several devices in the plan: accelerate moves whole modules and blocks, so each goes "
                      "where most of its bytes are",
                      split_.text("module", "modules")));
    }
    if (alone_.count() > 0) {
      notes_.push_back(
          fmt::format("{} listed by name, of modules whose parts are on several devices: load the weights by the map, "
                      "since dispatch_model moves modules alone; ops of such a module run where its inputs are",
                      alone_.text("parameter", "parameters")));
    }
    NamedSome moved;
    for (const OpId op : graph_.ops()) {
      if (graph_.role(op) != Role::kCompute || graph_.module(op).empty()) continue;
      const auto inside = below_prefix(graph_.module(op));
      const auto device = inside ? device_of(*inside) : std::nullopt;
      if (device && *device != request_.plan.device(op)) moved.add(graph_.name(op));
    }
    if (moved.count() > 0) {
      notes_.push_back(
          fmt::format("{} elsewhere than in the plan, with the weights of their module; berth score --plan "
                      "on the file says what that costs",
                      moved.text("op", "ops")));
    }
    std::vector<DeviceId> order;
    for (const auto& [first, module] : ordered_) {
      const DeviceId device = shortest_.at(module);
      if (order.empty() || order.back() != device) order.push_back(device);
    }
    std::ranges::sort(order);
    if (std::ranges::adjacent_find(order) != order.end())
      notes_.push_back("the map returns to a device after leaving it, which accelerate's guide warns of");
    note_order_and_fusions(request_.plan, "PyTorch, which runs ops in the order of the model's code", notes_);
  }

  std::optional<DeviceId> device_of(std::string_view path) const {
    for (std::string_view module = path;; module = parent_of(module)) {
      if (const auto found = shortest_.find(std::string(module)); found != shortest_.end()) return found->second;
      if (module.empty()) return std::nullopt;
    }
  }

  std::string json() const {
    const Machine& machine = request_.problem.machine();
    JsonWriter json;
    json.begin_object(JsonLayout::kLines);
    for (const auto& [first, module] : ordered_) {
      const DeviceId device = shortest_.at(module);
      json.key(module);
      const bool has_name = request_.names.contains(machine.device(device).name);
      if (!has_name && machine.device(device).kind == DeviceKind::kGpu) {
        json.value(number_of_kind(machine, device));
      } else {
        json.value(runtime_name(Runtime::kTorch, request_, device));
      }
    }
    json.end_object();
    return std::move(json).take();
  }

  const ExportRequest& request_;
  const Graph& graph_;
  std::set<std::string> joined_;             // modules that their own ops keep together
  std::map<std::string, std::string> tied_;  // units: the one whose weights they read
  std::map<std::string, std::string> lent_;  // units: a part of theirs that reads their own weights
  std::map<std::string, Unit> units_;
  std::unordered_map<std::string, std::vector<std::string>> children_;
  std::map<std::string, DeviceId> shortest_;
  std::vector<std::pair<OpId, std::string>> ordered_;  // as the model has them
  NamedSome split_, alone_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Exported> export_accelerate(const ExportRequest& request) { return MapMaker(request).run(); }

}  // namespace berth
