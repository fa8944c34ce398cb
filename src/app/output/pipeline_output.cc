// SPDX-License-Identifier: Apache-2.0
#include "app/output/pipeline_output.h"

#include <utility>

#include "app/output/table.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "pipeline/unit_run.h"

namespace berth::app {
namespace {

using pipeline::Judged;

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

std::string worth_of(const Judged& judged) {
  return judged.timeline.score.feasible ? format_time(judged.timeline.score.step_time) : alarm("OOM");
}

std::string devices_of(const Machine& machine, const PipelineStage& stage) {
  std::vector<std::string> names;
  for (const DeviceId device : stage.devices) names.push_back(machine.device(device).name);
  return join(names, ", ");
}

std::string layers_of(const PipelineStage& stage) {
  if (stage.layers.size() == 1) return stage.layers.front();
  return fmt::format("{} .. {}", stage.layers.front(), stage.layers.back());
}

// Times of one microbatch on the stage's first device.
std::string stage_table(const PipelineAnswer& answer) {
  const Judged& best = *answer.best;
  const pipeline::StagedStep staged = pipeline::make_staged_step(answer.step, best.cut);
  Table table =
      Table::headed({"stage", "device", ">layers", "from .. to", ">forward", ">backward", ">weights", "kept"});
  for (std::uint32_t s = 0; s < best.plan.stages.size(); ++s) {
    const PipelineStage& stage = best.plan.stages[s];
    const auto time = [&](ActionKind kind) {
      return format_time(pipeline::form_time(staged, s, pipeline::form_of(kind), stage.devices.front()));
    };
    table.add({fmt::format("{}", s), devices_of(answer.problem().machine(), stage),
               fmt::format("{}", stage.layers.size()), layers_of(stage), time(ActionKind::kForward),
               time(ActionKind::kBackward), format_bytes(staged.resident[s] + staged.gradients[s]),
               stage.recompute ? "inputs, recomputed" : "all"});
  }
  return table.text();
}

std::string pipeline_device_table(const PipelineAnswer& answer) {
  const Score& score = answer.best->timeline.score;
  Table table = Table::headed({"device", ">busy", "", ">peak memory", ">of", ""});
  for (const DeviceId device : answer.problem().machine().device_ids()) {
    const DeviceUse& use = score.devices[index(device)];
    if (use.busy == 0) continue;
    const Bytes capacity = answer.problem().capacity(device);
    const double busy = static_cast<double>(use.busy) / static_cast<double>(score.step_time);
    table.add({answer.problem().machine().device(device).name, percent(busy), bar(busy), format_bytes(use.peak),
               format_bytes(capacity), use.peak > capacity ? alarm("OOM") : ""});
  }
  return table.text();
}

std::string bounds_text(const PipelineAnswer& answer) {
  const PipelineBounds& bounds = answer.bounds;
  const Machine& machine = answer.problem().machine();
  const std::string link = bounds.link ? fmt::format("the busiest link, {}, works {} of it",
                                                     machine.queues()[*bounds.link], percent(bounds.link_share))
                                       : std::string("nothing is sent");
  return fmt::format("{} works {} of the step; {}; the memory of {} is fullest, {}\n",
                     machine.device(bounds.busiest).name, percent(bounds.busiest_share), link,
                     machine.device(bounds.fullest).name, percent(bounds.fullest_share));
}

std::string others_table(const PipelineAnswer& answer) {
  Table table = Table::headed({"instead", ">stages", ">step", ">slower by", ">bubble"});
  const Judged* best = answer.best ? &*answer.best : nullptr;
  bool has_single = false;  // only the best of single devices has a row
  for (const Judged& other : answer.others) {
    if (other.name.starts_with(pipeline::kOneDevice) && std::exchange(has_single, true)) continue;
    const bool fits = other.timeline.score.feasible;
    std::string slower = "-";
    if (fits && best != nullptr && best->timeline.score.feasible) {
      const double ratio = to_seconds(other.timeline.score.step_time) / to_seconds(best->timeline.score.step_time);
      slower = percent(ratio - 1.0);
    }
    table.add({other.name, fmt::format("{}", other.plan.stages.size()), worth_of(other), slower,
               fits ? percent(other.timeline.bubble()) : "-"});
  }
  return table.text();
}

}  // namespace

std::string pipeline_page(const PipelineAnswer& answer) {
  std::size_t layers = 0;
  for (const auto& block : answer.step.blocks) layers += block.size();
  std::string page = fmt::format("{} on {}: {} in {}", clean(answer.problem().graph().title()),
                                 clean(answer.problem().machine().name()), counted(layers, "layer"),
                                 counted(answer.step.blocks.size(), "block"));
  if (answer.orders > 0) {
    page += fmt::format("; {} of devices, {} pipelines tried in {}", counted(answer.orders, "order"),
                        answer.evaluations, format_seconds(answer.search_s));
  }
  page += "\n\n";
  if (answer.best) {
    const Judged& best = *answer.best;
    page += bold(fmt::format("{} for {} microbatches, schedule {}, bubble {}", worth_of(best), best.plan.microbatches,
                             clean(best.plan.schedule), percent(best.timeline.bubble())));
    page += "\n" + stage_table(answer) + "\n" + pipeline_device_table(answer) + "\n" + bounds_text(answer) + "\n";
  }
  page += others_table(answer);
  for (const OneMore& more : answer.one_more) {
    page += fmt::format(
        "{}one more {}: {}\n", &more == answer.one_more.data() ? "\n" : "", clean(more.model),
        more.step_time ? format_time(*more.step_time) : std::string("nothing that fits, or it cannot be added"));
  }
  return page;
}

std::string pipeline_overflow(const PipelineAnswer& answer) {
  const Problem& problem = answer.problem();
  if (answer.best) {
    const Overflow& overflow = *answer.best->timeline.score.overflow;
    return fmt::format("out of memory: '{}' lacks {} at {}; without --plan a pipeline that fits is looked for",
                       problem.machine().device(overflow.device).name, format_bytes(overflow.over),
                       format_time(overflow.time));
  }
  Bytes held = 0;
  for (const OpId op : problem.graph().ops()) held += problem.resident_bytes(op);
  for (const pipeline::LayeredStep::Sum& sum : answer.step.sums) held += sum.bytes;
  return fmt::format(
      "no pipeline that was found fits: weights, their optimiser copies and gradients take {} together, activations "
      "come on top; try fewer microbatches, a smaller microbatch, or more devices",
      format_bytes(held));
}

}  // namespace berth::app
