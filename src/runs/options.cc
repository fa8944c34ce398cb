// SPDX-License-Identifier: Apache-2.0
#include "runs/options.h"

#include <algorithm>

#include "base/text.h"
#include "runs/option_kinds.h"

namespace berth::learn {
namespace {

constexpr int kMany = 1'000'000'000;

std::vector<Field> grouper_fields() {
  using O = Options;
  return {
      grouping_field(),
      whole_field("groups", "most groups; 0: as the model and the machine say", &O::groups, 0, 65'536),
      whole_field("clusters", "the Grouper decides on so many clusters of ops per group; 0: on single ops",
                  &O::clusters, 0, 1'000),
      word_field("start", "where the Grouper begins: none (anywhere), heavy (groups grown along heavy tensors)",
                 &O::start, {"none", "heavy"}),
      real_field("start-weight", "logit of the group an op begins with", &O::start_weight, 0, 100),
      word_field("type-feature", "how the type of an op is seen: embedding (learned), index (one number), none",
                 &O::type_feature, {"embedding", "index", "none"}),
      whole_field("type-size", "numbers of the embedding of a type", &O::type_size, 1, 4'096),
      whole_field("max-types", "types with an embedding of their own: the most common", &O::max_types, 1, 100'000),
      whole_field("outputs", "output shapes of an op that are seen; 0: none", &O::outputs, 0, 64),
      whole_field("dims", "sizes of each of these shapes that are seen; 0: none", &O::dims, 0, 32),
      word_field("neighbours",
                 "how neighbours of an op are seen: slots (a few indices in and out), signed (a few with "
                 "their side, as in Google's code), aggregate (all of them), none",
                 &O::neighbours, {"slots", "signed", "aggregate", "none"}),
      whole_field("neighbour-slots", "of slots: as many in and as many out; of signed: in all", &O::neighbour_slots, 1,
                  1'024),
      switch_field("cost-features", "flops and bytes of an op are seen", &O::cost_features),
      switch_field("device-features", "speed, memory and links of devices are seen", &O::device_features),
      whole_field("grouper-hidden", "width of the Grouper's hidden layer", &O::grouper_hidden, 1, 16'384),
      real_field("grouper-scale", "factor of the network's logits: how fast a Grouper leaves its start",
                 &O::grouper_scale, 0, 1'000),
      word_field("grouper-activation", "of that layer: tanh or none", &O::grouper_activation, {"tanh", "none"}),
  };
}

std::vector<Field> placer_fields() {
  using O = Options;
  return {
      word_field("placer", "the network that places groups: lstm, transformer, feed-forward", &O::placer,
                 {"lstm", "transformer", "feed-forward"}),
      whole_field("hidden", "width of the decoder; each direction of the encoder has half", &O::hidden, 2, 16'384, 2),
      whole_field("attention", "width of the scores of attention", &O::attention, 1, 16'384),
      switch_field("aligned", "the decoder is shown the group it places, not only by attention", &O::aligned),
      real_field("tanh-constant", "C of C tanh(l / T), the bound of logits", &O::tanh_constant, 0.001, 1'000),
      real_field("temperature", "T of C tanh(l / T)", &O::temperature, 0.001, 1'000),
      word_field("adjacency", "how edges between groups are seen: counts, binary, none", &O::adjacency,
                 {"counts", "binary", "none"}),
      switch_field("group-types", "how many ops of each type a group has is seen", &O::group_types),
      switch_field("group-shapes", "the sum of a group's output shapes is seen", &O::group_shapes),
      switch_field("placed-features",
                   "the decoder sees where a group's neighbours are, and how full devices are by now",
                   &O::placed_features),
      switch_field("start-by-speed", "devices begin with the share of their speed, not all alike", &O::start_by_speed),
  };
}

std::vector<Field> placeto_fields() {
  using O = Options;
  return {
      whole_field("rounds", "of messages along the graph and as many against it", &O::rounds, 0, 64),
      whole_field("message-width", "numbers of a message; 0: as many as a group's features", &O::message_width, 0,
                  4'096),
      word_field("messages", "how messages are put together, and the states of pools: mean, sum", &O::messages,
                 {"mean", "sum"}),
      word_field("device-head", "scored (any machine), fixed (an output for every device of one machine)",
                 &O::device_head, {"scored", "fixed"}),
      whole_field("episodes", "walks over the groups, side by side, for an update", &O::episodes, 2, 4'096),
      whole_field("sweeps", "times that a walk comes past every group", &O::sweeps, 1, 1'000),
      word_field("first-placement", "where a walk begins: random, single, best (so far), turns (random and best)",
                 &O::first_placement, {"random", "single", "best", "turns"}),
      word_field("returns",
                 "what counts for a step: drop (all that is yet gained), best (the best yet to come), final "
                 "(the end)",
                 &O::returns, {"drop", "best", "final"}),
      real_field("discount", "of later rewards, for returns=drop", &O::discount, 0, 1),
  };
}

std::vector<Field> go_fields() {
  using O = Options;
  return {
      whole_field("nodes", "most nodes that are decided on, clusters of ops; 0: every unit", &O::nodes, 0, kMany),
      word_field("tasks", "what is decided", &O::tasks,
                 {"placement", "placement+schedule", "placement+fusion", "placement+schedule+fusion", "schedule",
                  "fusion", "schedule+fusion"}),
      whole_field("levels", "levels of the priorities of schedule and fusion", &O::levels, 2, 1'024),
      word_field("priorities", "of the schedule: levels, or plackett-luce (an order of all nodes)", &O::priorities,
                 {"levels", "plackett-luce"}),
      word_field("ties", "which op goes first inside a level: critical-path, or fifo (the first that is ready)",
                 &O::ties, {"critical-path", "fifo"}),
      whole_field("sage-layers", "layers of the graph network", &O::sage_layers, 0, 64),
      whole_field("attention-layers", "layers of attention", &O::attention_layers, 0, 64),
      whole_field("heads", "heads of attention; hidden is rounded up to a multiple", &O::heads, 1, 64),
      whole_field("segment", "nodes of a segment of attention, which sees itself and the one before", &O::segment, 2,
                  65'536),
      whole_field("inner", "width of the feed-forward parts, in widths of the network", &O::inner, 1, 64),
      whole_field("passes", "how often the network runs, each time with its last output before it", &O::passes, 1, 64),
      switch_field("superposition", "the graph as a whole modulates the features of every layer", &O::superposition),
      switch_field("task-attention", "the network runs anew for every task, with those before it decided",
                   &O::task_attention),
      real_field("locality", "logit of being where all neighbours are, at the start", &O::locality, 0, 100),
      real_field("stretch", "logit of a device for its own stretch of the model against the next, at the start",
                 &O::stretch, 0, 100),
  };
}

std::vector<Field> hsdag_fields() {
  using O = Options;
  return {
      word_field("coarsening", "ops placed together: mutual (only child of its only parent), sole-parent, none",
                 &O::coarsening, {"mutual", "sole-parent", "none"}),
      switch_field("degrees", "numbers of edges in and out are seen", &O::degrees),
      switch_field("fractal", "the fractal dimension is seen", &O::fractal),
      switch_field("node-shapes", "the output shape is seen", &O::node_shapes),
      word_field("position", "how the place in topological order is seen: waves, index, none", &O::position,
                 {"waves", "index", "none"}),
      whole_field("position-size", "numbers of the waves", &O::position_size, 2, 1'024, 2),
      switch_field("raw-features", "shapes and index are plain numbers", &O::raw_features),
      word_field("gnn", "the graph network: gcn, gat, gin", &O::gnn, {"gcn", "gat", "gin"}),
      whole_field("gnn-layers", "its layers", &O::gnn_layers, 1, 64),
      switch_field("directed", "gcn tells edges in from edges out", &O::directed),
      word_field("parser", "what makes clusters: learned, frozen (random scores), metis, none", &O::parser,
                 {"learned", "frozen", "metis", "none"}),
      switch_field("self-loops", "a set may prefer itself to all its neighbours, and stay alone", &O::self_loops),
      real_field("parse-noise", "noise of the scores of edges while plans are drawn, in deviations of theirs",
                 &O::parse_noise, 0, 100),
      real_field("start-by-times", "devices begin with their speed at a cluster's ops to this power; 0: not so",
                 &O::start_by_times, 0, 100),
      real_field("near-best", "share of updates whose plans are the best one with a few clusters changed",
                 &O::near_best, 0, 1),
      real_field("near-stretches", "share of those plans whose clusters are a connected stretch that moves as one",
                 &O::near_stretches, 0, 1),
      whole_field("poolings", "rounds of parsing; 0: until one cluster is left", &O::poolings, 0, 64),
      word_field("pool-factor", "what the scores inside a cluster count as: mean, sum", &O::pool_factor,
                 {"mean", "sum"}),
      real_field("dropout", "share of numbers dropped, in drawing too", &O::dropout, 0, 0.9),
      word_field("activation", "relu, silu (smooth)", &O::activation, {"relu", "silu"}),
      whole_field("freeze-after",
                  "updates after which embedding and parser stay and devices are learned anew; 0: never",
                  &O::freeze_after, 0, kMany),
      switch_field("state-update", "a step adds its clusters to the features of their nodes", &O::state_update),
      word_field("credit", "rewards count for: plan (their own step), discounted, shared (all steps)", &O::credit,
                 {"plan", "discounted", "shared"}),
      real_field("step-discount", "discount of credit", &O::step_discount, 0, 1),
      switch_field("refuse-single", "a plan on one device counts as failing", &O::refuse_single),
  };
}

std::vector<Field> training_fields() {
  using O = Options;
  return {
      whole_field("groupings", "m: groupings sampled for an update", &O::groupings, 1, 4'096),
      whole_field("placements", "k: placements sampled for each of them", &O::placements, 1, 4'096),
      whole_field("lessons", "problems that an update learns from, of several; 0: all", &O::lessons, 0, 4'096),
      whole_field("epochs", "steps by the same plans; more than one needs a ratio-clip", &O::epochs, 1, 100),
      real_field("ratio-clip", "of PPO: how far a choice's chance may move by one batch; 0: plain policy gradient",
                 &O::ratio_clip, 0, 1),
      real_field("rate", "learning rate of Adam", &O::rate, 0, 10),
      real_field("rate-decay", "the rate is multiplied by this every decay-every updates", &O::rate_decay, 0, 1),
      whole_field("decay-after", "updates before the rate begins to fall", &O::decay_after, 0, kMany),
      whole_field("decay-every", "updates between two steps of the rate", &O::decay_every, 1, kMany),
      real_field("clip", "gradients are scaled down to this norm", &O::clip, 1e-6, 1e6),
      real_field("entropy", "weight of the entropy bonus at the start", &O::entropy, 0, 100),
      real_field("entropy-end", "its weight from update entropy-updates on", &O::entropy_end, 0, 100),
      whole_field("entropy-updates", "updates on the way from one to the other", &O::entropy_updates, 0, kMany),
      real_field("noise", "deviation of what is added to logits, as a share of their size", &O::noise, 0, 100),
      whole_field("noise-updates", "updates with that noise", &O::noise_updates, 0, kMany),
      whole_field("valid-only-after", "updates after which only plans that fit count; 0: never", &O::valid_only_after,
                  0, kMany),
      word_field("baseline", "rewards are compared with: moving (average), batch (mean of the other plans), none",
                 &O::baseline, {"moving", "batch", "none"}),
      real_field("baseline-decay", "of the moving average that rewards are compared with", &O::baseline_decay, 0, 1),
      switch_field("baseline-fails", "that average begins with the reward of a failing plan", &O::baseline_fails),
      switch_field("scale-advantage", "advantages are divided by the usual deviation of rewards", &O::scale_advantage),
      reward_field(),
      failing_field(),
      failing_s_field(),
      real_field("env-noise", "times are multiplied by exp(this x normal), as on a noisy machine", &O::env_noise, 0,
                 10),
  };
}

std::vector<Field> all_fields() {
  std::vector<Field> fields;
  for (const auto& part :
       {grouper_fields(), placer_fields(), placeto_fields(), go_fields(), hsdag_fields(), training_fields()})
    fields.insert(fields.end(), part.begin(), part.end());
  return fields;
}

}  // namespace

const std::vector<Field>& option_fields() {
  static const std::vector<Field> kFields = all_fields();
  return kFields;
}

const Field* find_option(std::string_view name) {
  const auto found = std::ranges::find(option_fields(), name, &Field::name);
  return found != option_fields().end() ? &*found : nullptr;
}

Status set_option(Options& options, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = trim(assignment.substr(0, equals));
  Words names;
  for (const Field& field : option_fields()) {
    names.push_back(field.name);
    if (field.name != name) continue;
    if (equals == std::string_view::npos) return bad_input("option '{}' needs a value: {}=VALUE", name, name);
    return field.set(options, trim(assignment.substr(equals + 1)));
  }
  return bad_input("no option named '{}'{}", name, did_you_mean(name, names));
}

}  // namespace berth::learn
