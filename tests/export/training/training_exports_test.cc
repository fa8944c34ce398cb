// SPDX-License-Identifier: Apache-2.0
// Pipelines for frameworks: what they are made of, and what each framework cannot run, in one line.
#include "export/training/training_exports.h"

#include <gtest/gtest.h>

#include <charconv>

#include "base/text.h"
#include "export/training/equal_lanes.h"
#include "export/training/one_f_one_b.h"
#include "export/training/schedule_csv.h"
#include "support/toy.h"

namespace berth {
namespace {

constexpr std::string_view kTwoStages = "wte,h.0@0; h.1,ln_f@1";
constexpr std::string_view kTwo1f1b = "0F0 0F1 0B0 0B1 | 1F0 1B0 1F1 1B1";

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

PipelineAction action(std::string_view word) {
  const std::size_t at = word.find_first_of("FBIW");
  const std::string_view letters = "FBIW";
  return {.kind = static_cast<ActionKind>(letters.find(word[at])),
          .stage = number(word.substr(0, at)),
          .microbatch = number(word.substr(at + 1))};
}

// Stages "layers@devices", '!' behind them for recomputation; lists in the CSV's words, by device.
PipelinePlan pipeline(std::string_view stages, std::string_view lists) {
  PipelinePlan plan{.microbatches = 0, .schedule = "own"};
  for (std::string_view word : split(stages, ';')) {
    PipelineStage stage;
    word = trim(word);
    stage.recompute = word.ends_with('!');
    if (stage.recompute) word.remove_suffix(1);
    const auto parts = split(word, '@');
    for (const std::string_view layer : split(parts[0], ',')) stage.layers.emplace_back(layer);
    for (const std::string_view device : split(parts[1], ',')) stage.devices.push_back(DeviceId(number(device)));
    plan.stages.push_back(stage);
  }
  for (const std::string_view list : split(lists, '|')) {
    plan.actions.emplace_back();
    for (const std::string_view word : split(trim(list), ' ')) {
      if (word.empty()) continue;
      plan.actions.back().push_back(action(word));
      plan.microbatches = std::max(plan.microbatches, plan.actions.back().back().microbatch + 1);
    }
  }
  return plan;
}

class TrainingExports : public testing::Test {
 protected:
  Result<Exported> exported(std::string_view format, const PipelinePlan& plan, std::string prefix = "") {
    EXPECT_EQ(check_lists(plan, problem_.machine()).ok(), true);
    for (const ExportFormat& known : training_exports()) {
      if (known.name == format) {
        return known.make_of_pipeline({.problem = problem_, .plan = plan, .module_prefix = std::move(prefix)});
      }
    }
    return bad_input("no format {}", format);
  }
  std::string file(std::string_view format, const PipelinePlan& plan, std::string_view name = "") {
    const auto made = exported(format, plan);
    if (!made) return made.error().message;
    for (const ExportedFile& one : made->files) {
      if (one.name == name) return one.text;
    }
    return "no such file";
  }
  std::string refused(std::string_view format, const PipelinePlan& plan, std::string prefix = "") {
    const auto made = exported(format, plan, std::move(prefix));
    return made ? "not refused" : made.error().message;
  }
  std::vector<PipelineLane> lanes(const PipelinePlan& plan) { return *lanes_of(plan, problem_.machine(), "it"); }

  Problem problem_ = toy_problem("a:1 -> b:1", "4 devices");
};

TEST_F(TrainingExports, ASchedulesListsAreLinesOfTheCsv) {
  const PipelinePlan plan = pipeline(kTwoStages, "0F0 0F1 0I0 0W0 0B1 | 1F0 1B0 1F1 1B1");
  EXPECT_EQ(file("torch-pipelining", plan, "schedule.csv"), "0F0,0F1,0I0,0W0,0B1\n1F0,1B0,1F1,1B1\n");
}

TEST_F(TrainingExports, RanksStandInTheOrderOfTheirFirstStages) {
  const PipelinePlan plan = pipeline("a@2; b@0; c@2", "1F0 1B0 | | 0F0 2F0 2B0 0B0");
  EXPECT_EQ(schedule_csv(lanes(plan).front()), "0F0,2F0,2B0,0B0\n1F0,1B0\n");
  EXPECT_EQ(stages_of(lanes(plan).front(), 0), (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(TrainingExports, MicrobatchesAreNumberedAsTheLastStageTakesThem) {
  const PipelinePlan plan = pipeline(kTwoStages, "0F1 0F0 0B1 0B0 | 1F1 1B1 1F0 1B0");
  EXPECT_EQ(schedule_csv(lanes(plan).front()), "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n");
  EXPECT_EQ(lanes(plan).front().microbatches, (std::vector<std::uint32_t>{1, 0}));
}

TEST_F(TrainingExports, ReplicasBecomePipelinesOfTheirOwn) {
  const PipelinePlan plan = pipeline("a@0,1; b@3,2", "0F0 0B0 0F2 0B2 | 0F1 0B1 | 1F1 1B1 | 1F0 1B0 1F2 1B2");
  const auto found = lanes(plan);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].ranks, (std::vector<DeviceId>{DeviceId(0), DeviceId(3)}));
  EXPECT_EQ(schedule_csv(found[0]), "0F0,0B0,0F1,0B1\n1F0,1B0,1F1,1B1\n");
  EXPECT_EQ(found[0].microbatches, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(schedule_csv(found[1]), "0F0,0B0\n1F0,1B0\n");
  const std::string manifest = file("torch-pipelining", plan, "pipeline.json");
  EXPECT_NE(manifest.find(R"({"schedule": "schedule1.csv", "ranks": [2, 3], "microbatches": [1]})"), std::string::npos);
  EXPECT_NE(manifest.find(R"({"device": "2", "torch": "cpu", "lane": 1, "stages": [1]})"), std::string::npos);
  EXPECT_NE(refused("torchtitan", plan).find("do not all run the same lists"), std::string::npos);
}

TEST_F(TrainingExports, ReplicasThatCannotBeTakenApartAreRefused) {
  EXPECT_EQ(
      refused("torch-pipelining", pipeline("a@0,1; b@2", "0F0 0B0 | 0F1 0B1 | 1F0 1B0 1F1 1B1")),
      "stage 0 has 2 devices and stage 1 has 1 device: torch.distributed.pipelining runs a pipeline of one rank per "
      "stage, once for every replica, so all stages need as many replicas, each with microbatches of its own");
  const PipelinePlan mixed = pipeline("a@0,1; b@2,3", "0F0 0F1 0B0 0B1 | 0F2 0B2 | 1F0 1B0 1F2 1B2 | 1F1 1B1");
  EXPECT_NE(refused("torch-pipelining", mixed).find("replicas of stage 0, share microbatches"), std::string::npos);
  EXPECT_NE(refused("torch-pipelining", pipeline("a@0,1; b@2,3", "0F0 0B0 | | 1F0 1B0 |")).find("1 has no microbatch"),
            std::string::npos);
}

TEST_F(TrainingExports, TheCutIsNamedByTheFirstModuleOfEveryStage) {
  const PipelinePlan plan = pipeline("m.wte,m.h.0@0; m.h.1@1!", kTwo1f1b);
  const auto made = exported("torch-pipelining", plan, "m");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_NE(made->files[0].text.find("\"split_points\": [\"h.1\"]"), std::string::npos) << made->files[0].text;
  EXPECT_NE(made->files[0].text.find(R"({"modules": ["h.1"], "recompute": true})"), std::string::npos);
  EXPECT_NE(refused("torch-pipelining", plan, "model").find("layer 'm.wte' is not inside 'model'"), std::string::npos);
  EXPECT_NE(refused("torch-pipelining", pipeline("a/b@0; c@1", kTwo1f1b)).find("'a/b'"), std::string::npos);
}

TEST_F(TrainingExports, WhatTorchDoesInAnotherWayIsNoted) {
  EXPECT_TRUE(exported("torch-pipelining", pipeline(kTwoStages, kTwo1f1b))->notes.empty());
  const auto notes = exported("torch-pipelining", pipeline("a@0; b@1!", "0F0 0I0 0W0 | 1F0 1I0 1W0"))->notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("backward pass of stage 0"), std::string::npos);
  EXPECT_NE(notes[1].find("once more in W"), std::string::npos);
}

TEST_F(TrainingExports, OneForwardOneBackwardIsKnown) {
  const auto is_it = [&](std::string_view stages, std::string_view lists) {
    return is_1f1b(lanes(pipeline(stages, lists)).front());
  };
  EXPECT_TRUE(is_it(kTwoStages, kTwo1f1b));
  EXPECT_FALSE(is_it(kTwoStages, "0F0 0F1 0B0 0B1 | 1F0 1F1 1B0 1B1")) << "gpipe";
  EXPECT_FALSE(is_it(kTwoStages, "0F0 0F1 0I0 0W0 0B1 | 1F0 1B0 1F1 1B1"));
  const std::string_view four = "a@0; b@1; c@0; d@1";
  // Rank 0 runs 2 * 1 + 2 = 4 passes ahead, which are all; rank 1 runs 2.
  EXPECT_TRUE(is_it(four, "0F0 0F1 2F0 2F1 2B0 2B1 0B0 0B1 | 1F0 1F1 3F0 3B0 3F1 3B1 1B0 1B1"));
  EXPECT_FALSE(is_it(four, "0F0 0F1 2F0 2F1 2B0 2B1 0B0 0B1 | 1F0 1F1 3F0 3F1 3B0 3B1 1B0 1B1"));
}

TEST_F(TrainingExports, StageOrdersAreKnown) {
  const auto order = [&](std::string_view stages, std::string_view lists) {
    return stage_order(lanes(pipeline(stages, lists)).front());
  };
  EXPECT_EQ(order("a@0; b@1; c@0; d@1", "0F0 2F0 2B0 0B0 | 1F0 3F0 3B0 1B0"), StageOrder::kLoop);
  EXPECT_EQ(order("a@0; b@1; c@1; d@0", "0F0 3F0 3B0 0B0 | 1F0 2F0 2B0 1B0"), StageOrder::kV);
  EXPECT_EQ(order("a@0; b@1; c@0", "0F0 2F0 2B0 0B0 | 1F0 1B0"), std::nullopt);
  EXPECT_EQ(order("a@0; b@0; c@1; d@1", "0F0 1F0 1B0 0B0 | 2F0 3F0 3B0 2B0"), std::nullopt);
}

TEST_F(TrainingExports, MegatronTakesALayout) {
  const PipelinePlan plan = pipeline("wte,wpe,h.0@0; h.1,h.2,ln_f,head@1", kTwo1f1b);
  EXPECT_EQ(file("megatron", plan),
            "--pipeline-model-parallel-size 2\n--pipeline-model-parallel-layout Et|ttL\n--num-layers 3\n");
  EXPECT_NE(file("megatron", pipeline("wte@0!; h.1,h.2,head@1!", kTwo1f1b))
                .find("layout E|ttL\n--num-layers 2\n--recompute-granularity full\n--recompute-method uniform\n"
                      "--recompute-num-layers 2\n"),
            std::string::npos);
  EXPECT_NE(file("megatron", pipeline("h.0@0; h.1@1", kTwo1f1b)).find("layout Et|tL\n"), std::string::npos);
}

TEST_F(TrainingExports, WhatMegatronCannotSayIsOneLine) {
  EXPECT_NE(
      refused("megatron", pipeline("h.0@0!; h.1@1", kTwo1f1b)).find("stage 0 runs its forward pass again and stage 1"),
      std::string::npos);
  EXPECT_NE(refused("megatron", pipeline("a@0; b@1", kTwo1f1b)).find("this model has none"), std::string::npos);
  EXPECT_NE(refused("megatron", pipeline("h.0,ln@0; head@1", kTwo1f1b)).find("'head' in another stage"),
            std::string::npos);
  EXPECT_NE(refused("megatron", pipeline("wte@0; wpe,h.0@1", kTwo1f1b)).find("'wpe' in another stage"),
            std::string::npos);
  EXPECT_NE(refused("megatron", pipeline("h.0,mid,h.1@0; h.2@1", kTwo1f1b)).find("'mid' there"), std::string::npos);
  const std::string_view gpipe = "0F0 0F1 0B0 0B1 | 1F0 1F1 1B0 1B1";
  EXPECT_NE(refused("megatron", pipeline("h.0@0; h.1@1", gpipe)).find("this pipeline's lists are others (own)"),
            std::string::npos);
}

TEST_F(TrainingExports, DeepSpeedTakesParts) {
  const std::string module = file("deepspeed", pipeline("wte,h.0@0!; h.1@1", kTwo1f1b), "pipeline_module.py");
  EXPECT_NE(module.find("LAYERS = [\n    \"wte\",\n    \"h.0\",\n    \"h.1\",\n]\nPARTS = [0, 2, 3]"),
            std::string::npos)
      << module;
  EXPECT_NE(module.find("RECOMPUTE = [True, False]"), std::string::npos);
  EXPECT_EQ(file("deepspeed", pipeline(kTwoStages, kTwo1f1b), "ds_config.json"),
            "{\n  \"train_micro_batch_size_per_gpu\": 1,\n  \"gradient_accumulation_steps\": 2\n}\n");
  EXPECT_NE(refused("deepspeed", pipeline("a@0; b@1; c@0", "0F0 2F0 2B0 0B0 | 1F0 1B0")).find("3 stages on 2 ranks"),
            std::string::npos);
  EXPECT_NE(refused("deepspeed", pipeline("a\"b@0; c@1", kTwo1f1b)).find("has a name"), std::string::npos);
}

TEST_F(TrainingExports, TorchtitanTakesModulesAndTheCsv) {
  const PipelinePlan plan = pipeline("tok_embeddings,layers.0@0; layers.1,norm@1", kTwo1f1b);
  const std::string module = file("torchtitan", plan, "parallelism.py");
  EXPECT_NE(module.find("        [\"tok_embeddings\", \"layers.0\"],\n        [\"layers.1\", \"norm\"],\n"),
            std::string::npos)
      << module;
  EXPECT_NE(module.find("\"pipeline_parallel_schedule\": \"1F1B\""), std::string::npos);
  const PipelinePlan v = pipeline("a@0; b@1; c@1; d@0", "0F0 3F0 3B0 0B0 | 1F0 2F0 2B0 1B0");
  EXPECT_NE(file("torchtitan", v, "parallelism.py").find("\"ZBVZeroBubble\""), std::string::npos);
  EXPECT_NE(refused("torchtitan", pipeline("encoder.layer.0@0; h@1", kTwo1f1b)).find("'encoder.layer.0'"),
            std::string::npos);
  EXPECT_NE(refused("torchtitan", pipeline("a@0; b@0; c@1; d@1", "0F0 1F0 1B0 0B0 | 2F0 3F0 3B0 2B0"))
                .find("in another order"),
            std::string::npos);
}

}  // namespace
}  // namespace berth
