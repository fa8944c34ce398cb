// SPDX-License-Identifier: Apache-2.0
#include "services/pipeline/pipeline.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "files/files.h"
#include "format/pipeline_file.h"
#include "sim/timeline.h"

namespace berth {
namespace {

using pipeline::Judged;

PipelinePrediction prediction_of_pipeline(const Problem& problem, const Judged& judged) {
  const Score& score = judged.timeline.score;
  PipelinePrediction prediction{to_seconds(score.step_time), score.feasible, judged.timeline.bubble(), {}};
  for (const DeviceId device : problem.machine().device_ids()) {
    prediction.devices.push_back({problem.machine().device(device).name, to_seconds(score.devices[index(device)].busy),
                                  score.devices[index(device)].peak, problem.capacity(device)});
  }
  return prediction;
}

Status save_pipeline(const std::string& path, const PipelineAnswer& answer) {
  if (path.empty() || !answer.best) return {};
  return write_file_atomically(
      path, write_pipeline_json(answer.problem().graph(), answer.problem().machine(), answer.best->plan,
                                answer.step.named_by_modules ? "modules" : "labels",
                                prediction_of_pipeline(answer.problem(), *answer.best)));
}

// A share of the step; memory in shares of what there is.
PipelineBounds bounds_of(const Problem& problem, const Score& score) {
  PipelineBounds bounds;
  const auto share = [&](Picoseconds busy) {
    return score.step_time > 0 ? static_cast<double>(busy) / static_cast<double>(score.step_time) : 0.0;
  };
  for (const DeviceId device : problem.machine().device_ids()) {
    const DeviceUse& use = score.devices[index(device)];
    if (share(use.busy) > bounds.busiest_share) bounds.busiest = device, bounds.busiest_share = share(use.busy);
    const double full =
        static_cast<double>(use.peak) / static_cast<double>(std::max<Bytes>(problem.capacity(device), 1));
    if (full > bounds.fullest_share) bounds.fullest = device, bounds.fullest_share = full;
  }
  for (std::size_t queue = 0; queue < score.queues.size(); ++queue) {
    if (share(score.queues[queue].busy) <= bounds.link_share) continue;
    bounds.link = queue;
    bounds.link_share = share(score.queues[queue].busy);
  }
  return bounds;
}

Result<Judged> judge_given(const std::string& path, const pipeline::LayeredStep& step) {
  const Problem& problem = *step.problem;
  BERTH_TRY(PipelinePlan plan, load_pipeline_file(path, problem.graph(), problem.machine()));
  const auto judge = [&]() -> Result<Judged> {
    BERTH_RETURN_IF_ERROR(check_lists(plan, problem.machine()));
    BERTH_TRY(pipeline::Cut cut, pipeline::cut_of(step, plan));
    const pipeline::StagedStep staged = pipeline::make_staged_step(step, cut);
    BERTH_RETURN_IF_ERROR(pipeline::check_replicas(staged, plan));
    for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
      for (const DeviceId device : plan.stages[s].devices) {
        if (pipeline::can_run(staged, s, device)) continue;
        return bad_input("stage {} cannot run on '{}'", s, problem.machine().device(device).name);
      }
    }
    BERTH_TRY(pipeline::UnitTimeline timeline, pipeline::run_units(staged, plan));
    return Judged{"given", std::move(cut), std::move(plan), std::move(timeline)};
  };
  auto judged = judge();
  if (!judged) return within(path, judged.error());
  return judged;
}

pipeline::PlanningRequest planning_request(const PipelineRequest& request, const Caller& caller) {
  return {.microbatches = request.microbatches,
          .schedule = request.schedule,
          .may_recompute = request.may_recompute,
          .may_split = request.may_split,
          .may_share = request.may_share,
          .time_s = request.time_s,
          .seed = request.seed,
          .stop = caller.stop_flag()};
}

Result<OneMore> plan_with_one_more(PipelineRequest request, const std::string& model, Caller& caller) {
  request.problem.changes.added.push_back(model);
  Silent silent(caller);
  BERTH_TRY(const LoadedProblem loaded, load_problem(request.problem, silent));
  BERTH_TRY(const pipeline::LayeredStep step, pipeline::find_layered_step(loaded.problem));
  const pipeline::Planning planning = pipeline::plan_pipeline(step, planning_request(request, caller));
  OneMore more{model};
  if (planning.best) more.step_time = planning.best->timeline.score.step_time;
  return more;
}

void add_one_more(PipelineAnswer& answer, const PipelineRequest& request, Caller& caller) {
  std::vector<std::string> models;
  for (const DeviceId device : pipeline::stage_devices(answer.step)) {
    const std::string& model = answer.problem().machine().device(device).model;
    if (model.empty()) continue;  // nobody can say what one more of it would be
    if (std::ranges::find(models, model) == models.end()) models.push_back(model);
  }
  for (const std::string& model : models) {
    auto more = plan_with_one_more(request, model, caller);
    answer.one_more.push_back(more ? std::move(*more) : OneMore{model});
  }
}

}  // namespace

const Judged* PipelineAnswer::best_uniform() const {
  for (const Judged& other : others) {
    if (other.plan.stages.size() > 1) return &other;
  }
  return nullptr;
}

Result<std::string> find_schedule(const std::string& name) {
  const std::vector<std::string> names = pipeline::planning_schedules();
  if (name.empty() || std::ranges::find(names, name) != names.end()) return name;
  return bad_input("--schedule: no schedule named '{}'{} ({})", name, did_you_mean(name, names), join(names, ", "));
}

Result<PipelineAnswer> answer_pipeline(const PipelineRequest& request, Caller& caller) {
  PipelineAnswer answer;
  BERTH_TRY(LoadedProblem loaded, load_problem(request.problem, caller));
  answer.loaded = std::make_shared<const LoadedProblem>(std::move(loaded));
  if (answer.problem().objective() != Objective::kStep) {
    return bad_input("berth pipeline makes a timeline; a problem with the objective 'pipeline' has none");
  }
  BERTH_TRY(answer.step, pipeline::find_layered_step(answer.problem()));
  BERTH_RETURN_IF_ERROR(pipeline::check_devices(answer.step));
  caller.work_begins();
  const auto start = std::chrono::steady_clock::now();
  pipeline::PlanningRequest planning = planning_request(request, caller);
  if (!request.given.empty()) {
    BERTH_TRY(answer.best, judge_given(request.given, answer.step));
    planning.microbatches = answer.best->plan.microbatches;
    answer.others = pipeline::judge_baselines(answer.step, planning.microbatches);
  } else {
    pipeline::Planning found = pipeline::plan_pipeline(answer.step, planning);
    answer.best = std::move(found.best);
    answer.others = std::move(found.baselines);
    answer.orders = found.orders;
    answer.evaluations = found.evaluations;
  }
  answer.search_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::ranges::stable_sort(answer.others,
                           [](const Judged& a, const Judged& b) { return better(a.timeline.score, b.timeline.score); });
  if (answer.best) answer.bounds = bounds_of(answer.problem(), answer.best->timeline.score);
  if (request.one_more) {
    PipelineRequest more = request;
    more.microbatches = planning.microbatches;  // of a given pipeline its own
    add_one_more(answer, more, caller);
  }
  answer.saved = save_pipeline(request.output, answer);
  return answer;
}

}  // namespace berth
