// SPDX-License-Identifier: Apache-2.0
#include "app/output/output.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/output/terminal.h"
#include "base/text.h"
#include "machine/devices.h"
#include "report/pace.h"
#include "services/plan/single_device.h"
#include "services/words.h"

namespace berth::app {
namespace {

// Problems that state no memory have devices with kUnlimitedMemory.
std::string capacity_text(Bytes capacity) { return capacity < kUnlimitedMemory ? format_bytes(capacity) : "no limit"; }

bool is_pipeline(const Problem& problem) { return problem.objective() == Objective::kPipeline; }

// What the objective measures.
std::string value_name(const Problem& problem) { return is_pipeline(problem) ? "time per sample" : "step time"; }

std::string step_text(const Problem& problem, const Outcome& outcome) {
  if (!outcome.score.feasible) return alarm("OOM: it does not fit in memory");
  const auto range = step_range(problem, outcome);
  return bold(format_time(outcome.score.step_time)) + (range ? ", 9 of 10 real steps take " + range_text(*range) : "");
}

// How much of the step something is busy, as a bar and as a number. A plan that does not fit has no step time.
std::pair<std::string, std::string> busy_cells(const Score& score, Picoseconds busy, int lanes = 1) {
  if (!score.feasible) return {"", "-"};
  const double all = to_seconds(score.step_time) * lanes;
  const double share = all > 0.0 ? to_seconds(busy) / all : 0.0;
  return {bar(share), percent(share)};
}

std::string device_table(const Problem& problem, const Outcome& outcome) {
  const Machine& machine = problem.machine();
  const std::vector<std::size_t> ops = ops_per_device(problem, outcome.plan);
  Table table = Table::headed({"device", ">ops", "", ">busy", ">", "", ">memory", ">"});
  for (const DeviceId id : machine.device_ids()) {
    const DeviceUse& use = outcome.score.devices[index(id)];
    const auto [busy_bar, busy_share] = busy_cells(outcome.score, use.busy, machine.device(id).lanes);
    const MemoryUse memory = memory_use(problem, outcome.score, id);
    const double share = static_cast<double>(use.peak) / static_cast<double>(std::max<Bytes>(memory.capacity, 1));
    const bool in_pool = machine.pool_of(id) >= 0;
    const std::string amount = fmt::format("{} of {}{}", format_bytes(use.peak), capacity_text(memory.capacity),
                                           in_pool ? fmt::format(" (pool {})", memory.name) : "");
    table.add({machine.device(id).name, group_digits(ops[index(id)]), busy_bar, busy_share, format_time(use.busy),
               bar(share), amount, use.peak > memory.capacity ? alarm("OOM") : percent(share)});
  }
  return table.text();
}

std::string pool_lines(const Problem& problem, const Score& score) {
  std::string text;
  for (std::size_t pool = 0; pool < score.pool_peaks.size(); ++pool) {
    const Bytes capacity = problem.pool_capacity(static_cast<int>(pool));
    text += fmt::format("pool {}: {} of {}{}\n", clean(problem.machine().pools()[pool].name),
                        format_bytes(score.pool_peaks[pool]), capacity_text(capacity),
                        score.pool_peaks[pool] > capacity ? fmt::format("  {}", alarm("OOM")) : "");
  }
  return text;
}

// Link queues that carried anything, the busiest first, a few of them.
std::string queue_table(const Problem& problem, const Score& score) {
  constexpr std::size_t kMost = 8;
  std::vector<std::size_t> used;
  for (std::size_t queue = 0; queue < score.queues.size(); ++queue) {
    if (score.queues[queue].bytes > 0 || score.queues[queue].busy > 0) used.push_back(queue);
  }
  if (used.empty()) return "";
  std::ranges::stable_sort(used, std::greater<>(), [&](std::size_t queue) { return score.queues[queue].busy; });
  Table table = Table::headed({"link", "", ">busy", ">", ">moved"});
  for (const std::size_t queue : std::span(used).first(std::min(used.size(), kMost))) {
    const QueueUse& use = score.queues[queue];
    const auto [busy_bar, busy_share] = busy_cells(score, use.busy);
    table.add(
        {problem.machine().queues()[queue], busy_bar, busy_share, format_time(use.busy), format_bytes(use.bytes)});
  }
  const std::size_t more = used.size() > kMost ? used.size() - kMost : 0;
  return fmt::format("\n{}{}", table.text(), more > 0 ? fmt::format("... and {} more\n", more) : "");
}

// "greedy: 41 groups of 160 ops"; empty if nothing is fused and nobody was asked to.
std::string fused_text(const Outcome& outcome) {
  const FusedCount fused = count_fused(outcome.plan);
  if (fused.groups == 0) return outcome.fusion.empty() ? "" : fmt::format("{}: nothing", outcome.fusion);
  const std::string by = outcome.fusion.empty() ? "" : fmt::format("{}: ", outcome.fusion);
  return fmt::format("{}{} of {}", by, counted(fused.groups, "group"), counted(fused.ops, "op"));
}

// What a row of a comparison says at its end: whether the search was cut short, and why there is no time, or the note.
std::string remark(const Outcome& row) {
  std::string text = row.note;
  if (row.error) {
    text = row.error->message;
  } else if (!row.score.feasible) {
    const std::string over = fmt::format("{} over", format_bytes(row.score.overflow->over));
    text = text.empty() ? over : fmt::format("{}: {}", over, text);
  }
  if (!row.interrupted || !row.started) return text;
  return text.empty() ? "interrupted" : "interrupted: " + text;
}

// "2.00x as fast", "31 % slower".
std::string to_one_device(const Outcome& row, const std::optional<Outcome>& single) {
  const std::optional<double> ratio = ratio_to_single(row, single);
  if (!ratio) return "-";
  const std::string text = ratio_text(*ratio);
  if (text == "as fast") return "equal";
  return *ratio < 1.0 ? text : alarm(text);
}

// The lower bound, and what is known about one device alone.
std::string closing_lines(const Problem& problem, const Comparison& comparison) {
  if (comparison.rows.empty()) return "";
  const Outcome& best = comparison.rows.front();
  std::string text = fmt::format("lower bound {}", format_time(best.lower_bound));
  if (best.feasible()) text += fmt::format(", gap of the best {}", gap_text(best.score.step_time, best.lower_bound));
  if (const auto range = step_range(problem, best)) {
    text += fmt::format("\n9 of 10 real steps of the best take {}", range_text(*range));
  }
  const std::string verdict = verdict_text(best, comparison.single);
  return text + "\n" + (verdict.empty() ? "" : clean(verdict) + "\n");
}

std::string format_joules(double joules) {
  constexpr std::string_view kPrefixes[] = {"u", "m", "", "k", "M", "G", "T"};
  double scaled = joules * 1e6;
  std::size_t unit = 0;
  for (; scaled >= 999.5 && unit + 1 < std::size(kPrefixes); ++unit) scaled /= 1e3;
  return fmt::format("{:.3g} {}J", scaled, kPrefixes[unit]);
}

std::string costs_text(const Graph& graph, const CostsSummary& costs) {
  std::size_t compute = 0;
  for (const OpId op : graph.ops()) compute += graph.role(op) == Role::kCompute ? 1 : 0;
  return fmt::format("measured times for {} of {}", group_digits(costs.ops), counted(compute, "compute op"));
}

std::string value_text(const Outcome& outcome) {
  if (outcome.error) return "no plan";
  return outcome.feasible() ? format_time(outcome.score.step_time) : "OOM";
}

std::string difference_text(const Outcome& before, const Outcome& after) {
  if (const auto share = relative_change(before.value_s(), after.value_s())) return change_words(*share);
  if (after.feasible()) return "now it fits";
  return before.feasible() ? "it no longer fits" : "-";
}

// "what if: 1.52 s on k40x4 as it is, 1.20 s with the change: 21 % less"
std::string change_text(const Unchanged& before, const Outcome& after) {
  return fmt::format("\nwhat if: {} on {} as it is, {} with the change: {}\n", value_text(before.outcome),
                     clean(before.loaded.problem.machine().name()), value_text(after),
                     difference_text(before.outcome, after));
}

// One line a planner: as it is, with the change, and the difference.
std::string change_table(const Problem& before_problem, const Comparison& before, const Comparison& after) {
  Table table =
      Table::headed({"what if", ">" + fmt::format("{} as it is", before_problem.machine().name()), ">changed", ""});
  for (const Outcome& row : after.rows) {
    const auto same = std::ranges::find(before.rows, row.planner, &Outcome::planner);
    if (same == before.rows.end()) continue;
    table.add({row.planner, value_text(*same), value_text(row), difference_text(*same, row)});
  }
  return fmt::format("\n{}", table.text());
}

}  // namespace

std::string range_text(const StepRange& range) {
  return fmt::format("{} to {}", format_seconds(range.low_s), format_seconds(range.high_s));
}

std::string headline(const Problem& problem) {
  const Graph& graph = problem.graph();
  return fmt::format("{} on {}: {}, {}, {}", bold(graph.title()), bold(problem.machine().name()),
                     counted(graph.num_ops(), "op"), counted(graph.num_edges(), "edge"),
                     counted(problem.machine().num_devices(), "device"));
}

std::string fullest_memory(const Problem& problem, const Score& score) {
  const MemoryUse fullest = fullest_memory_use(problem, score);
  return fmt::format("{} {} ({})", fullest.name, format_bytes(fullest.peak), percent(fullest.share()));
}

std::string outcome_page(const Problem& problem, const Outcome& outcome, const std::optional<Outcome>& single,
                         const CostsSummary& costs, const std::optional<Unchanged>& before) {
  const Score& score = outcome.score;
  Table facts = Table::of_facts();
  facts.add(
      {"planner", outcome.note.empty() ? outcome.planner : fmt::format("{} ({})", outcome.planner, outcome.note)});
  if (const std::string fused = fused_text(outcome); !fused.empty()) facts.add({"fused", fused});
  if (!outcome.schedule.empty()) facts.add({"order", outcome.schedule});
  if (!costs.files.empty()) facts.add({"costs", costs_text(problem.graph(), costs)});
  if (outcome.plan_machine.value_or(problem.machine().name()) != problem.machine().name()) {
    facts.add({"made for", fmt::format("{}, another machine", *outcome.plan_machine)});
  }
  facts.add({value_name(problem), step_text(problem, outcome)});
  facts.add({"lower bound",
             format_time(outcome.lower_bound) +
                 (score.feasible ? fmt::format(", gap {}", gap_text(score.step_time, outcome.lower_bound)) : "")});
  if (is_pipeline(problem) && score.feasible) facts.add({"limited by", report::pace_text(problem, outcome.plan)});
  if (single) facts.add({"compared", against_single(outcome, *single)});
  if (const double joules = joules_per_step(problem.machine(), score); score.feasible && joules > 0.0) {
    facts.add({"energy", format_joules(joules) + (is_pipeline(problem) ? " per sample" : " per step")});
  }
  if (outcome.search_s > 0.0) {
    facts.add({"search", fmt::format("{}, {}, seed {}{}", format_seconds(outcome.search_s),
                                     counted(outcome.evaluations, "evaluation"), outcome.seed,
                                     outcome.interrupted ? ", interrupted" : "")});
  }
  return headline(problem) + "\n" + facts.text() + "\n" + device_table(problem, outcome) + pool_lines(problem, score) +
         queue_table(problem, score) + (before ? change_text(*before, outcome) : "");
}

std::string comparison_table(const LoadedProblem& loaded, const Comparison& comparison) {
  const Problem& problem = loaded.problem;
  const std::vector<Outcome>& rows = comparison.rows;
  const bool any = !rows.empty() && rows.front().feasible();
  const double best = any ? to_seconds(rows.front().score.step_time) : 0.0;
  Table table = Table::headed(
      {"planner", ">" + value_name(problem), ">to best", ">to one device", ">search", ">fullest memory", ""});
  for (const Outcome& row : rows) {
    const std::string search = row.started ? format_seconds(row.search_s) : "-";
    if (row.error) {
      table.add({row.planner, row.started ? "no plan" : "not run", "-", "-", search, "-", remark(row)});
      continue;
    }
    const std::string memory = fullest_memory(problem, row.score);
    if (!row.score.feasible) {
      table.add({row.planner, alarm("OOM"), "-", "-", search, memory, remark(row)});
      continue;
    }
    const double value = to_seconds(row.score.step_time);
    table.add({row.planner, format_seconds(value), best > 0.0 ? fmt::format("{:.2f}x", value / best) : "1.00x",
               to_one_device(row, comparison.single), search, memory, remark(row)});
  }
  const std::string measured =
      loaded.costs.files.empty() ? "" : fmt::format(", {}", costs_text(problem.graph(), loaded.costs));
  return headline(problem) + measured + "\n" + table.text() + closing_lines(problem, comparison);
}

std::string comparison_page(const CompareAnswer& answer) {
  const auto& [loaded, comparison, before] = answer;
  return comparison_table(loaded, comparison) +
         (before ? change_table(before->loaded.problem, before->comparison, comparison) : "");
}

// One line per event, in order of time.
std::string timeline_text(const Problem& problem, const Timeline& timeline) {
  const Graph& graph = problem.graph();
  const Machine& machine = problem.machine();
  Table table = Table::headed({">start", ">end", "where", "what"});
  const auto add = [&](Picoseconds start, Picoseconds end, std::string where, std::string what) {
    table.add({fmt::format("{:.9f}", to_seconds(start)), fmt::format("{:.9f}", to_seconds(end)), std::move(where),
               std::move(what)});
  };
  auto transfer = timeline.transfers.begin();
  const auto add_transfers_until = [&](Picoseconds time) {
    for (; transfer != timeline.transfers.end() && transfer->start <= time; ++transfer) {
      add(transfer->start, transfer->end, machine.channels()[static_cast<std::size_t>(transfer->channel)].name,
          fmt::format("{} of '{}'", format_bytes(transfer->bytes), graph.name(graph.producer(transfer->tensor))));
    }
  };
  for (const OpEvent& event : timeline.ops) {
    add_transfers_until(event.start);
    add(event.start, event.end, machine.device(event.device).name, std::string(graph.name(event.op)));
  }
  add_transfers_until(timeline.score.step_time);
  return table.text();
}

}  // namespace berth::app
