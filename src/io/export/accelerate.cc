// SPDX-License-Identifier: Apache-2.0
// accelerate's device_map: {module: device}, where a module covers all modules inside it that are not listed
// themselves. It moves whole modules, by their weights: the ops of a module run where its weights are. So
// - a leaf module, and a block (one of the layers that a model repeats, the classes that transformers never splits),
//   goes where most of its bytes are;
// - so does a module whose own ops join what its parts make (BERT's embeddings are a sum): they meet on one device;
// - a module that reads the weights of another (a tied output layer) goes with them;
// - the map is the shortest that covers every parameter and buffer of the graph.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "io/export/device_names.h"
#include "io/export/formats.h"
#include "io/export/lost.h"
#include "io/export/module_path.h"
#include "io/json_reader.h"
#include "io/json_writer.h"

namespace berth {
namespace {

struct Unit {  // what cannot be split: a block or a leaf module
  std::map<DeviceId, Bytes> bytes = {};
  OpId first = kNoOp;
  DeviceId device = kNoDevice;
};

class MapMaker {
 public:
  explicit MapMaker(const ExportRequest& request) : request_(request), graph_(request.problem.graph()) {}

  Result<Exported> run() {
    find_joined();
    BERTH_RETURN_IF_ERROR(read_weights());
    add_tied_modules();
    decide();
    shorten("");
    drop_repeated();
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
      add(unit_of(parent_of(*inside)), op, request_.plan.device(op),
          std::max<Bytes>(request_.problem.resident_bytes(op), 1));
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

  std::string first_label() const {
    for (const OpId op : graph_.ops()) {
      if (graph_.role(op) == Role::kParameter && !graph_.label(op).empty()) return graph_.label(op);
    }
    return {};
  }

  // The path inside the module that the user names.
  std::optional<std::string_view> below_prefix(std::string_view path) const {
    const std::string& prefix = request_.module_prefix;
    if (prefix.empty()) return path;
    if (!is_around(prefix, path)) return std::nullopt;
    path.remove_prefix(std::min(prefix.size() + 1, path.size()));
    return path;
  }

  std::string unit_of(std::string_view module) const {
    const std::string_view block = block_of(module);
    if (joined_.contains(std::string(block))) return std::string(block);
    const std::string around(parent_of(block));
    return joined_.contains(around) ? around : std::string(block);
  }

  // Modules, of leaves alone and no blocks, with an op of their own that reads what two of the leaves make.
  void find_joined() {
    std::set<std::string_view> higher;  // modules that hold more than leaves
    for (const OpId op : graph_.ops()) {
      const auto label = is_resident(graph_.role(op)) ? below_prefix(graph_.label(op)) : std::nullopt;
      if (!label) continue;
      for (auto module = parent_of(parent_of(parent_of(*label))); !module.empty(); module = parent_of(module)) {
        higher.insert(module);
      }
    }
    for (const OpId op : graph_.ops()) {
      const auto module = graph_.role(op) == Role::kCompute ? below_prefix(graph_.module(op)) : std::nullopt;
      if (!module || module->empty() || higher.contains(*module) || block_of(*module) != *module) continue;
      std::set<std::string_view> leaves;
      for (const TensorId input : graph_.inputs(op)) {
        const auto from = below_prefix(graph_.module(graph_.producer(input)));
        if (from && *from != *module && is_around(*module, *from) && block_of(*from) == *from) leaves.insert(*from);
      }
      if (leaves.size() > 1) joined_.emplace(*module);
    }
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
        if (label && !label->empty()) tie(name, unit_of(parent_of(*label)), weight);
      }
    }
  }

  void tie(const std::string& name, const std::string& owner, OpId weight) {
    if (is_around(name, owner) || is_around(owner, name) || !units_.contains(owner)) return;
    if (!units_.contains(name)) {
      const bool is_covered = std::ranges::any_of(
          units_, [&](const auto& unit) { return is_around(name, unit.first) || is_around(unit.first, name); });
      if (is_covered) return;
      add(name, weight, request_.plan.device(weight), 1);
    }
    const bool is_block = block_of(name + ".x") == name;
    if (!is_block) tied_.emplace(name, owner);
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
    }
    if (is_one || units_.contains(module)) shortest_[module] = is_one ? *device : units_.find(module)->second.device;
    return is_one ? device : std::nullopt;
  }

  // A module with weights of its own covers those inside it that are where it is.
  void drop_repeated() {
    std::vector<std::string> repeated;
    for (const auto& [module, device] : shortest_) {
      if (module.empty()) continue;
      const auto around = device_of(parent_of(module));
      if (around == device) repeated.push_back(module);
    }
    for (const std::string& module : repeated) shortest_.erase(module);
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

  OpId first_of(const std::string& module) const {
    OpId first = kNoOp;
    for (const auto& [name, unit] : units_) {
      if (is_around(module, name)) first = std::min(first, unit.first);
    }
    return first;
  }

  void note_what_is_lost() {
    if (split_.count() > 0) {
      notes_.push_back(
          fmt::format("{} on several devices in the plan: accelerate moves whole modules and blocks, so each goes "
                      "where most of its bytes are",
                      split_.text("module", "modules")));
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
  std::map<std::string, Unit> units_;
  std::unordered_map<std::string, std::vector<std::string>> children_;
  std::map<std::string, DeviceId> shortest_;
  std::vector<std::pair<OpId, std::string>> ordered_;  // as the model has them
  NamedSome split_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<Exported> export_accelerate(const ExportRequest& request) { return MapMaker(request).run(); }

}  // namespace berth
