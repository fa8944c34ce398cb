// SPDX-License-Identifier: Apache-2.0
// `berth explain`: what bounds the step, and why an op is where it is. Of a policy learn/explain_policy_here.cc says
// it.
#include "app/explain.h"

#include <algorithm>

#include "app/flags/options.h"
#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "services/json/explanation_json.h"
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

// What every device waits for while it has nothing to do.
std::string idle_table(const Problem& problem, const PlanExplanation& why) {
  if (why.idle.empty()) return {};
  Table table = Table::headed({"idle device", ">busy", ">waits for results", ">transfers", ">busy links",
                               ">busy devices", ">has no more to do"});
  const auto cell = [](Picoseconds time) { return time > 0 ? format_time(time) : std::string("-"); };
  for (const DeviceId id : problem.machine().device_ids()) {
    const report::IdleTime& idle = why.idle[index(id)];
    table.add({problem.machine().device(id).name, cell(why.use[index(id)].busy), cell(idle.results),
               cell(idle.transfers), cell(idle.links), cell(idle.devices), cell(idle.done)});
  }
  return table.text("  ") + "\n";
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

std::string plan_text(const Problem& problem, const Outcome& outcome, const PlanExplanation& why) {
  std::string text = headline(problem) + "\n" + step_line(outcome) + "\nwhat bounds the step\n";
  for (const std::string& sentence : why.limits) text += fmt::format("  {}\n", clean(sentence));
  return text + "\n" + path_table(problem, why.path) + "\n" + idle_table(problem, why) +
         crossing_table(problem, why, outcome.score.step_time);
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

std::string explanation_text(const ExplainAnswer& answer) {
  const auto& [loaded, outcome, why] = answer;
  if (const auto* plan = std::get_if<PlanExplanation>(&why)) return plan_text(loaded.problem, outcome, *plan);
  return op_text(loaded.problem, outcome, std::get<report::OpExplanation>(why));
}

Result<Exit> run_explain(const ExplainFlags& flags) {
  if (!flags.policy.empty()) return explain_policy(flags);
  if (flags.plan.empty())
    return bad_input("nothing to explain: give --plan FILE, or --policy RUN for a trained policy");
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const ExplainAnswer answer, explain({std::move(problem), flags.plan, flags.op}, caller));
  return printed(flags.json ? explanation_json(answer.loaded, answer.outcome, answer.why) : explanation_text(answer));
}

}  // namespace

void add_explain_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<ExplainFlags>(app, exit, "explain",
                                                    "what bounds the step, and why an op is where it is", run_explain);
  add_problem_flags(command, flags.problem);
  add_constraint_flags(command, flags.problem.constraints);
  add_what_if_flags(command, flags.problem.changes);
  CLI::Option* plan = command.add_option("--plan", flags.plan, "plan file, as written by berth place -o");
  plan->type_name("FILE");
  add_text(command, "--policy", flags.policy, "RUN",
           "in place of a plan, the folder of a run (berth train): its groups, how likely every device is, what "
           "the Placer looked at")
      ->excludes(plan);
  add_text(command, "--op", flags.op, "NAME", "why this op is where it is, and what every other device would cost");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth explain zoo:nmt-4 --machine k40x4 --plan plan.json\n"
      "  berth explain zoo:nmt-4 --machine k40x4 --plan plan.json --op 'encoder.layer.1.t24/matmul_5'\n"
      "  berth explain zoo:nmt-4 --machine k40x4 --policy trained    (the folder of berth train)");
}

}  // namespace berth::app
