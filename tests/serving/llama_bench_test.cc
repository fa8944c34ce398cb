// SPDX-License-Identifier: Apache-2.0
#include "serving/files/llama_bench.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "machine/library.h"
#include "serving/architecture.h"
#include "serving/presets.h"

namespace berth {
namespace {

constexpr DeviceId kProcessor{0}, kLarge{1}, kSmall{2};

std::string words_of(std::string_view preset, const llm::Placement& placement, const llm::CacheSettings& cache = {}) {
  const Machine machine = builtin_machine("rtx4090-3060").value();
  const RuntimeDevices devices(machine);
  const llm::Model model = llm::build_model("m", llm::find_preset(preset)->config, "q4_k_m");
  return join(bench_words(llama_flags(model, devices, placement, cache), devices), " ");
}

std::string bench_error(const std::string& text) {
  const auto read = read_bench_speeds(text);
  return read ? fmt::format("{} speeds", read->size()) : read.error().message;
}

// llama-bench takes several values separated by commas for everything, and runs each.
TEST(LlamaBench, ListsAreSeparatedBySlashes) {
  llm::Placement placement = llm::Placement::all_on(kLarge, 32);
  for (std::int64_t layer = 20; layer < 32; ++layer) placement.set_layer(layer, kSmall);
  placement.output = kSmall;
  placement.input = kProcessor;
  EXPECT_EQ(words_of("llama-8b", placement), "-ngl 33 -dev CUDA0/CUDA1 -ts 20/13");
  const llm::Placement alone = llm::Placement::all_on(kProcessor, 32);
  EXPECT_EQ(words_of("llama-8b", alone), "-ngl 0 -dev none");
}

TEST(LlamaBench, BatchesCachesAndExpertsAreSaid) {
  llm::CacheSettings cache;
  cache.prompt_batch = 4096;
  cache.key_type = cache.value_type = llm::find_ggml_type("q8_0");
  llm::Placement placement = llm::Placement::all_on(kLarge, 32);
  placement.input = kProcessor;
  for (std::size_t layer = 0; layer < 3; ++layer) placement.moved[layer] = {kProcessor, kProcessor, kProcessor};
  EXPECT_EQ(words_of("mixtral-8x7b", placement, cache),
            "-ngl 33 -dev CUDA0 -b 4096 -ub 4096 -fa on -ctk q8_0 -ctv q8_0 -ncmoe 3");
  placement.moved[5] = {kProcessor, kProcessor, kProcessor};
  const std::string words = words_of("mixtral-8x7b", placement);
  EXPECT_NE(words.find(" -ot "), std::string::npos) << words;
  EXPECT_NE(words.find("=CPU"), std::string::npos) << words;
}

TEST(LlamaBench, SpeedsAreMedians) {
  const auto speeds = read_bench_speeds(R"([
    {"n_prompt": 512, "n_gen": 0, "n_depth": 744, "avg_ts": 1.0, "samples_ts": [90.0, 110.0, 100.0], "cpu_info": "x"},
    {"n_prompt": 0, "n_gen": 32, "avg_ts": 7.5}
  ])");
  ASSERT_TRUE(speeds) << speeds.error().message;
  ASSERT_EQ(speeds->size(), 2U);
  EXPECT_EQ((*speeds)[0].prompt, 512);
  EXPECT_EQ((*speeds)[0].depth, 744);
  EXPECT_EQ((*speeds)[0].tokens_per_s, 100.0);
  EXPECT_EQ((*speeds)[1].answer, 32);
  EXPECT_EQ((*speeds)[1].depth, 0);
  EXPECT_EQ((*speeds)[1].tokens_per_s, 7.5);
}

TEST(LlamaBench, GarbageIsRefusedInOneLine) {
  for (const char* text :
       {"", "| model | size |", "error: unknown", "{}", "[", "[1]", "[{}]", "[]}, \"tests\": [{}]",
        R"([{"n_prompt": 1, "n_gen": 0}])", R"([{"n_prompt": 1, "n_gen": 0, "avg_ts": -3}])",
        R"([{"n_prompt": 1, "n_gen": 0, "avg_ts": 1e300}])", R"([{"n_prompt": 1, "n_gen": 0, "samples_ts": []}])",
        R"([{"n_prompt": "x", "n_gen": 0, "avg_ts": 3}])"}) {
    const std::string error = bench_error(text);
    EXPECT_EQ(error.find("speeds"), std::string::npos) << text;
    EXPECT_EQ(error.find('\n'), std::string::npos) << text;
  }
  EXPECT_EQ(bench_error("nonsense"), "it printed no JSON list of tests (llama-bench -o json)");
  EXPECT_EQ(bench_error("[]"), "0 speeds");
}

}  // namespace
}  // namespace berth
