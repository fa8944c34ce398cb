// SPDX-License-Identifier: Apache-2.0
#include "services/compare/diff.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "format/plan_file.h"
#include "import/plans/foreign_plan.h"
#include "report/lanes.h"
#include "services/plan/plan_files.h"

namespace berth {
namespace {

// What a plan file says without its graph.
struct PlanOutline {
  std::string graph_hash, machine;
  std::optional<double> step_s;                                // predicted
  std::vector<std::pair<std::string, std::string>> device_of;  // op, device
};

Result<PlanOutline> read_outline(const std::string& path) {
  BERTH_TRY(std::string text, read_file(path));
  if (is_foreign_plan(path, text)) {
    return bad_input("{}: no plan of ours; with --graph and --machine those of other programs are read too", path);
  }
  const auto read = [&]() -> Result<PlanOutline> {
    BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
    BERTH_RETURN_IF_ERROR(check_format(document, kPlanFormat));
    PlanOutline outline;
    BERTH_TRY(outline.graph_hash, document.string("graph"));
    BERTH_TRY(outline.machine, document.string("machine"));
    BERTH_RETURN_IF_ERROR(document.for_each("ops", [&](const JsonValue& op) -> Status {
      const auto name = op.find("name"), device = op.find("device");
      if (!name || !device) return op.error("an op needs a name and a device");
      BERTH_TRY(const std::string_view op_name, name->string());
      BERTH_TRY(const std::string_view device_name, device->string());
      outline.device_of.emplace_back(op_name, device_name);
      return {};
    }));
    if (!document.has("predicted")) return outline;
    BERTH_TRY(const JsonValue predicted, document.member("predicted"));
    if (const auto step = predicted.find("step_time_s"); step && !step->is_null()) {
      BERTH_TRY(outline.step_s, step->number());
    }
    return outline;
  };
  Result<PlanOutline> outline = read();
  if (!outline) return in_file(path, outline.error());
  return outline;
}

Result<Moves> moves_between(const DiffRequest& request, const PlanOutline& before, const PlanOutline& after) {
  if (before.graph_hash != after.graph_hash) {
    return bad_input("{} and {} are plans for different graphs ({} and {})", request.before, request.after,
                     in_quotes(before.graph_hash), in_quotes(after.graph_hash));
  }
  std::unordered_map<std::string_view, std::string_view> device_after;
  for (const auto& [op, device] : after.device_of) device_after.emplace(op, device);
  Moves moves;
  moves.ops = before.device_of.size();
  for (const auto& [op, device] : before.device_of) {
    const auto now = device_after.find(op);
    if (now == device_after.end())
      return bad_input("{}: the op '{}' of {} is missing", request.after, op, request.before);
    if (now->second == device) continue;
    ++moves.count[{device, std::string(now->second)}];
    moves.names.push_back(op);
  }
  return moves;
}

PlanOutline outline_of(const Problem& problem, const Outcome& outcome) {
  PlanOutline outline{problem.graph().structure_hash(), problem.machine().name(), outcome.value_s(), {}};
  for (const OpId op : problem.graph().ops()) {
    outline.device_of.emplace_back(problem.graph().name(op), problem.machine().device(outcome.plan.device(op)).name);
  }
  return outline;
}

std::vector<std::pair<std::string, std::size_t>> moved_parts(const Graph& graph, const Plan& before,
                                                             const Plan& after) {
  const report::Lanes lanes = report::find_lanes(graph);
  std::vector<std::size_t> moved(lanes.names.size(), 0);
  for (const OpId op : graph.ops()) {
    if (before.device(op) != after.device(op)) ++moved[lanes.of[index(op)]];
  }
  std::vector<std::pair<std::string, std::size_t>> parts;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (moved[i] > 0) parts.emplace_back(lanes.names[i].empty() ? "other" : lanes.names[i], moved[i]);
  }
  std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.second > b.second; });
  return parts;
}

Result<DiffEffect> simulate_both(const DiffRequest& request, Caller& caller) {
  const ProblemRequest& problem = *request.problem;
  BERTH_TRY(LoadedProblem loaded, load_problem(problem, caller));
  BERTH_TRY(Outcome before, score_plan_file(request.before, "file", problem, loaded.problem));
  BERTH_TRY(Outcome after, score_plan_file(request.after, "file", problem, loaded.problem));
  auto parts = moved_parts(loaded.problem.graph(), before.plan, after.plan);
  return DiffEffect{std::move(loaded), std::move(before), std::move(after), std::move(parts)};
}

}  // namespace

Result<DiffAnswer> diff_plans(const DiffRequest& request, Caller& caller) {
  PlanOutline before, after;
  std::optional<DiffEffect> effect;
  if (request.problem) {
    BERTH_TRY(effect, simulate_both(request, caller));
    before = outline_of(effect->loaded.problem, effect->before);
    after = outline_of(effect->loaded.problem, effect->after);
  } else {
    BERTH_TRY(before, read_outline(request.before));
    BERTH_TRY(after, read_outline(request.after));
  }
  BERTH_TRY(Moves moves, moves_between(request, before, after));
  return DiffAnswer{std::move(moves), before.step_s, after.step_s, std::move(effect)};
}

}  // namespace berth
