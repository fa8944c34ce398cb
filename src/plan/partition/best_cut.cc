// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/best_cut.h"

#include <algorithm>
#include <optional>

#include "plan/search/placement.h"

namespace berth {
namespace {

// Keeps the best of several plans that one search evaluates.
class Best {
 public:
  Best(Search& search, std::string_view planner) : search_(search), planner_(planner) {}

  void offer(Plan plan, const std::string& note) {
    ++offered_;
    Result<Plan> checked = submit(search_, std::move(plan), planner_);
    if (!checked) {
      refuse(checked.error());
    } else if (!plan_ || better(search_.last_score(), score_)) {
      plan_ = *std::move(checked);
      score_ = search_.last_score();
      note_ = note;
    }
  }
  void refuse(const Error& error) {
    if (!first_error_) first_error_ = error;
  }

  [[nodiscard]] bool empty() const { return !plan_; }
  [[nodiscard]] Result<Plan> finish() {
    if (!plan_) return *first_error_;
    search_.set_note(offered_ > 1 ? fmt::format("{}, best of {} cuts", note_, offered_) : note_);
    return *std::move(plan_);
  }

 private:
  Search& search_;
  std::string_view planner_;
  std::optional<Plan> plan_;
  std::optional<Error> first_error_;
  Score score_;
  std::string note_;
  std::size_t offered_ = 0;
};

// Predicts how long a cut may take from those that were made: another method may be twice as slow.
class CutPace {
 public:
  [[nodiscard]] double predict(const CutGraph& graph) const { return 2 * slowest_ * size(graph); }
  void note(const CutGraph& graph, double seconds) { slowest_ = std::max(slowest_, seconds / size(graph)); }

 private:
  static double size(const CutGraph& graph) { return static_cast<double>(graph.size() + graph.neighbour.size() + 1); }
  double slowest_ = 0.0;  // seconds per vertex or edge
};

bool has_time_for(const Search& search, double seconds) {
  return search.budget().evaluations > 0 || seconds <= search.seconds_left();
}

void try_methods(Search& search, const CutGraph& graph, const std::vector<CutMethod>& methods, CutPace& pace,
                 Best& best) {
  for (const CutMethod& method : methods) {
    if (!best.empty() && (search.should_stop() || !has_time_for(search, pace.predict(graph)))) return;
    const double before = search.elapsed_s();
    const Result<std::vector<std::int32_t>> part_of = method.cut(graph);
    if (part_of) {
      best.offer(plan_from_cut(search.problem(), graph, *part_of), method.note);
    } else {
      best.refuse(part_of.error());
    }
    pace.note(graph, search.elapsed_s() - before);
  }
}

constexpr CutGrain kJoined{.max_vertices = 10'000, .largest_share = 1e-3};
constexpr CutGrain kUnits{.max_vertices = 50'000, .largest_share = 0.0};

}  // namespace

Result<Plan> best_cut(Search& search, const std::vector<DeviceId>& targets, const std::vector<CutMethod>& methods,
                      std::string_view planner) {
  const Problem& problem = search.problem();
  if (targets.size() < 2) {
    Plan plan = plan_on_one_device(problem, targets.front());
    search.set_note(where_note(problem, plan, targets.front()));
    return submit(search, std::move(plan), planner);
  }
  Best best(search, planner);
  CutPace pace;
  for (const CutGrain& grain : {kJoined, kUnits}) {
    if (!best.empty() && search.should_stop()) break;
    BERTH_TRY(const CutGraph graph, make_cut_graph(problem, coarsen_for_cut(problem, targets.size(), grain), targets));
    if (graph.size() == 0) {
      best.offer(plan_from_cut(problem, graph, {}), "nothing to cut");
      break;
    }
    try_methods(search, graph, methods, pace, best);
  }
  return best.finish();
}

}  // namespace berth
