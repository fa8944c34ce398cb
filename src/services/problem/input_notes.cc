// SPDX-License-Identifier: Apache-2.0
#include "services/problem/input_notes.h"

#include "base/text.h"
#include "base/units.h"
#include "model/sizes.h"
#include "services/words.h"

namespace berth {
namespace {

constexpr std::size_t kMostNames = 3;

std::string about_dims(const std::vector<std::string>& dims) {
  return fmt::format("{} no size and {} as 1: {}; say --dim {}=8",
                     counted(dims.size(), "dimension") + (dims.size() == 1 ? " has" : " have"),
                     dims.size() == 1 ? "counts" : "count", some_of(dims, kMostNames), dims.front());
}

std::string about_shapes(const std::vector<std::string>& values) {
  return fmt::format(
      "the size of {} is not known and counts as nothing: {}; berth graph info --json names all; give open sizes by "
      "--dim, or run shape inference on the model before",
      counted(values.size(), "value"), some_of(values, kMostNames));
}

std::string about_branches(const std::vector<std::string>& nodes) {
  return fmt::format("it does not say which branch of {} runs; the larger one counts: {}",
                     counted(nodes.size(), "node"), some_of(nodes, kMostNames));
}

std::string about_loops(const std::vector<std::string>& loops) {
  return fmt::format("it does not say how often {} {}; one turn counts: {}; say --dim {}=8",
                     counted(loops.size(), "loop"), loops.size() == 1 ? "turns" : "turn", some_of(loops, kMostNames),
                     kLoopTurns);
}

}  // namespace

void InputNotes::add(const std::vector<std::string>& more, Caller& caller) {
  for (const std::string& text : more) caller.note(text);
  warnings.insert(warnings.end(), more.begin(), more.end());
}

std::string left_out_text(const LowerReport& report) {
  std::vector<std::string> words;
  for (const auto& [why, count] : report.left_out) words.push_back(fmt::format("{} {}", group_digits(count), why));
  return join(words, ", ");
}

std::vector<std::string> warnings_about(const std::string& path, const std::optional<LowerReport>& report) {
  std::vector<std::string> warnings;
  if (!report) return warnings;
  const auto warn = [&](const std::string& text) { warnings.push_back(fmt::format("warning: {}: {}", path, text)); };
  std::vector<std::string> dims;
  for (const auto& [name, size] : assumed_sizes(report)) dims.push_back(name);
  if (!dims.empty()) warn(about_dims(dims));
  if (!report->unknown_shapes.empty()) warn(about_shapes(report->unknown_shapes));
  if (!report->open_branches.empty()) warn(about_branches(report->open_branches));
  if (!report->open_loops.empty()) warn(about_loops(report->open_loops));
  if (!report->left_out.empty()) {
    warnings.push_back(
        fmt::format("note: {}: some of its nodes are no part of the step: {}", path, left_out_text(*report)));
  }
  return warnings;
}

std::map<std::string, std::int64_t> assumed_sizes(const std::optional<LowerReport>& report) {
  std::map<std::string, std::int64_t> sizes;
  if (!report) return sizes;
  for (const auto& [name, uses] : report->assumed_dims) sizes.emplace(name, 1);
  return sizes;
}

std::vector<std::string> warnings_about(const CostsReport& report) {
  std::vector<std::string> warnings;
  if (report.matched < report.names) {
    const bool all_shown = report.names - report.matched == report.unmatched.size();
    warnings.push_back(fmt::format("warning: {}: {} of {} matched; not in the graph: {}{}", report.path,
                                   group_digits(report.matched), counted(report.names, "name"),
                                   fmt::join(report.unmatched, ", "), all_shown ? "" : ", ..."));
  }
  if (report.other_devices > 0) {
    warnings.push_back(fmt::format("warning: {}: {} {} for devices that the machine does not have", report.path,
                                   counted(report.other_devices, "time"), report.other_devices == 1 ? "is" : "are"));
  }
  return warnings;
}

}  // namespace berth
