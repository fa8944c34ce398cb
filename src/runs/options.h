// SPDX-License-Identifier: Apache-2.0
// Everything about a learned planner that a user can turn, in one struct, and one table of fields that feeds the
// command line (--option NAME=VALUE), config.json of a run and the documentation. Presets change a few fields of the
// default.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runs/reward.h"

namespace berth::learn {

struct Options {
  // What is decided.
  std::string grouping =
      "learned";  // learned, none, random, metis, modules, heavy, or colocation heuristics joined by +
  // 0: as the problem says. For a Grouper that learns min(256, 20 x devices), as in Google's code; for colocation
  // heuristics the number that the paper states for such a model (paper_groups); for the others as for a Grouper.
  int groups = 64;
  int clusters = 8;             // the Grouper decides on so many clusters of ops per group; 0: on single ops
  std::string start = "heavy";  // where the Grouper begins: none (anywhere), heavy (groups grown along heavy tensors)
  double start_weight = 9.0;    // logit of the group it begins with

  // What the Grouper sees of an op.
  std::string type_feature = "embedding";  // embedding (learned), index (one number), none
  int type_size = 20, max_types = 200;
  int outputs = 6, dims = 4;  // of output shapes; 0: not seen
  std::string neighbours =
      "aggregate";              // slots (a few indices), signed (those of Google's code), aggregate (all), none
  int neighbour_slots = 6;      // of slots: as many in and as many out; of signed: in all
  bool cost_features = true;    // flops, parameter, output and crossing bytes
  bool device_features = true;  // speed, memory and links of devices, for the Placer
  int grouper_hidden = 64;
  std::string grouper_activation = "tanh";  // tanh, none
  double grouper_scale = 0.1;  // of the network's logits beside those of the start: how fast a Grouper leaves its start

  // The Placer.
  std::string placer = "lstm";  // lstm, transformer, feed-forward
  int hidden = 64;              // of the decoder; each direction of the encoder has half
  int attention = 32;           // width of the scores of content-based attention
  bool aligned = true;          // the decoder is shown the group it places; else it must find it by attention
  double tanh_constant = 5.0, temperature = 10.0;  // C and T of C tanh(l / T)
  std::string adjacency = "counts";  // of group embeddings: counts (both directions, rows scaled), binary, none
  bool group_types = true, group_shapes = true;  // histogram of types, sum of shapes
  bool placed_features = true;  // the decoder sees where the neighbours of a group are, and how full devices are by now
  bool start_by_speed = true;   // devices begin with the share of their speed, capped by memory, not all alike

  // Placeto (learn/placeto); `groups` and `grouping` say what it places, start_by_speed where it begins.
  int rounds = 4;                          // of messages, each way
  int message_width = 16;                  // of messages and states; 0: as many numbers as a group's features
  std::string messages = "mean";           // over neighbours and pools: mean, sum
  std::string device_head = "scored";      // scored (any machine), fixed (an output for every device)
  int episodes = 8, sweeps = 1;            // of an update, side by side; over the groups, in each of them
  std::string first_placement = "random";  // of an episode: random, single, best (so far), turns (random, best)
  std::string returns = "drop";            // what counts for a step: drop, best, final
  double discount = 1.0;                   // of later rewards, for returns=drop

  // The network of go (learn/go/network.h); its width is `hidden`.
  int nodes = 0;                       // most nodes that are decided on; 0: every unit
  std::string tasks = "placement";     // what is decided: placement, schedule, fusion, joined by +
  int levels = 8;                      // of the priorities of schedule and fusion
  std::string priorities = "levels";   // of the schedule: levels, plackett-luce (an order of all nodes)
  std::string ties = "critical-path";  // inside a level: critical-path, fifo
  int sage_layers = 2, attention_layers = 2, heads = 4;
  int segment = 64;            // nodes of a segment of attention
  int inner = 2;               // of the feed-forward parts, in widths
  int passes = 2;              // K: how often the network reads its own output, and once more
  bool superposition = true;   // the graph modulates the features of every layer
  bool task_attention = true;  // a task reads what the tasks before it decided
  double locality = 2.0;       // logit of being with all neighbours, at the start
  double stretch = 2.0;        // logit of a device's own stretch of the model against the next, at the start

  // HSDAG (learn/hsdag): `groupings` episodes of `placements` steps make an update; its width is `hidden`.
  std::string coarsening = "mutual";  // sets of ops that are placed together: mutual, sole-parent, none
  bool degrees = true, fractal = true, node_shapes = true;  // of what is seen of a set, beside type-feature and costs
  std::string position = "waves";  // in topological order: waves (sines and cosines), index, none
  int position_size = 16;          // numbers of the waves
  bool raw_features = false;       // shapes and index as plain numbers
  std::string gnn = "gcn";         // gcn, gat, gin
  int gnn_layers = 2;
  bool directed = false;             // gcn tells edges in from edges out
  std::string parser = "learned";    // of clusters: learned, frozen (random scores), metis, none
  bool self_loops = false;           // a node may prefer itself to all neighbours
  double parse_noise = 0.0;          // in drawing, of the scores of edges, in deviations of theirs
  double start_by_times = 0.0;       // devices begin with their speed at a cluster's own ops to this power; 0: not so
  double near_best = 0.0;            // share of updates whose plans are the best one with a few clusters changed
  double near_stretches = 0.0;       // share of those plans whose clusters are a connected stretch
  int poolings = 1;                  // rounds of parsing; 0: until one cluster is left
  std::string pool_factor = "mean";  // what the scores inside a cluster count as: mean, sum
  double dropout = 0.0;
  std::string activation = "relu";  // relu, silu (smooth)
  int freeze_after = 0;         // updates after which embedding and parser stay, and devices are learned anew; 0: never
  bool state_update = true;     // a step adds what it made of a cluster to the features of its nodes
  std::string credit = "plan";  // of rewards to steps: plan, discounted, shared (credit.h)
  double step_discount = 0.95;  // of credit
  bool refuse_single = false;   // a plan on one device counts as failing

  // Training.
  int groupings = 2, placements = 8;  // m and k
  int lessons = 0;                    // of an update, where there are several problems; 0: all of them
  int epochs = 1;                     // steps by the same plans; more than one needs a ratio clip (PPO)
  double ratio_clip = 0.0;            // of PPO; 0: plain policy gradient
  double rate = 0.005, rate_decay = 1.0;
  int decay_after = 0, decay_every = 50;  // updates
  double clip = 1.0;
  double entropy = 0.0, entropy_end = 0.0;  // weight of the entropy bonus: from, to, straight over entropy_updates
  int entropy_updates = 500;
  double noise = 0.0;  // of exploration, until update noise_updates
  int noise_updates = 0;
  int valid_only_after = 0;  // from this update on only plans that fit count; 0: never
  std::string baseline =
      "batch";  // rewards are compared with: moving (average), batch (the mean of the other plans), none
  double baseline_decay = 0.9;
  bool baseline_fails = false;  // the baseline begins with the failing signal
  bool scale_advantage = true;  // divided by the moving average of the rewards' deviation
  RewardRule reward;
  double env_noise = 0.0;

  bool operator==(const Options&) const = default;
};

// The options of a planner and a preset: all have default and paper; hierarchical has google too, hsdag released.
// Errors name the nearest planner or preset, and all there are.
Result<Options> preset(std::string_view planner, std::string_view name);
std::vector<std::string_view> presets_of(std::string_view planner);

// One option as users see it.
struct Field {
  std::string_view name;  // "tanh-constant"
  std::string_view help;
  std::function<Status(Options&, std::string_view)> set;  // errors say what is allowed
  std::function<std::string(const Options&)> get;         // set() reads it back to the same value
};
const std::vector<Field>& option_fields();
const Field* find_option(std::string_view name);  // nullptr if there is none

// Whether an option means something to a planner.
bool has_option(std::string_view planner, std::string_view option);

// "groups=32"; errors name the nearest option.
Status set_option(Options& options, std::string_view assignment);
// The same where the planner is known: an option of others alone is refused, and they are named.
Status set_option(Options& options, std::string_view assignment, std::string_view planner);

}  // namespace berth::learn
