// SPDX-License-Identifier: Apache-2.0
#include "serving/plan/search.h"

#include <gtest/gtest.h>

#include "machine/devices.h"
#include "machine/library.h"
#include "serving/architecture.h"
#include "serving/plan/what_if.h"
#include "serving/presets.h"
#include "sim/simulator.h"

namespace berth::llm {
namespace {

std::shared_ptr<const Model> model_named(std::string_view name) {
  return std::make_shared<const Model>(build_model(std::string(name), find_preset(name)->config, "q4_k_m"));
}

std::shared_ptr<const Machine> machine_named(std::string_view name) {
  if (name != "one-card") return std::make_shared<const Machine>(builtin_machine(name).value());
  Device cpu = make_device(*find_device_model("ryzen-7950x"), "cpu");
  Device gpu = make_device(*find_device_model("rtx4090"), "gpu0");
  return std::make_shared<const Machine>(
      Machine::make("one-card", "", {cpu, gpu}, {}, {},
                    {{.from = "cpu", .to = "gpu0", .bytes_per_s = 25e9, .latency_s = 1e-5}})
          .value());
}

Serving serving_of(std::string_view model, std::string_view machine, ServingOptions options = {}) {
  auto serving = Serving::make(model_named(model), machine_named(machine), options);
  EXPECT_TRUE(serving.ok()) << serving.error().message;
  return std::move(serving).value();
}

struct Case {
  std::string_view model, machine;
};
class LlmSearch : public testing::TestWithParam<Case> {};

TEST_P(LlmSearch, IsNeverBehindTheRivals) {
  Serving serving = serving_of(GetParam().model, GetParam().machine, {.cache = {.context = 8192}});
  const PlacementSearch found = find_placement(serving, {.judgements = 300});
  ASSERT_FALSE(found.rivals.empty());
  for (const JudgedRival& rival : found.rivals) {  // within a tie
    if (!rival.verdict.fits) continue;
    EXPECT_TRUE(found.best.verdict.fits);
    EXPECT_LE(found.best.verdict.request_s, 1.03 * rival.verdict.request_s) << rival.name;
  }
  // What is said of the best is what the simulator says of its plan, which is legal.
  const Plan plan = serving.plan_of(found.best.placement, Phase::kDecode);
  EXPECT_EQ(verify(serving.problem(Phase::kDecode), plan), std::nullopt);
  EXPECT_EQ(simulate(serving.problem(Phase::kDecode), plan), found.best.verdict.decode);
  EXPECT_EQ(placement_of(found.best.shape, serving), found.best.placement);
}

INSTANTIATE_TEST_SUITE_P(Machines, LlmSearch,
                         testing::Values(Case{"llama-8b", "rtx4090-3060"}, Case{"llama-70b", "rtx4090-3060"},
                                         Case{"mixtral-8x7b", "rtx4090-3060"}, Case{"llama-8b", "a100-v100"},
                                         Case{"llama-70b", "a100-v100"}, Case{"mixtral-8x7b", "a100-v100"},
                                         Case{"llama-8b", "core-ultra"}, Case{"llama-70b", "core-ultra"},
                                         Case{"mixtral-8x7b", "core-ultra"}, Case{"llama-8b", "one-card"},
                                         Case{"llama-70b", "one-card"}, Case{"mixtral-8x7b", "one-card"}));

TEST(LlmSearch, IsDeterministic) {
  Serving first = serving_of("mixtral-8x7b", "one-card"), second = serving_of("mixtral-8x7b", "one-card");
  EXPECT_EQ(find_placement(first, {.judgements = 100}).best.placement,
            find_placement(second, {.judgements = 100}).best.placement);
}

TEST(Serving, DepthsAreThoseOfTheRequest) {
  ServingOptions options{.cache = {.context = 32768, .prompt_batch = 512}, .mix = {.prompt = 8000, .generated = 400}};
  EXPECT_EQ(options.decode_depth(), 8200);
  EXPECT_EQ(options.prefill_depth(), (8000 - 512) / 2);
  EXPECT_EQ(options.batches_in_a_row(), 4) << "of a logical batch of 2,048";
  options.cache.context = 4096;
  EXPECT_EQ(options.decode_depth(), 4096);
  options.depth = 1000;
  EXPECT_EQ(options.decode_depth(), 1000);
  EXPECT_EQ(options.prefill_depth(), 1000);
  const ServingOptions decode{.mix = {.prompt = 0, .generated = 1}};
  EXPECT_EQ(decode.decode_depth(), -1) << "a full cache";
  EXPECT_EQ(decode.prefill_depth(), 0);
}

TEST(Serving, PromptsSlowDownWithDepth) {
  const auto prefill_s = [](std::int64_t depth) {
    Serving serving = serving_of("llama-8b", "one-card", {.cache = {.context = 65536}, .depth = depth});
    return serving.judge(Placement::all_on(DeviceId{1}, 32)).prefill_s;
  };
  EXPECT_GT(prefill_s(32768), 1.5 * prefill_s(0));
}

// Two equal cards with half of the layers each: of four batches the first takes two turns, each of the others one.
TEST(Serving, PromptsArePipelinedOverGpus) {
  ServingOptions options{.cache = {.context = 8192}, .mix = {.prompt = 2048, .generated = 1}};
  Serving serving = serving_of("llama-8b", "rtx3090x2", options);
  Placement placement = Placement::all_on(DeviceId{1}, 32);
  placement.input = serving.cpu();
  EXPECT_FALSE(serving.judge(placement).pipelined) << "one card";
  for (std::int64_t layer = 16; layer < 32; ++layer) placement.set_layer(layer, DeviceId{2});
  placement.output = DeviceId{2};
  const Verdict both = serving.judge(placement);
  EXPECT_TRUE(both.pipelined);
  EXPECT_NEAR(both.prompt_s / both.prefill_s, (1.0 + 3.0 * 0.5) / 4.0, 0.05);
  placement.moved[0][0] = serving.cpu();
  const Verdict overridden = serving.judge(placement);
  EXPECT_FALSE(overridden.pipelined) << "-ot turns it off";
  EXPECT_EQ(overridden.prompt_s, overridden.prefill_s);
}

TEST(Serving, AGpuKeepsToItsShareOfAPool) {
  const auto fits = [](std::int64_t context) {
    Serving serving = serving_of("llama-70b", "m1-max", {.cache = {.context = context}});
    Placement placement = Placement::all_on(DeviceId{1}, 80);
    placement.input = serving.cpu();
    return serving.judge(placement).fits;
  };
  EXPECT_TRUE(fits(4096)) << "40 GiB of weights and 1.3 of cache, of 48";
  EXPECT_FALSE(fits(32768)) << "10 GiB of cache: 64 GiB would hold it, the GPU's 48 do not";
}

TEST(LlmSearch, WhatDoesNotFitIsOverByTheLeast) {
  Serving serving = serving_of("deepseek-v3", "rtx4090-3060");
  const PlacementSearch found = find_placement(serving, {.judgements = 100});
  EXPECT_FALSE(found.best.verdict.fits);
  EXPECT_EQ(found.best.verdict.over, serving.overflow(found.best.placement));
  for (const JudgedRival& rival : found.rivals) EXPECT_LE(found.best.verdict.over, rival.verdict.over) << rival.name;
}

TEST(LlmSearch, ASmallModelStaysOnTheFastCard) {
  Serving serving = serving_of("llama-8b", "rtx4090-3060");
  const PlacementSearch found = find_placement(serving, {.judgements = 100});
  for (const DeviceId home : found.best.placement.home) EXPECT_EQ(home, DeviceId{1});
  EXPECT_EQ(found.best.placement.input, DeviceId{0}) << "llama.cpp keeps the words on the CPU";
}

TEST(LlmSearch, PinsAndExclusionsHold) {
  ServingOptions options;
  options.pinned.assign(32, kNoDevice);
  options.pinned[31] = DeviceId{2};
  Serving pinned = serving_of("llama-8b", "rtx4090-3060", options);
  const PlacementSearch found = find_placement(pinned, {.judgements = 300});
  EXPECT_EQ(found.best.verdict.unpinned, 0);
  EXPECT_EQ(found.best.placement.home[31], DeviceId{2});
  Serving without = serving_of("llama-8b", "rtx4090-3060", {.excluded = device_bit(DeviceId{1})});
  for (const DeviceId home : find_placement(without, {.judgements = 50}).best.placement.home)
    EXPECT_EQ(home, DeviceId{2});
}

TEST(LlmSearch, VllmUsesWholeStagesOnGpus) {
  Serving serving = serving_of("llama-70b", "a100-v100", {.runtime = Runtime::kVllm});
  const PlacementSearch found = find_placement(serving, {.judgements = 100});
  EXPECT_TRUE(found.best.verdict.fits);
  EXPECT_NE(found.best.placement.input, serving.cpu());
  for (std::size_t i = 0; i < found.best.placement.home.size(); ++i) {
    const DeviceId home = found.best.placement.home[i];
    EXPECT_NE(home, serving.cpu());
    EXPECT_EQ(found.best.placement.moved[i], (std::array{home, home, home}));
  }
}

TEST(LlmSearch, AccelerateCopiesWhatIsOnTheCpu) {
  Serving serving = serving_of("llama-8b", "one-card", {.runtime = Runtime::kAccelerate});
  Placement placement = Placement::all_on(DeviceId{1}, 32);
  const Verdict all = serving.judge(placement);
  placement.set_layer(31, DeviceId{0});
  const Verdict streamed = serving.judge(placement);
  const double copy_s = static_cast<double>(serving.layer_bytes(31)) / 25e9;  // with its cache, which stays
  EXPECT_GT(streamed.decode_s, all.decode_s);
  EXPECT_LT(streamed.decode_s, all.decode_s + copy_s);
}

TEST(LlmSearch, LlamaCppCopiesWeightsToComputePrompts) {
  Serving serving = serving_of("llama-8b", "one-card");
  Placement placement = Placement::all_on(DeviceId{1}, 32);
  placement.input = DeviceId{0};
  const Verdict all = serving.judge(placement);
  placement.moved[31] = {DeviceId{0}, DeviceId{0}, DeviceId{0}};
  const Verdict copied = serving.judge(placement);
  double bytes = 0.0;
  for (const Part part : {Part::kGate, Part::kUp, Part::kDown}) {
    bytes += static_cast<double>(serving.part_bytes(31, part));
  }
  EXPECT_DOUBLE_EQ(copied.prefill_copies_s, bytes / 25e9);
  EXPECT_DOUBLE_EQ(copied.prefill_s, all.prefill_s + copied.prefill_copies_s) << "computed on the GPU all the same";
  EXPECT_EQ(copied.decode_copies_s, 0.0);
  EXPECT_GT(copied.decode_s, all.decode_s) << "one token is computed on the CPU";
  Bytes largest = 0;
  for (const Part part : {Part::kGate, Part::kUp, Part::kDown}) {
    largest = std::max(largest, serving.part_bytes(31, part));
  }
  EXPECT_EQ(serving.loads(placement)[1].copies, largest);
  Serving few = serving_of("llama-8b", "one-card", {.cache = {.prompt_batch = 16}});
  EXPECT_EQ(few.judge(placement).prefill_copies_s, 0.0);
}

TEST(LlmSearch, AccelerateNeedsRoomForOneLayerAtATime) {
  Serving serving = serving_of("llama-70b", "rtx4090-3060", {.runtime = Runtime::kAccelerate});
  const PlacementSearch found = find_placement(serving, {.judgements = 300});
  EXPECT_TRUE(found.best.verdict.fits);
  EXPECT_EQ(found.best.shape.blocks.size(), 2U) << "both cards are used";
  for (const JudgedRival& rival : found.rivals) {
    if (rival.name != "layer filling") continue;
    EXPECT_TRUE(rival.verdict.fits);
  }
}

TEST(LlmSearch, NoPatternsForNothing) {
  Serving serving = serving_of("gemma2-9b", "core-ultra");
  const PlacementSearch found = find_placement(serving);
  ASSERT_EQ(found.best.shape.blocks.size(), 1U);
  EXPECT_EQ(found.best.shape.blocks[0].moved, 0) << "a tensor on the CPU gains less than anybody can measure";
}

TEST(LlmSearch, MarginsStayFree) {
  Serving serving = serving_of("llama-70b", "rtx4090-3060", {.margin = {0, Bytes{2} << 30, 0}});
  const PlacementSearch found = find_placement(serving, {.judgements = 100});
  const Bytes used =
      serving.loads(found.best.placement)[1].sum() + serving.reserved(DeviceId{1}) + serving.activations();
  EXPECT_GE(serving.machine().capacity(DeviceId{1}) - used, Bytes{2} << 30);
  Serving brim = serving_of("llama-70b", "rtx4090-3060");
  EXPECT_EQ(brim.capacity(DeviceId{1}) - serving.capacity(DeviceId{1}), Bytes{2} << 30);
}

// llama.cpp (common/fit.cpp): layers by memory if that fits; else from the last GPU to the first.
TEST(Rivals, FitFillsFromTheLastGpu) {
  const Serving small = serving_of("llama-8b", "rtx4090-3060");
  EXPECT_EQ(fitted(small).cpu_layers, 0);
  EXPECT_EQ(fitted(small).blocks.size(), 2U) << "both cards, by their memory";
  const Serving large = serving_of("llama-70b", "rtx4090-3060");
  const Shape shape = fitted(large);
  EXPECT_EQ(shape, filled(large, large.accelerators()));
  EXPECT_GT(shape.cpu_layers, 0);
}

TEST(Rivals, FitOfAMixtureKeepsExpertsOfTheLastLayersOnTheCpu) {
  const Serving serving = serving_of("mixtral-8x22b", "rtx4090-3060");
  const Shape shape = fitted(serving);
  ASSERT_EQ(shape.blocks.size(), 2U);
  EXPECT_EQ(shape.cpu_layers, 0);
  EXPECT_EQ(shape.blocks[0].moved, 0) << "whole layers on the first card";
  EXPECT_GT(shape.blocks[1].moved, 0);
  EXPECT_EQ(serving.overflow(placement_of(shape, serving)), 0);
}

TEST(WhatIf, MoreIsNeverWorse) {
  const ServingOptions options{.cache = {.context = 8192}, .mix = {2000.0, 300.0}};
  Serving serving = serving_of("mixtral-8x7b", "rtx4090-3060", options);
  const PlacementSearch found = find_placement(serving);
  for (const WhatIf& what :
       ask_what_ifs(serving.shared_model(), machine_named("rtx4090-3060"), options, found.best.placement)) {
    if (what.change.find("cache") != std::string::npos) continue;
    EXPECT_LE(what.request_s, found.best.verdict.request_s) << what.change;
  }
}

TEST(LargestContext, FitsAndTheNextDoesNot) {
  const auto model = model_named("llama-8b");
  const auto machine = machine_named("one-card");
  const auto context = largest_context(model, machine, {}, true, 1 << 20);
  ASSERT_TRUE(context.ok());
  EXPECT_GT(*context, 65'536);
  ServingOptions options;
  const Placement all = [] {
    Placement placement = Placement::all_on(DeviceId{1}, 32);
    placement.input = DeviceId{0};
    return placement;
  }();
  options.cache.context = *context;
  EXPECT_EQ(Serving::make(model, machine, options)->overflow(all), 0);
  options.cache.context = *context + kCellPadding;
  EXPECT_GT(Serving::make(model, machine, options)->overflow(all), 0);
}

TEST(Rivals, MemoryProportionalSplitsLikeLlamaCpp) {
  const Serving serving = serving_of("llama-8b", "rtx4090-3060");
  const Shape shape = proportional(serving, serving.accelerators());
  ASSERT_EQ(shape.blocks.size(), 2U);
  const double share = static_cast<double>(serving.capacity(DeviceId{1})) /
                       static_cast<double>(serving.capacity(DeviceId{1}) + serving.capacity(DeviceId{2}));
  EXPECT_NEAR(static_cast<double>(shape.blocks[0].layers), 33 * share, 1.0);
  EXPECT_EQ(shape.cpu_layers, 0);
}

}  // namespace
}  // namespace berth::llm
