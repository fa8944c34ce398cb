// SPDX-License-Identifier: Apache-2.0
#include "app/output/bucket_output.h"

#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "services/words.h"

namespace berth::app {
namespace {

std::string time_of(const Outcome& outcome) {
  if (outcome.error) return outcome.started ? "no plan" : "not run";
  return outcome.score.feasible ? format_time(outcome.score.step_time) : alarm("OOM");
}

std::string regret_text(const PlacedBuckets& placed, std::size_t bucket) {
  if (placed.shared.empty() || !placed.regrets[bucket]) return "-";
  return *placed.regrets[bucket] > 0.0 ? percent(*placed.regrets[bucket]) : "none";
}

std::string verdict(const PlacedBuckets& placed) {
  if (placed.shared.empty()) return fmt::format("no plan for all: {}\n", clean(placed.error->message));
  const std::string how =
      fmt::format("one plan for all ({}, {}, {}{})", placed.note, format_seconds(placed.search_s),
                  counted(placed.evaluations, "evaluation"), placed.interrupted ? ", interrupted" : "");
  if (!placed.feasible()) return clean(how) + ": it does not fit in memory at every size\n";
  const std::size_t worst = placed.worst();
  const double most = placed.regrets[worst].value();
  if (most <= 0.0) return clean(how) + ": it costs nothing at any size\n";
  return clean(fmt::format("{}: it costs at most {}, for {}; {} on average", how, percent(most),
                           placed.buckets[worst].label(), percent(placed.mean_regret()))) +
         "\n";
}

}  // namespace

std::string buckets_page(const PlacedBuckets& placed) {
  Table table = Table::headed({"size", ">own plan", ">one for all", ">regret", ">fullest memory"});
  for (std::size_t i = 0; i < placed.buckets.size(); ++i) {
    const bool has_shared = !placed.shared.empty();
    const Outcome& told = has_shared ? placed.shared[i] : placed.own[i];
    table.add({placed.buckets[i].label(), time_of(placed.own[i]), has_shared ? time_of(placed.shared[i]) : "-",
               regret_text(placed, i), told.error ? "-" : fullest_memory(placed.problems[i], told.score)});
  }
  return headline(placed.problems.front()) + "\n" + table.text() + verdict(placed);
}

std::string written_text(const std::string& path, const PlacedBuckets& placed) {
  std::string text = "\n";
  if (!placed.shared.empty()) text += fmt::format("plan for all sizes written to {}\n", clean(path));
  std::vector<std::string> files;
  for (std::size_t i = 0; i < placed.own.size(); ++i) {
    if (!placed.own[i].error) files.push_back(clean(bucket_path(path, placed.buckets[i])));
  }
  return text + fmt::format("plan for each size written to {}\n", join(files, ", "));
}

}  // namespace berth::app
