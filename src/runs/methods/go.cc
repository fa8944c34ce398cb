// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/go.h"

#include <array>

#include "base/text.h"
#include "runs/methods/info.h"

namespace berth::learn {
namespace {

std::string tasks_text(const TaskSet& tasks) {
  std::vector<std::string> words;
  if (tasks.placement) words.emplace_back("placement");
  if (tasks.schedule) words.emplace_back("schedule");
  if (tasks.fusion) words.emplace_back("fusion");
  return join(words, "+");
}

FieldOf<GoOptions> tasks_field() {
  constexpr std::array kAll{TaskSet{true, false, false}, TaskSet{true, true, false},  TaskSet{true, false, true},
                            TaskSet{true, true, true},   TaskSet{false, true, false}, TaskSet{false, false, true},
                            TaskSet{false, true, true}};
  const auto set = [kAll](GoOptions& own, std::string_view text) -> Status {
    std::vector<std::string> texts;
    for (const TaskSet& tasks : kAll) texts.push_back(tasks_text(tasks));
    BERTH_TRY(const std::size_t which, parse_word("tasks", text, Words(texts.begin(), texts.end())));
    own.tasks = kAll[which];
    return {};
  };
  return {"tasks", "what is decided", set, [](const GoOptions& own) { return tasks_text(own.tasks); }};
}

std::vector<FieldOf<GoOptions>> go_fields() {
  using F = Fields<GoOptions>;
  using O = GoOptions;
  return {
      F::whole("nodes", "most nodes that are decided on, clusters of ops; 0: every unit", &O::nodes, 0, kMany),
      tasks_field(),
      F::whole("levels", "levels of the priorities of schedule and fusion", &O::levels, 2, 1'024),
      F::word("priorities", "of the schedule: levels, or plackett-luce (an order of all nodes)", &O::priorities,
              {"levels", "plackett-luce"}),
      F::word("ties", "which op goes first inside a level: critical-path, or fifo (the first that is ready)", &O::ties,
              {"critical-path", "fifo"}),
      F::whole("hidden", "width of the network", &O::hidden, 2, 16'384, 2),
      F::whole("sage-layers", "layers of the graph network", &O::sage_layers, 0, 64),
      F::whole("attention-layers", "layers of attention", &O::attention_layers, 0, 64),
      F::whole("heads", "heads of attention; hidden is rounded up to a multiple", &O::heads, 1, 64),
      F::whole("segment", "nodes of a segment of attention, which sees itself and the one before", &O::segment, 2,
               65'536),
      F::whole("inner", "width of the feed-forward parts, in widths of the network", &O::inner, 1, 64),
      F::whole("passes", "how often the network runs, each time with its last output before it", &O::passes, 1, 64),
      F::on_off("superposition", "the graph as a whole modulates the features of every layer", &O::superposition),
      F::on_off("task-attention", "the network runs anew for every task, with those before it decided",
                &O::task_attention),
      F::real("locality", "logit of being where all neighbours are, at the start", &O::locality, 0, 100),
      F::real("stretch", "logit of a device for its own stretch of the model against the next, at the start",
              &O::stretch, 0, 100),
  };
}

Hints go_hints(const Options& options) { return {more_placements(std::get<GoOptions>(options)), "", ""}; }

}  // namespace

GoOptions go_default() {
  GoOptions options;
  options.nodes = 64;
  options.tasks = {.placement = true, .schedule = true, .fusion = false};
  options.groupings = 1, options.placements = 16;
  options.epochs = 2, options.ratio_clip = 0.2;
  options.rate = 0.002;
  return options;
}

// Their sizes and rates are not known to us: these are those of the two re-implementations that are, of GO's fusion
// and, as a baseline of DOPPLER's, of GDP. What neither has is left out, but for what nodes, devices and pairs look
// like and what the first pass reads, which are ours (docs/planners.md).
GoOptions go_paper() {
  GoOptions options;
  options.nodes = 0;
  options.tasks = {.placement = true, .schedule = true, .fusion = true};
  options.hidden = 128;
  options.sage_layers = 2, options.attention_layers = 3, options.heads = 8;
  options.segment = 256, options.inner = 4;
  options.passes = 3;
  options.levels = 20;
  options.ties = Ties::kFifo;  // chosen
  options.start_by_speed = false;
  options.locality = options.stretch = 0.0;
  options.groupings = 1, options.placements = 16;
  options.epochs = 4, options.ratio_clip = 0.2;
  options.rate = 1e-4, options.clip = 0.5;
  options.entropy = options.entropy_end = 0.01;
  options.reward.failing = FailingKind::kConstant;  // -10 for a plan that is not valid, where 1 is the start
  return options;
}

MethodInfo Go::info() {
  return {.name = "go",
          .summary = "graph network and transformer, one shot (2020)",
          .why_not_general = "",
          .fields = fields_of<Options>(
              go_fields(), plans_fields("an update measures groupings x placements plans", "the other factor of it"),
              noise_fields(), baseline_fields(), lessons_field(), training_fields()),
          .presets = {{"default", go_default()}, {"paper", go_paper()}},
          .plain = Options(),
          .hints = go_hints};
}

}  // namespace berth::learn
