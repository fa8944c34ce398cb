// SPDX-License-Identifier: Apache-2.0
#include "app/output/explain_output.h"

#include <algorithm>

#include "app/output/json_output.h"
#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "services/words.h"

namespace berth::app {
namespace {

// "+12.3 ms", "-4.56 ms", "none"
std::string difference(Picoseconds after, Picoseconds before) {
  if (after == before) return "none";
  return fmt::format("{}{}", after > before ? "+" : "-", format_time(std::abs(after - before)));
}

struct Part {
  std::string name;
  Picoseconds time;
};

// "gpu3 1.30 s (62 %), gpu0 0.4 s (19 %)": the largest first.
std::string parts_text(std::vector<Part> parts, Picoseconds total) {
  constexpr std::size_t kMost = 6;
  std::erase_if(parts, [](const Part& part) { return part.time == 0; });
  std::ranges::stable_sort(parts, std::greater<>(), &Part::time);
  std::vector<std::string> words;
  for (const Part& part : parts) {
    const double share = total > 0 ? to_seconds(part.time) / to_seconds(total) : 0.0;
    words.push_back(fmt::format("{} {} ({})", part.name, format_time(part.time), percent(share)));
  }
  return words.empty() ? "nothing" : some_of(words, kMost);
}

std::string path_table(const Problem& problem, const report::PathSummary& path) {
  std::vector<Part> devices, links, classes;
  for (const DeviceId id : problem.machine().device_ids()) {
    devices.push_back({problem.machine().device(id).name, path.on_device[index(id)]});
  }
  for (std::size_t i = 0; i < path.on_channel.size(); ++i) {
    links.push_back({problem.machine().channels()[i].name, path.on_channel[i]});
  }
  for (int i = 0; i < kCostClasses; ++i) {
    classes.push_back({std::string(name_of(static_cast<CostClass>(i))), path.of_class[static_cast<std::size_t>(i)]});
  }
  const Picoseconds total = path.total();
  Table table = Table::of_facts();
  table.add({"by device", parts_text(devices, total)});
  table.add({"by link", parts_text(links, total)});
  table.add({"by kind of op", parts_text(classes, total)});
  table.add({"waiting for",
             parts_text({{"results", path.for_data}, {"busy devices", path.for_device}, {"busy links", path.for_link}},
                        total)});
  return fmt::format("critical path: {} and {}\n{}", counted(path.ops, "op"), counted(path.transfers, "transfer"),
                     table.text("  "));
}

// What a crossing buys: the time the step would take longer without it.
std::string worth_text(const Problem& problem, const std::optional<report::Without>& without, Picoseconds now) {
  if (!without) return "constraints demand it";
  const std::string how = fmt::format("'{}'{} to {}", problem.graph().name(without->op),
                                      without->ops > 1 ? fmt::format(" and {} more", without->ops - 1) : "",
                                      problem.machine().device(without->to).name);
  if (!without->feasible) return fmt::format("memory: {} does not fit", how);
  if (without->step_time < now) return fmt::format("nothing: {} saves {}", how, format_time(now - without->step_time));
  return fmt::format("{} ({})", without->step_time == now ? "nothing" : format_time(without->step_time - now), how);
}

std::string crossing_table(const Problem& problem, const PlanExplanation& why, Picoseconds now) {
  if (why.crossings.empty()) return "no tensor crosses from device to device\n";
  Table table = Table::headed({"made by", "way", ">size", ">sending", ">waiting", ">on the path", "it buys"});
  for (const auto& [crossing, without] : why.crossings) {
    const Graph& graph = problem.graph();
    table.add({std::string(graph.name(graph.producer(crossing.tensor))),
               fmt::format("{} > {}", problem.machine().device(crossing.from).name,
                           problem.machine().device(crossing.to).name),
               format_bytes(crossing.bytes), format_time(crossing.sending), format_time(crossing.waiting),
               crossing.critical > 0 ? format_time(crossing.critical) : "-", worth_text(problem, without, now)});
  }
  return fmt::format("costliest crossings\n{}", table.text("  "));
}

std::string step_line(const Outcome& outcome) {
  const std::string time =
      outcome.feasible()
          ? fmt::format("step time {}, {} above the lower bound of {}", bold(format_time(outcome.score.step_time)),
                        gap_text(outcome.score.step_time, outcome.lower_bound), format_time(outcome.lower_bound))
          : alarm("the plan does not fit in memory");
  return time + "\n";
}

void write_head(JsonWriter& json, const LoadedProblem& loaded, const Outcome& outcome) {
  json.members("title", loaded.problem.graph().title(), "machine", loaded.problem.machine().name(), "step_time_s",
               outcome.value_s(), "feasible", outcome.feasible(), "lower_bound_s", to_seconds(outcome.lower_bound));
  write_notes(json, loaded.notes);
}

void write_path(JsonWriter& json, const Problem& problem, const report::PathSummary& path) {
  const Machine& machine = problem.machine();
  json.object("critical_path", [&] {
    json.members("time_s", to_seconds(path.total()), "ops", path.ops, "transfers", path.transfers);
    json.object("devices_s", [&] {
      for (const DeviceId id : machine.device_ids()) {
        json.members(machine.device(id).name, to_seconds(path.on_device[index(id)]));
      }
    });
    json.object("links_s", [&] {
      for (std::size_t i = 0; i < path.on_channel.size(); ++i) {
        if (path.on_channel[i] > 0) json.members(machine.channels()[i].name, to_seconds(path.on_channel[i]));
      }
    });
    json.object("classes_s", [&] {
      for (std::size_t i = 0; i < path.of_class.size(); ++i) {
        if (path.of_class[i] > 0) json.members(name_of(static_cast<CostClass>(i)), to_seconds(path.of_class[i]));
      }
    });
    json.members("for_data_s", to_seconds(path.for_data), "for_device_s", to_seconds(path.for_device), "for_link_s",
                 to_seconds(path.for_link));
  });
}

void write_crossing(JsonWriter& json, const Problem& problem, const PlanExplanation::JudgedCrossing& judged) {
  const auto& [crossing, without] = judged;
  const Graph& graph = problem.graph();
  const auto name = [&](DeviceId id) { return problem.machine().device(id).name; };
  json.members("op", graph.name(graph.producer(crossing.tensor)), "output", graph.output_index(crossing.tensor), "from",
               name(crossing.from), "to", name(crossing.to), "bytes", crossing.bytes, "sending_s",
               to_seconds(crossing.sending), "waiting_s", to_seconds(crossing.waiting), "critical_s",
               to_seconds(crossing.critical), "users", crossing.users);
  if (!without) {
    json.key("without").null();
    return;
  }
  const auto write = [&, other = *without] {
    json.members("op", graph.name(other.op), "to", name(other.to), "ops", other.ops, "step_time_s",
                 to_seconds(other.step_time), "feasible", other.feasible);
  };
  json.object("without", write);
}

void write_alternative(JsonWriter& json, const Machine& machine, const report::Alternative& other) {
  json.members("device", machine.device(other.device).name);
  if (other.refused) {
    json.members("refused", *other.refused);
  } else {
    json.members("op_time_s", to_seconds(other.op_time), "step_time_s", to_seconds(other.step_time), "feasible",
                 other.feasible, "bytes_over", other.over);
  }
}

void write_op(JsonWriter& json, const Problem& problem, const Outcome& outcome, const report::OpExplanation& why) {
  const Graph& graph = problem.graph();
  json.members("op", graph.name(why.op), "type", graph.type(why.op), "device",
               problem.machine().device(outcome.plan.device(why.op)).name, "companions", why.companions);
  json.key("weights_along").begin_array();
  for (const OpId weight : why.weights_along) json.value(graph.name(weight));
  json.end_array().list("reasons", why.reasons);
  json.objects("alternatives", why.alternatives,
               [&](const report::Alternative& other) { write_alternative(json, problem.machine(), other); });
  json.list("to_move", why.to_move);
}

std::string plan_text(const Problem& problem, const Outcome& outcome, const PlanExplanation& why) {
  std::string text = headline(problem) + "\n" + step_line(outcome) + "\nwhat bounds the step\n";
  for (const std::string& sentence : why.limits) text += fmt::format("  {}\n", clean(sentence));
  return text + "\n" + path_table(problem, why.path) + "\n" + crossing_table(problem, why, outcome.score.step_time);
}

std::string op_text(const Problem& problem, const Outcome& outcome, const report::OpExplanation& why) {
  const Graph& graph = problem.graph();
  const Picoseconds now = outcome.score.step_time;
  const std::string& here = problem.machine().device(outcome.plan.device(why.op)).name;
  std::string text = fmt::format("{} ({}) is on {}\n{}\n", bold(graph.name(why.op)), clean(graph.type(why.op)),
                                 bold(here), step_line(outcome));
  for (const std::string& reason : why.reasons) text += fmt::format("  {}\n", clean(reason));
  Table table = Table::headed({"with it on", ">its time", ">step", ">change", ""});
  for (const report::Alternative& other : why.alternatives) {
    const std::string& name = problem.machine().device(other.device).name;
    if (other.refused) {
      table.add({name, "-", "-", "-", *other.refused});
      continue;
    }
    const bool is_here = name == here;
    table.add({name, format_time(other.op_time), format_time(other.step_time),
               is_here ? "" : difference(other.step_time, now),
               is_here          ? "here"
               : other.feasible ? ""
                                : fmt::format("out of memory by {}", format_bytes(other.over))});
  }
  text += fmt::format("\n{}", table.text());
  if (!why.to_move.empty()) text += "\nfor it to move\n";
  for (const std::string& change : why.to_move) text += fmt::format("  {}\n", clean(change));
  return text;
}

}  // namespace

std::string explanation_text(const ExplainAnswer& answer) {
  const auto& [loaded, outcome, why] = answer;
  if (const auto* plan = std::get_if<PlanExplanation>(&why)) return plan_text(loaded.problem, outcome, *plan);
  return op_text(loaded.problem, outcome, std::get<report::OpExplanation>(why));
}

std::string explanation_json(const ExplainAnswer& answer) {
  const Problem& problem = answer.loaded.problem;
  return json_document([&](JsonWriter& json) {
    write_head(json, answer.loaded, answer.outcome);
    if (const auto* op = std::get_if<report::OpExplanation>(&answer.why)) {
      return write_op(json, problem, answer.outcome, *op);
    }
    const auto& plan = std::get<PlanExplanation>(answer.why);
    json.list("limits", plan.limits);
    write_path(json, problem, plan.path);
    json.objects("crossings", plan.crossings, [&](const auto& crossing) { write_crossing(json, problem, crossing); });
  });
}

}  // namespace berth::app
