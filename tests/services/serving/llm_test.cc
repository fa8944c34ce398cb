// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "services/serving/llm_export.h"
#include "services/serving/llm_facts.h"
#include "services/serving/llm_html.h"
#include "services/serving/llm_options.h"
#include "services/serving/llm_problems.h"

namespace berth {
namespace {

LlmRequest small_request() {
  return {.model = "llama-8b", .machine = "rtx4090-3060", .context = 4096, .what_if = false};
}

std::string error_of(const LlmRequest& request) {
  const Result<LlmAnswer> answer = answer_llm(request);
  return answer ? "no error" : answer.error().message;
}

DeviceId device_named(const LlmAnswer& answer, std::string_view name) {
  for (const DeviceId id : answer.machine->device_ids()) {
    if (answer.machine->device(id).name == name) return id;
  }
  return kNoDevice;
}

TEST(Llm, SmallModelIsOnGpusAndEveryLayerHasAHome) {
  const Result<LlmAnswer> answer = answer_llm(small_request());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->verdict().fits);
  EXPECT_GE(answer->context_at_all, answer->context_on_gpus);
  EXPECT_GT(answer->context_on_gpus, 4096);
  std::size_t layers = 0;
  for (const LlmDeviceUse& use : device_uses(*answer)) {
    layers += use.layers.size();
    EXPECT_EQ(use.free, use.capacity - use.weights - use.cache - use.runtime);  // no memory is shared here
    EXPECT_GE(use.free, 0);
  }
  EXPECT_EQ(layers, static_cast<std::size_t>(answer->model->config.layers));
}

TEST(Llm, ProblemsSayWhereAndWhatToDo) {
  LlmRequest request = small_request();
  request.model = "llama-70b";
  request.machine = "rtx3090";
  request.weights = "q8_0";
  request.context = 131'072;
  const Result<LlmAnswer> long_context = answer_llm(request);
  ASSERT_TRUE(long_context) << long_context.error().message;
  ASSERT_FALSE(long_context->verdict().fits);
  const std::vector<LlmProblem> problems = problems_of(*long_context);
  ASSERT_FALSE(problems.empty());
  EXPECT_FALSE(problems[0].where.empty());
  EXPECT_NE(problems[0].remedy.find(fmt::format("--ctx {}", long_context->context_at_all)), std::string::npos);
  request.model = "deepseek-v3";
  request.weights = "";
  const Result<LlmAnswer> large = answer_llm(request);
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_NE(line_of(problems_of(*large)[0]).find("from a disk of 3 GB/s (mmap)"), std::string::npos);
}

// The y of "<text x=... y=\"...\">8 at once: ...", of every such label.
bool labels_keep_apart(const std::string& page) {
  std::vector<double> places;
  for (std::size_t at = page.find(" at once: "); at != std::string::npos; at = page.find(" at once: ", at + 1)) {
    places.push_back(std::stod(page.substr(page.rfind("y=\"", at) + 3)));
  }
  std::ranges::sort(places);
  const auto too_near = [](double a, double b) { return b - a < 12.0; };
  return places.size() > 1 && std::ranges::adjacent_find(places, too_near) == places.end();
}

TEST(Llm, PagesShowEveryDeviceAndLayer) {
  LlmRequest request = small_request();
  request.what_if = true;
  const Result<LlmAnswer> answer = answer_llm(request);
  ASSERT_TRUE(answer) << answer.error().message;
  const Result<std::string> page = llm_html(*answer);
  ASSERT_TRUE(page) << page.error().message;
  for (const char* word :
       {"layer 31 on gpu0", "Memory over the context", "8 at once", "a second rtx4090", "To paste", "-ngl"}) {
    EXPECT_NE(page->find(word), std::string::npos) << word;
  }
  EXPECT_TRUE(labels_keep_apart(*page));
  EXPECT_EQ(page->find("<script"), std::string::npos);
  EXPECT_EQ(*page, *llm_html(*answer)) << "same answer, same bytes";
}

TEST(Llm, PinsReservesAndExclusionsHold) {
  LlmRequest request = small_request();
  request.pins = {"0-3=cpu"};
  request.reserves = {"gpu0=1GiB"};
  request.without = {"gpu1"};
  const Result<LlmAnswer> answer = answer_llm(request);
  ASSERT_TRUE(answer) << answer.error().message;
  for (std::size_t layer = 0; layer < 4; ++layer) EXPECT_EQ(answer->placement().home[layer], answer->serving->cpu());
  const DeviceId gpu = device_named(*answer, "gpu0");
  EXPECT_EQ(answer->options.reserve[index(gpu)], Bytes{1} << 30);
  EXPECT_EQ(answer->serving->accelerators(), std::vector{gpu});
}

TEST(Llm, LastDeviceIsUsedOnlyIfItIsNeeded) {
  LlmRequest request = small_request();
  request.last = {"gpu1"};
  const Result<LlmAnswer> small = answer_llm(request);
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_EQ(std::ranges::count(small->placement().home, device_named(*small, "gpu1")), 0);
  request.model = "llama-70b";
  const Result<LlmAnswer> large = answer_llm(request);
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_GT(std::ranges::count(large->placement().home, device_named(*large, "gpu1")), 0);
}

TEST(Llm, GivenFlagsAreJudgedAndNeverFasterThanOurs) {
  LlmRequest request = small_request();
  request.given_flags = "-ngl 10 -ts 1,1";
  const Result<LlmAnswer> answer = answer_llm(request);
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_TRUE(answer->given);
  EXPECT_EQ(answer->given->source, "your flags");
  EXPECT_GE(answer->given->verdict.request_s, answer->verdict().request_s);
  const Outcome outcome = decode_outcome(*answer, answer->given->placement, "given");
  EXPECT_EQ(outcome.planner, "given");
  EXPECT_FALSE(verify(answer->serving->problem(llm::Phase::kDecode), outcome.plan));
}

TEST(Llm, PlansOfAnAnswerAreVerifiedAndABugEndsTheProgram) {
  LlmRequest request = small_request();
  request.what_if = true;
  const Result<LlmAnswer> answer = answer_llm(request);
  ASSERT_TRUE(answer) << answer.error().message;
  check_verified(*answer);
  LlmAnswer broken = *answer;
  broken.search.best.placement.home[3] = kNoDevice;
  EXPECT_EXIT(check_verified(broken), testing::ExitedWithCode(3), "the plan of 'llm' is legal, but op .* is on no");
  broken = *answer;
  broken.search.rivals.back().placement.output = kNoDevice;
  EXPECT_EXIT(check_verified(broken), testing::ExitedWithCode(3), "is on no device");
  broken = *answer;
  broken.what_ifs.back().placement.input = kNoDevice;
  EXPECT_EXIT(check_verified(broken), testing::ExitedWithCode(3), broken.what_ifs.back().change);
}

TEST(Llm, WordsThatNameNothingAreRefused) {
  LlmRequest request = small_request();
  request.pins = {"0-99=gpu0"};
  EXPECT_EQ(error_of(request), "--pin: '0-99' names no layers from 0 to 31");
  request = small_request();
  request.without = {"gpu7"};
  EXPECT_TRUE(error_of(request).starts_with("--without: machine rtx4090-3060 has no device 'gpu7'"));
  request = small_request();
  request.depth = 5000;
  EXPECT_EQ(error_of(request), "--depth: 5000 tokens are more than the context of 4096 holds");
  request = small_request();
  request.runtime = llm::Runtime::kVllm;
  request.cache_type = "q8_0";
  EXPECT_EQ(error_of(request), "--cache-type: vllm keeps no cache of type q8_0; it takes f16, bf16");
  EXPECT_FALSE(find_runtime("llama"));
  EXPECT_FALSE(find_mix("2000:"));
  EXPECT_EQ(find_mix("2000:300")->prompt, 2000.0);
}

TEST(Llm, OnlyPlansOfARuntimeArePastedIntoIt) {
  const Result<LlmAnswer> answer = answer_llm(small_request());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(text_to_paste(*answer, llm::Runtime::kLlamaCpp)->find("-ngl 33") != std::string::npos);
  EXPECT_FALSE(text_to_paste(*answer, llm::Runtime::kVllm));
  EXPECT_FALSE(text_to_paste(*answer, llm::Runtime::kAccelerate));
  LlmRequest request = small_request();
  request.runtime = llm::Runtime::kVllm;
  const Result<LlmAnswer> stages = answer_llm(request);
  ASSERT_TRUE(stages) << stages.error().message;
  EXPECT_TRUE(text_to_paste(*stages, llm::Runtime::kAccelerate));  // stages are a device map too
  EXPECT_TRUE(moved_tensors(*stages).empty());
}

TEST(Llm, SharesOfAStepAreSharesOfIt) {
  const Result<LlmAnswer> answer = answer_llm(small_request());
  ASSERT_TRUE(answer) << answer.error().message;
  const StepLimits limits = step_limits(*answer, llm::Phase::kDecode);
  EXPECT_EQ(limits.bound, StepBound::kMemory);  // one token at a time: every weight is read for it
  ASSERT_FALSE(limits.devices.empty());
  EXPECT_LE(limits.devices.front().second, 1.0 + 1e-9);
  EXPECT_GE(limits.devices.front().second, limits.devices.back().second);
}

}  // namespace
}  // namespace berth
