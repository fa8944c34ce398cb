// SPDX-License-Identifier: Apache-2.0
#include "runs/methods/hsdag.h"

#include "runs/methods/info.h"

namespace berth::learn {
namespace {

// What is decided on, and what is seen of it.
std::vector<FieldOf<HsdagOptions>> node_fields() {
  using F = Fields<HsdagOptions>;
  using O = HsdagOptions;
  return {
      F::whole("groups", "of parser=metis: most clusters; 0: about a quarter of the sets", &O::groups, 0, 65'536),
      F::word("coarsening", "ops placed together: mutual (only child of its only parent), sole-parent, none",
              &O::coarsening, {"mutual", "sole-parent", "none"}),
      F::on_off("degrees", "numbers of edges in and out are seen", &O::degrees),
      F::on_off("fractal", "the fractal dimension is seen", &O::fractal),
      F::on_off("node-shapes", "the output shape is seen", &O::node_shapes),
      F::word("position", "how the place in topological order is seen: waves, index, none", &O::position,
              {"waves", "index", "none"}),
      F::whole("position-size", "numbers of the waves", &O::position_size, 2, 1'024, 2),
      F::on_off("raw-features", "shapes and index are plain numbers", &O::raw_features),
  };
}

std::vector<FieldOf<HsdagOptions>> network_fields() {
  using F = Fields<HsdagOptions>;
  using O = HsdagOptions;
  return {
      F::whole("hidden", "width of the network", &O::hidden, 2, 16'384, 2),
      F::word("gnn", "the graph network: gcn, gat, gin", &O::gnn, {"gcn", "gat", "gin"}),
      F::whole("gnn-layers", "its layers", &O::gnn_layers, 1, 64),
      F::on_off("directed", "gcn tells edges in from edges out", &O::directed),
      F::word("parser", "what makes clusters: learned, frozen (random scores), metis, none", &O::parser,
              {"learned", "frozen", "metis", "none"}),
      F::on_off("self-loops", "a set may prefer itself to all its neighbours, and stay alone", &O::self_loops),
      F::real("parse-noise", "noise of the scores of edges while plans are drawn, in deviations of theirs",
              &O::parse_noise, 0, 100),
      F::real("start-by-times", "devices begin with their speed at a cluster's ops to this power; 0: not so",
              &O::start_by_times, 0, 100),
      F::real("near-stretches", "of near-best: share of plans whose clusters are a connected stretch that moves as one",
              &O::near_stretches, 0, 1),
      F::whole("poolings", "rounds of parsing; 0: until one cluster is left", &O::poolings, 0, 64),
      F::word("pool-factor", "what the scores inside a cluster count as: mean, sum", &O::pool_factor, {"mean", "sum"}),
      F::real("dropout", "share of numbers dropped, in drawing too", &O::dropout, 0, 0.9),
      F::word("activation", "relu, silu (smooth)", &O::activation, {"relu", "silu"}),
      F::whole("freeze-after", "updates after which embedding and parser stay and devices are learned anew; 0: never",
               &O::freeze_after, 0, kMany),
      F::on_off("state-update", "a step adds its clusters to the features of their nodes", &O::state_update),
  };
}

Hints hsdag_hints(const Options& options) {
  const auto& own = std::get<HsdagOptions>(options);
  return {more_placements(own),
          own.parser == Parser::kMetis && own.groups == 1
              ? ""
              : fmt::format("--option rate={:.2g} or --option self-loops=on", own.rate / 5.0),
          ""};
}

}  // namespace

HsdagOptions hsdag_default() {
  HsdagOptions options;
  options.hidden = 64;
  options.groupings = 1, options.placements = 20;
  options.self_loops = true;
  options.parse_noise = 1.0;
  options.start_by_times = 4.0;
  options.near_best = 0.9334;  // of fifteen updates fourteen, of four plans each: three quarters of the plans
  options.near_stretches = 0.5;
  options.rate = 0.002;
  return options;
}

// With its table of sizes. What it does not say is chosen and marked.
HsdagOptions hsdag_paper() {
  HsdagOptions options;
  without_additions(options);
  options.cost_features = options.device_features = false;
  options.hidden = 128;
  options.coarsening = Coarsening::kMutual;
  options.position = Position::kWaves, options.position_size = 16;  // the size is chosen
  options.gnn = GraphNetworkKind::kGcn, options.gnn_layers = 2;
  options.poolings = 1;  // as its equations and its picture have it
  options.pool_factor = PoolFactor::kSum;
  options.dropout = 0.2;
  options.groupings = 1, options.placements = 20;
  options.rate = 1e-4, options.clip = 1e6;
  options.baseline = BaselineKind::kNone;
  options.credit = Credit::kDiscounted, options.step_discount = 0.95;  // the discount is that of the code
  options.reward = {RewardKind::kInverse, FailingKind::kConstant, 1e6};
  return options;
}

// Its released code, where that differs from the paper. Its loop pools until one cluster is left, which can place no
// graph on two devices: poolings=0 is that.
HsdagOptions hsdag_released() {
  HsdagOptions options = hsdag_paper();
  options.coarsening = Coarsening::kSoleParent;
  options.degrees = options.fractal = options.node_shapes = false;
  options.position = Position::kIndex, options.raw_features = true;
  options.rate = 1e-3;
  options.credit = Credit::kShared;
  options.refuse_single = true;
  return options;
}

MethodInfo Hsdag::info() {
  return {
      .name = "hsdag",
      .summary = "graph parsing and placement learned jointly (2024)",
      .why_not_general = "it has a column for each op type and degree of that graph and an output for each device",
      .fields = fields_of<Options>(node_fields(), feature_fields(), network_fields(),
                                   plans_fields("episodes of an update", "steps of an episode, each of them a plan"),
                                   episode_fields(), baseline_fields(), training_fields()),
      .presets = {{"default", hsdag_default()}, {"paper", hsdag_paper()}, {"released", hsdag_released()}},
      .plain = Options(),
      .hints = hsdag_hints};
}

}  // namespace berth::learn
