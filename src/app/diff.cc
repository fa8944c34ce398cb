// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "app/commands.h"
#include "app/flags/options.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"
#include "format/plan_file.h"
#include "import/plans/foreign_plan.h"
#include "problem/crossings.h"
#include "report/lanes.h"
#include "services/plan/plan_files.h"
#include "services/problem/problem_request.h"
#include "services/words.h"

namespace berth::app {
namespace {

using enum Table::Align;

struct DiffFlags {
  ProblemFlags problem;  // its graph by --graph; empty: the files alone speak
  std::string before, after;
  bool json = false;
};

// What a plan file says without its graph.
struct PlanOutline {
  std::string graph_hash, machine;
  std::optional<double> step_s;                                // predicted
  std::vector<std::pair<std::string, std::string>> device_of;  // op, device
};

struct Moves {
  std::size_t ops = 0;                                               // of the plans
  std::map<std::pair<std::string, std::string>, std::size_t> count;  // moved, by (from, to)
  std::vector<std::string> names;                                    // of moved ops
  [[nodiscard]] std::size_t total() const { return names.size(); }
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

Result<Moves> compare_outlines(const DiffFlags& flags, const PlanOutline& before, const PlanOutline& after) {
  if (before.graph_hash != after.graph_hash) {
    return bad_input("{} and {} are plans for different graphs ({} and {})", flags.before, flags.after,
                     in_quotes(before.graph_hash), in_quotes(after.graph_hash));
  }
  std::unordered_map<std::string_view, std::string_view> device_after;
  for (const auto& [op, device] : after.device_of) device_after.emplace(op, device);
  Moves moves;
  moves.ops = before.device_of.size();
  for (const auto& [op, device] : before.device_of) {
    const auto now = device_after.find(op);
    if (now == device_after.end()) return bad_input("{}: the op '{}' of {} is missing", flags.after, op, flags.before);
    if (now->second == device) continue;
    ++moves.count[{device, std::string(now->second)}];
    moves.names.push_back(op);
  }
  return moves;
}

// With a graph: both plans simulated, and which parts of the model moved.
struct Effect {
  LoadedProblem loaded;
  Outcome before, after;
  std::vector<std::pair<std::string, std::size_t>> parts;  // name, ops moved; most first
};

Result<Effect> simulate_both(const DiffFlags& flags) {
  BERTH_TRY(const ProblemRequest request, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(LoadedProblem loaded, load_problem(request, caller));
  BERTH_TRY(Outcome before, score_plan_file(flags.before, "file", request, loaded.problem));
  BERTH_TRY(Outcome after, score_plan_file(flags.after, "file", request, loaded.problem));
  const Graph& graph = loaded.problem.graph();
  const report::Lanes lanes = report::find_lanes(graph);
  std::vector<std::size_t> moved(lanes.names.size(), 0);
  for (const OpId op : graph.ops()) {
    if (before.plan.device(op) != after.plan.device(op)) ++moved[lanes.of[index(op)]];
  }
  std::vector<std::pair<std::string, std::size_t>> parts;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (moved[i] > 0) parts.emplace_back(lanes.names[i].empty() ? "other" : lanes.names[i], moved[i]);
  }
  std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.second > b.second; });
  return Effect{std::move(loaded), std::move(before), std::move(after), std::move(parts)};
}

std::string step_text(std::optional<double> step_s) { return step_s ? format_seconds(*step_s) : "OOM"; }

std::string change_words(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before <= 0.0) return "";
  const double share = *after / *before - 1.0;
  if (share == 0.0) return ", no change";
  return fmt::format(", {} {}", percent(std::abs(share)), share < 0.0 ? "less" : "more");
}

std::string becomes(const std::string& text) { return fmt::format("to {}", text); }

std::string device_changes(const Effect& effect) {
  const Machine& machine = effect.loaded.problem.machine();
  const auto ops_before = ops_per_device(effect.loaded.problem, effect.before.plan);
  const auto ops_after = ops_per_device(effect.loaded.problem, effect.after.plan);
  Table table({kLeft, kRight, kRight, kRight, kRight, kRight, kRight});
  table.add({"device", "ops", "", "busy", "", "peak memory", ""});
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& a = effect.before.score.devices[index(id)];
    const DeviceUse& b = effect.after.score.devices[index(id)];
    table.add({machine.device(id).name, group_digits(ops_before[index(id)]),
               becomes(group_digits(ops_after[index(id)])), format_seconds(to_seconds(a.busy)),
               becomes(format_seconds(to_seconds(b.busy))), format_bytes(a.peak), becomes(format_bytes(b.peak))});
  }
  const Graph& graph = effect.loaded.problem.graph();
  return table.text() + fmt::format("sent from device to device: {} before, {} after\n",
                                    format_bytes(bytes_crossed(graph, effect.before.plan)),
                                    format_bytes(bytes_crossed(graph, effect.after.plan)));
}

std::string diff_text(const PlanOutline& before, const PlanOutline& after, const Moves& moves,
                      const std::optional<Effect>& effect) {
  constexpr std::size_t kMostParts = 12;
  const std::optional<double> step_before = effect ? effect->before.value_s() : before.step_s;
  const std::optional<double> step_after = effect ? effect->after.value_s() : after.step_s;
  std::string text = fmt::format("{} of {} {} on another device\n", bold(group_digits(moves.total())),
                                 counted(moves.ops, "op"), moves.total() == 1 ? "is" : "are");
  text += fmt::format("step time {} before, {} after{}{}\n", step_text(step_before), step_text(step_after),
                      change_words(step_before, step_after),
                      effect ? "" : ", as predicted when the plans were made (--graph and --machine simulate them)");
  Table table({kLeft, kRight});
  for (const auto& [way, count] : moves.count)
    table.add({fmt::format("{} to {}", way.first, way.second), group_digits(count)});
  if (!moves.count.empty()) text += fmt::format("\nmoved\n{}", table.text("  "));
  if (!effect) return text;
  Table parts({kLeft, kRight});
  for (std::size_t i = 0; i < std::min(effect->parts.size(), kMostParts); ++i) {
    parts.add({effect->parts[i].first, group_digits(effect->parts[i].second)});
  }
  if (!effect->parts.empty()) text += fmt::format("\nparts of the model\n{}", parts.text("  "));
  return text + "\n" + device_changes(*effect);
}

std::string diff_json(const PlanOutline& before, const PlanOutline& after, const Moves& moves,
                      const std::optional<Effect>& effect) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("ops").value(moves.ops).key("moved").value(moves.total());
  json.key("simulated").value(effect.has_value());
  json.key("step_time_before_s").value(effect ? effect->before.value_s() : before.step_s);
  json.key("step_time_after_s").value(effect ? effect->after.value_s() : after.step_s);
  json.key("ways").begin_array(JsonLayout::kLines);
  for (const auto& [way, count] : moves.count) {
    json.begin_object().key("from").value(way.first).key("to").value(way.second).key("ops").value(count).end_object();
  }
  json.end_array().key("moved_ops").begin_array(JsonLayout::kLines);
  for (const std::string& name : moves.names) json.value(name);
  json.end_array();
  if (effect) {
    json.key("parts").begin_array();
    for (const auto& [name, count] : effect->parts)
      json.begin_object().key("name").value(name).key("ops").value(count).end_object();
    json.end_array();
  }
  json.end_object();
  return std::move(json).take();
}

PlanOutline outline_of(const Problem& problem, const Outcome& outcome) {
  PlanOutline outline{problem.graph().structure_hash(), problem.machine().name(), outcome.value_s(), {}};
  for (const OpId op : problem.graph().ops()) {
    outline.device_of.emplace_back(problem.graph().name(op), problem.machine().device(outcome.plan.device(op)).name);
  }
  return outline;
}

Result<Exit> run_diff(const DiffFlags& flags) {
  PlanOutline before, after;
  std::optional<Effect> effect;
  if (!flags.problem.graph.empty()) {
    BERTH_TRY(effect, simulate_both(flags));
    before = outline_of(effect->loaded.problem, effect->before);
    after = outline_of(effect->loaded.problem, effect->after);
  } else if (!flags.problem.machine.empty()) {
    return bad_input("--machine needs --graph: with both the plans are simulated");
  } else {
    BERTH_TRY(before, read_outline(flags.before));
    BERTH_TRY(after, read_outline(flags.after));
  }
  BERTH_TRY(const Moves moves, compare_outlines(flags, before, after));
  BERTH_RETURN_IF_ERROR(
      print(flags.json ? diff_json(before, after, moves, effect) : diff_text(before, after, moves, effect)));
  return Exit::kDone;
}

}  // namespace

void add_diff_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* command = app.add_subcommand("diff", "what moved between two plans, and what it did to the step");
  command
      ->add_option("BEFORE", flags->before,
                   "plan file; with --graph and --machine in any format that berth score reads")
      ->required()
      ->type_name("FILE");
  command->add_option("AFTER", flags->after, "plan file for the same graph")->required()->type_name("FILE");
  command->add_option("-g,--graph", flags->problem.graph, "their graph: both plans are simulated, with --machine");
  command->add_option("-m,--machine", flags->problem.machine, "built-in machine or a .toml file");
  add_model_flags(*command, flags->problem);
  add_what_if_flags(*command, flags->problem.changes);
  add_json_flag(*command, flags->json);
  command->footer(
      "Example:\n  berth diff expert.json auto.json\n"
      "  berth diff expert.json auto.json --graph zoo:nmt-4 --machine k40x4    (simulated)");
  command->callback([flags, &exit] { exit = finish(run_diff(*flags)); });
}

}  // namespace berth::app
