// SPDX-License-Identifier: Apache-2.0
#include "services/json/pipeline_json.h"

#include "services/json/outcome_json.h"

namespace berth {
namespace {

using pipeline::ActionTime;
using pipeline::Judged;

std::optional<double> pipeline_step_s(const Judged& judged) {
  const Score& score = judged.timeline.score;
  return score.feasible ? std::optional(to_seconds(score.step_time)) : std::nullopt;
}

void write_pipeline_worth(JsonWriter& json, const Judged& judged) {
  json.members("schedule", judged.plan.schedule, "stages", judged.plan.stages.size(), "feasible",
               judged.timeline.score.feasible, "step_time_s", pipeline_step_s(judged), "bubble",
               judged.timeline.bubble());
}

void write_pipeline_stages(JsonWriter& json, const Machine& machine, const PipelinePlan& plan) {
  json.objects("stages", plan.stages, [&](const PipelineStage& stage) {
    json.list("layers", stage.layers);
    json.key("devices").begin_array();
    for (const DeviceId device : stage.devices) json.value(machine.device(device).name);
    json.end_array().members("recompute", stage.recompute);
  });
}

void write_pipeline_use(JsonWriter& json, const Problem& problem, const Score& score) {
  json.objects("devices", problem.machine().device_ids(), [&](DeviceId device) {
    const DeviceUse& use = score.devices[index(device)];
    json.members("name", problem.machine().device(device).name, "busy_s", to_seconds(use.busy), "peak_bytes", use.peak,
                 "capacity_bytes", problem.capacity(device));
  });
  json.key("links").begin_array(JsonLayout::kLines);
  for (std::size_t queue = 0; queue < score.queues.size(); ++queue) {
    json.begin_object().members("name", problem.machine().queues()[queue], "busy_s",
                                to_seconds(score.queues[queue].busy), "bytes", score.queues[queue].bytes);
    json.end_object();
  }
  json.end_array();
}

void write_pipeline_bounds(JsonWriter& json, const Machine& machine, const PipelineBounds& bounds) {
  json.object("bounds", [&] {
    json.members("busiest_device", machine.device(bounds.busiest).name, "busiest_device_share", bounds.busiest_share);
    json.key("busiest_link");
    if (bounds.link) {
      json.value(machine.queues()[*bounds.link]);
    } else {
      json.null();
    }
    json.members("busiest_link_share", bounds.link_share, "fullest_device", machine.device(bounds.fullest).name,
                 "fullest_device_share", bounds.fullest_share);
  });
}

void write_pipeline_timeline(JsonWriter& json, const Machine& machine, const Judged& best) {
  json.objects("timeline", best.timeline.actions, [&](const ActionTime& ran) {
    json.members("device", machine.device(ran.device).name, "stage", ran.action.stage);
    json.key("microbatch");
    if (ran.is_update) {
      json.null();
    } else {
      json.value(ran.action.microbatch);
    }
    json.members("kind", ran.is_update ? std::string_view("update") : name_of(ran.action.kind), "start_s",
                 to_seconds(ran.start), "end_s", to_seconds(ran.end));
  });
}

}  // namespace

std::string pipeline_json(const PipelineAnswer& answer, bool timeline) {
  const Machine& machine = answer.problem().machine();
  return json_document([&](JsonWriter& json) {
    json.members("graph", answer.problem().graph().title(), "machine", machine.name(), "search_s", answer.search_s,
                 "orders", answer.orders, "evaluations", answer.evaluations, "feasible", answer.fits());
    json.key("best");
    if (answer.best) {
      const Judged& best = *answer.best;
      json.begin_object(JsonLayout::kLines)
          .members("microbatches", best.plan.microbatches, "schedule", best.plan.schedule);
      json.members("feasible", best.timeline.score.feasible, "step_time_s", pipeline_step_s(best), "bubble",
                   best.timeline.bubble());
      write_pipeline_stages(json, machine, best.plan);
      write_pipeline_use(json, answer.problem(), best.timeline.score);
      write_pipeline_bounds(json, machine, answer.bounds);
      if (timeline) write_pipeline_timeline(json, machine, best);
      json.end_object();
    } else {
      json.null();
    }
    json.objects("others", answer.others, [&](const Judged& other) {
      json.members("name", other.name);
      write_pipeline_worth(json, other);
    });
    json.objects("one_more", answer.one_more, [&](const OneMore& more) {
      json.members("model", more.model, "step_time_s",
                   more.step_time ? std::optional(to_seconds(*more.step_time)) : std::nullopt);
    });
    write_notes(json, answer.loaded->notes);
  });
}

}  // namespace berth
