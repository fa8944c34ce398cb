// SPDX-License-Identifier: Apache-2.0
#include "app/output/explain_output.h"

#include <algorithm>

#include "app/output/input_output.h"
#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "services/words.h"

namespace berth::app {
namespace {

using enum Table::Align;

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
  Table table({kLeft, kLeft});
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
  Table table({kLeft, kLeft, kRight, kRight, kRight, kRight, kLeft});
  table.add({"made by", "way", "size", "sending", "waiting", "on the path", "it buys"});
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

void write_sentences(JsonWriter& json, std::string_view key, const std::vector<std::string>& sentences) {
  json.key(key).begin_array();
  for (const std::string& sentence : sentences) json.value(sentence);
  json.end_array();
}

void write_head(JsonWriter& json, const LoadedProblem& loaded, const Outcome& outcome) {
  const Problem& problem = loaded.problem;
  json.key("title").value(problem.graph().title()).key("machine").value(problem.machine().name());
  json.key("step_time_s").value(outcome.value_s()).key("feasible").value(outcome.feasible());
  json.key("lower_bound_s").value(to_seconds(outcome.lower_bound));
  write_notes(json, loaded.notes);
}

void write_path(JsonWriter& json, const Problem& problem, const report::PathSummary& path) {
  json.key("critical_path").begin_object().key("time_s").value(to_seconds(path.total())).key("ops").value(path.ops);
  json.key("transfers").value(path.transfers);
  json.key("devices_s").begin_object();
  for (const DeviceId id : problem.machine().device_ids()) {
    json.key(problem.machine().device(id).name).value(to_seconds(path.on_device[index(id)]));
  }
  json.end_object().key("links_s").begin_object();
  for (std::size_t i = 0; i < path.on_channel.size(); ++i) {
    if (path.on_channel[i] > 0) json.key(problem.machine().channels()[i].name).value(to_seconds(path.on_channel[i]));
  }
  json.end_object().key("classes_s").begin_object();
  for (int i = 0; i < kCostClasses; ++i) {
    const Picoseconds time = path.of_class[static_cast<std::size_t>(i)];
    if (time > 0) json.key(name_of(static_cast<CostClass>(i))).value(to_seconds(time));
  }
  json.end_object();
  json.key("for_data_s").value(to_seconds(path.for_data)).key("for_device_s").value(to_seconds(path.for_device));
  json.key("for_link_s").value(to_seconds(path.for_link)).end_object();
}

void write_crossing(JsonWriter& json, const Problem& problem, const PlanExplanation::JudgedCrossing& judged) {
  const auto& [crossing, without] = judged;
  const Graph& graph = problem.graph();
  json.begin_object().key("op").value(graph.name(graph.producer(crossing.tensor)));
  json.key("output").value(graph.output_index(crossing.tensor));
  json.key("from").value(problem.machine().device(crossing.from).name);
  json.key("to").value(problem.machine().device(crossing.to).name).key("bytes").value(crossing.bytes);
  json.key("sending_s").value(to_seconds(crossing.sending)).key("waiting_s").value(to_seconds(crossing.waiting));
  json.key("critical_s").value(to_seconds(crossing.critical)).key("users").value(crossing.users);
  json.key("without");
  if (without) {
    json.begin_object()
        .key("op")
        .value(graph.name(without->op))
        .key("to")
        .value(problem.machine().device(without->to).name);
    json.key("ops").value(without->ops).key("step_time_s").value(to_seconds(without->step_time));
    json.key("feasible").value(without->feasible).end_object();
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace

std::string plan_text(const Problem& problem, const Outcome& outcome, const PlanExplanation& why) {
  std::string text = headline(problem) + "\n" + step_line(outcome) + "\nwhat bounds the step\n";
  for (const std::string& sentence : why.limits) text += fmt::format("  {}\n", clean(sentence));
  return text + "\n" + path_table(problem, why.path) + "\n" + crossing_table(problem, why, outcome.score.step_time);
}

std::string plan_json(const LoadedProblem& loaded, const Outcome& outcome, const PlanExplanation& why) {
  const Problem& problem = loaded.problem;
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write_head(json, loaded, outcome);
  write_sentences(json, "limits", why.limits);
  write_path(json, problem, why.path);
  json.key("crossings").begin_array(JsonLayout::kLines);
  for (const auto& crossing : why.crossings) write_crossing(json, problem, crossing);
  json.end_array().end_object();
  return std::move(json).take();
}

std::string op_text(const Problem& problem, const Outcome& outcome, const report::OpExplanation& why) {
  const Graph& graph = problem.graph();
  const Picoseconds now = outcome.score.step_time;
  const std::string& here = problem.machine().device(outcome.plan.device(why.op)).name;
  std::string text = fmt::format("{} ({}) is on {}\n{}\n", bold(graph.name(why.op)), clean(graph.type(why.op)),
                                 bold(here), step_line(outcome));
  for (const std::string& reason : why.reasons) text += fmt::format("  {}\n", clean(reason));
  Table table({kLeft, kRight, kRight, kRight, kLeft});
  table.add({"with it on", "its time", "step", "change", ""});
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

std::string op_json(const LoadedProblem& loaded, const Outcome& outcome, const report::OpExplanation& why) {
  const Problem& problem = loaded.problem;
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write_head(json, loaded, outcome);
  json.key("op").value(problem.graph().name(why.op)).key("type").value(problem.graph().type(why.op));
  json.key("device").value(problem.machine().device(outcome.plan.device(why.op)).name);
  json.key("companions").value(why.companions);
  json.key("weights_along").begin_array();
  for (const OpId weight : why.weights_along) json.value(problem.graph().name(weight));
  json.end_array();
  write_sentences(json, "reasons", why.reasons);
  json.key("alternatives").begin_array(JsonLayout::kLines);
  for (const report::Alternative& other : why.alternatives) {
    json.begin_object().key("device").value(problem.machine().device(other.device).name);
    if (other.refused) {
      json.key("refused").value(*other.refused);
    } else {
      json.key("op_time_s").value(to_seconds(other.op_time)).key("step_time_s").value(to_seconds(other.step_time));
      json.key("feasible").value(other.feasible).key("bytes_over").value(other.over);
    }
    json.end_object();
  }
  json.end_array();
  write_sentences(json, "to_move", why.to_move);
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth::app
