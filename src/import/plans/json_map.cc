// SPDX-License-Identifier: Apache-2.0
// accelerate's device_map and OpenVINO's affinities: JSON objects of names and devices.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "files/text_lines.h"
#include "graph/module_path.h"
#include "import/plans/readers.h"

namespace berth {
namespace {

constexpr std::size_t kMostJsonBytes = std::size_t{128} << 20;

using Entries = std::map<std::string, std::string, std::less<>>;

// The object as one member of a document, since only those can be gone through.
Status for_each_entry(const std::string& text, const JsonValue::VisitMember& visit) {
  const std::size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  BERTH_TRY(JsonDocument document, JsonDocument::open("{\"map\":" + text.substr(begin) + "}", kMostJsonBytes));
  BERTH_TRY(const JsonValue map, document.member("map"));
  return map.for_each_member(visit);
}

Result<std::string> torch_device(const JsonValue& value) {
  if (const auto number = value.integer(); number) return fmt::format("gpu:{}", *number);
  BERTH_TRY(const std::string_view text, value.string());
  if (text == "disk" || text == "meta") {
    return value.error(fmt::format("a module on {} cannot be judged: machines here have no such device; say \"cpu\"",
                                   in_quotes(text)));
  }
  return std::string(text);
}

Result<Entries> read_entries(const std::string& text, bool takes_numbers) {
  Entries entries;
  BERTH_RETURN_IF_ERROR(for_each_entry(text, [&](std::string_view key, const JsonValue& value) -> Status {
    std::string device;
    if (takes_numbers) {
      BERTH_TRY(device, torch_device(value));
    } else {
      BERTH_TRY(const std::string_view word, value.string());
      device = word;
    }
    if (!entries.emplace(key, std::move(device)).second) return value.error("it is there twice");
    return {};
  }));
  if (entries.empty()) return bad_input("the map is empty");
  return entries;
}

// Paths of a graph may begin with modules around the model that the map is for: "m.bert.encoder" for "bert.encoder".
std::string prefix_of_graph(const Graph& graph, const Entries& entries) {
  const auto is_listed = [&](std::string_view path) {
    for (; !path.empty(); path = parent_of(path)) {
      if (entries.contains(path)) return true;
    }
    return false;
  };
  for (const OpId op : graph.ops()) {
    const std::string_view path = path_of(graph, op);
    std::string_view rest = path;
    while (!rest.empty()) {
      if (is_listed(rest)) return std::string(path.substr(0, path.size() - rest.size()));
      const std::size_t dot = rest.find('.');
      rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
  }
  return {};
}

// The device of the innermost module that the map names; nothing if there is none.
const std::string* device_of(const Entries& entries, std::string_view path) {
  for (;; path = parent_of(path)) {
    if (const auto found = entries.find(path); found != entries.end()) return &found->second;
    if (path.empty()) return nullptr;
  }
}

bool is_named_weight(const Graph& graph, OpId op) {
  const Role role = graph.role(op);
  return (role == Role::kParameter || role == Role::kBuffer) && !graph.label(op).empty();
}

}  // namespace

bool names_ops(const std::string& text, const Graph& graph) {
  std::unordered_map<std::string_view, OpId> ops;
  for (const OpId op : graph.ops()) ops.emplace(graph.name(op), op);
  std::size_t known = 0, all = 0;
  bool has_numbers = false;
  const Status read = for_each_entry(text, [&](std::string_view key, const JsonValue& value) -> Status {
    has_numbers = has_numbers || value.integer().ok();
    known += ops.contains(key) ? 1 : 0;
    ++all;
    return {};
  });
  return read && !has_numbers && 2 * known > all;
}

Result<StatedPlan> read_device_map(const std::string& text, const ForeignPlanRequest& request) {
  const Graph& graph = request.problem.graph();
  BERTH_TRY(const Entries entries, read_entries(text, true));
  const std::string prefix = prefix_of_graph(graph, entries);
  OpDevices devices(graph.num_ops());
  std::size_t missing = 0, placed = 0;
  OpId first_missing = kNoOp;
  for (const OpId op : graph.ops()) {
    const bool is_weight = is_named_weight(graph, op);
    std::string_view path = is_weight ? std::string_view(graph.label(op)) : std::string_view(graph.module(op));
    if (path.empty()) continue;
    const std::string* device = nullptr;
    if (path.starts_with(prefix)) device = device_of(entries, path.substr(prefix.size()));
    if (device != nullptr) {
      devices[index(op)] = *device;
      ++placed;
    } else if (is_weight && missing++ == 0) {
      first_missing = op;
    }
  }
  if (placed == 0) {
    return bad_input("no module of the graph is in the map; '{}' has no module like {}", graph.title(),
                     in_quotes(entries.begin()->first));
  }
  if (missing > 0) {
    return bad_input("the map gives no device to {} of the graph, the first is '{}'; add its module",
                     counted(missing, "parameter"), graph.label(first_missing));
  }
  follow_inputs(graph, devices);
  return StatedPlan{std::move(devices)};
}

Result<StatedPlan> read_affinity(const std::string& text, const ForeignPlanRequest& request) {
  const Graph& graph = request.problem.graph();
  BERTH_TRY(const Entries entries, read_entries(text, false));
  OpDevices devices(graph.num_ops());
  for (const OpId op : graph.ops()) {
    if (const auto found = entries.find(graph.name(op)); found != entries.end()) devices[index(op)] = found->second;
  }
  return StatedPlan{std::move(devices)};
}

}  // namespace berth
