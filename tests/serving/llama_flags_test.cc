// SPDX-License-Identifier: Apache-2.0
#include "serving/files/llama_flags_reader.h"

#include <gtest/gtest.h>

#include "machine/devices.h"
#include "machine/library.h"
#include "serving/architecture.h"
#include "serving/files/device_map.h"
#include "serving/files/layer_pattern.h"
#include "serving/presets.h"

namespace berth {
namespace {

constexpr DeviceId kCpu{0}, kFirst{1}, kSecond{2};

const Machine& machine() {
  static const Machine desktop = builtin_machine("rtx4090-3060").value();
  return desktop;
}
llm::Model spec_model(std::string_view name) { return llm::build_model("m", llm::find_preset(name)->config, "q4_k_m"); }

std::string line_of(const llm::Model& model, const llm::Placement& placement, llm::CacheSettings cache = {}) {
  const RuntimeDevices devices(machine());
  return flag_line(llama_flags(model, devices, placement, cache), devices);
}
llm::Placement read_back(const llm::Model& model, std::string_view line) {
  const RuntimeDevices devices(machine());
  const auto flags = parse_llama_flags(line, devices);
  EXPECT_TRUE(flags.ok()) << flags.error().message;
  const auto read = placement_of_flags(*flags, model, machine(), devices);
  EXPECT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->notes.empty());
  return read->placement;
}
std::string flags_error(std::string_view line) {
  const RuntimeDevices devices(machine());
  const auto flags = parse_llama_flags(line, devices);
  if (!flags) return flags.error().message;
  const auto read = placement_of_flags(*flags, spec_model("llama-8b"), machine(), devices);
  return read ? "fine" : read.error().message;
}

TEST(NumberPattern, IsShort) {
  const auto never = [](std::int64_t) { return false; };
  const auto pattern = [&](std::vector<std::int64_t> numbers) { return number_pattern(numbers, 100, never); };
  EXPECT_EQ(pattern({22, 23, 24, 25, 26, 27, 28, 29, 30}), "2[2-9]|30");
  EXPECT_EQ(pattern({0, 1, 2, 3}), "[0-3]");
  EXPECT_EQ(pattern({5}), "5");
  EXPECT_EQ(pattern({1, 3, 5}), "[135]");
  EXPECT_EQ(pattern({10, 11, 20, 21}), "[12][01]");
  std::vector<std::int64_t> twenties;
  for (std::int64_t i = 20; i < 30; ++i) twenties.push_back(i);
  EXPECT_EQ(number_pattern(twenties, 100, never), "2\\d");
  // Beyond the last layer there is nothing to avoid.
  EXPECT_EQ(number_pattern(std::vector<std::int64_t>{30, 31}, 32, never), "3\\d");
}

TEST(LlamaFlags, LayersByCountsAndExpertsByOnePattern) {
  const llm::Model model = spec_model("mixtral-8x7b");
  llm::Placement placement = llm::Placement::all_on(kCpu, 32);
  for (std::int64_t layer = 4; layer < 32; ++layer) placement.set_layer(layer, layer < 24 ? kFirst : kSecond);
  placement.output = kSecond;
  placement.tower = kFirst;
  EXPECT_EQ(line_of(model, placement), "-c 4096 -ngl 29 -dev CUDA0,CUDA1 -ts 20,9");
  for (auto& moved : placement.moved) moved = {kCpu, kCpu, kCpu};
  EXPECT_EQ(line_of(model, placement), "-c 4096 -ngl 29 -dev CUDA0,CUDA1 -ts 20,9 -ncmoe 32");
  EXPECT_EQ(read_back(model, line_of(model, placement)), placement);
}

TEST(LlamaFlags, FirstLayersOfExpertsByCount) {
  const llm::Model model = spec_model("mixtral-8x7b");
  llm::Placement placement = llm::Placement::all_on(kFirst, 32);
  placement.input = kCpu;
  for (std::size_t layer = 0; layer < 7; ++layer) placement.moved[layer] = {kCpu, kCpu, kCpu};
  EXPECT_EQ(line_of(model, placement), "-c 4096 -ngl 33 -dev CUDA0 -ncmoe 7");
  EXPECT_EQ(read_back(model, line_of(model, placement)), placement);
  placement.moved[9] = {kCpu, kCpu, kCpu};
  EXPECT_NE(line_of(model, placement).find(" -ot "), std::string::npos) << "there is a gap";
  const llm::Model plain = spec_model("llama-8b");
  placement.moved[9] = placement.moved[10];
  EXPECT_NE(line_of(plain, placement).find(" -ot "), std::string::npos) << "it has no experts";
}

TEST(LlamaFlags, NoDevicesAtAll) {
  const llm::Model model = spec_model("llama-8b");
  const llm::Placement placement = llm::Placement::all_on(kCpu, 32);
  EXPECT_EQ(line_of(model, placement), "-c 4096 -ngl 0 -dev none");
  EXPECT_EQ(read_back(model, "-ngl 99 -dev none"), placement);
}

TEST(LlamaFlags, OpenOnesAreFitted) {
  const RuntimeDevices devices(machine());
  const auto is_open = [&](std::string_view line) { return parse_llama_flags(line, devices)->leaves_it_open(); };
  EXPECT_TRUE(is_open("-c 4096"));
  EXPECT_TRUE(is_open("-ngl auto -fit on"));
  EXPECT_FALSE(is_open("-fit off"));
  EXPECT_FALSE(is_open("-ngl all"));
  EXPECT_FALSE(is_open("-ts 1,1"));
  EXPECT_EQ(flags_error("-fit perhaps"), "-fit \"perhaps\" is neither on nor off");
  EXPECT_EQ(parse_llama_flags("-b 256 -ub 1024", devices)->prompt_batch, 256);
  EXPECT_EQ(parse_llama_flags("--ngl 30", devices)->notes,
            std::vector<std::string>{"--ngl is skipped; did you mean -ngl?"});
  EXPECT_TRUE(parse_llama_flags("-t 8 -n 64 --host 0.0.0.0", devices)->notes.empty());
}

TEST(LlamaFlags, RangesOfLayers) {
  const llm::Model model = spec_model("qwen3-30b-a3b");
  llm::Placement placement = llm::Placement::all_on(kFirst, 48);
  placement.input = kCpu;
  for (std::size_t layer = 22; layer < 48; ++layer) placement.moved[layer] = {kCpu, kCpu, kCpu};
  placement.moved[21][1] = kSecond;
  const std::string line = line_of(model, placement, {.context = 8192, .key_type = llm::find_ggml_type("q8_0")});
  EXPECT_EQ(read_back(model, line), placement);
  EXPECT_TRUE(line.starts_with("-c 8192 -ngl 49 -dev CUDA0 -ctk q8_0 -ot ")) << line;
  EXPECT_LT(line.size(), 100U) << line;
}

TEST(LlamaFlags, LinesOfUsersAreRead) {
  const llm::Model model = spec_model("llama-8b");
  // 32 layers and the head: 3/4 of 33 are items 0 to 24.
  const llm::Placement placement =
      read_back(model, R"(llama-server -m "my model.gguf" -ngl 99 -ts 3,1 -c 8192 --port 80)");
  EXPECT_EQ(placement.home[24], kFirst);
  EXPECT_EQ(placement.home[25], kSecond);
  EXPECT_EQ(placement.output, kSecond);
  EXPECT_EQ(placement.input, kCpu);
  const llm::Placement part = read_back(model, "-ngl 10 -dev CUDA1");
  EXPECT_EQ(part.home[22], kCpu);
  EXPECT_EQ(part.home[23], kSecond) << "ten of 33, the head counted in";
  const llm::Placement experts = read_back(spec_model("mixtral-8x7b"), "-ngl all --n-cpu-moe 3");
  EXPECT_EQ(experts.moved[2][0], kCpu);
  EXPECT_NE(experts.moved[3][0], kCpu);
}

TEST(LlamaFlags, FeedForwardOfTheFirstLayers) {
  const llm::Placement dense = read_back(spec_model("llama-8b"), "-ngl all --n-cpu-ffn 3");
  EXPECT_EQ(dense.moved[2][0], kCpu);
  EXPECT_NE(dense.moved[3][0], kCpu);
  const llm::Placement mixture = read_back(spec_model("mixtral-8x7b"), "-ngl all -ncffn 3");
  EXPECT_NE(mixture.moved[2][0], kCpu) << "its experts are not meant";
}

TEST(LlamaFlags, LayersOfTheirOwnKindHaveShortPatterns) {
  // Layers 0 to 2 of DeepSeek-V3 are dense; the router of layer 3 begins like their gate.
  const llm::Model model = spec_model("deepseek-v3");
  llm::Placement placement = llm::Placement::all_on(kFirst, 61);
  placement.input = kCpu;
  for (std::size_t layer = 0; layer < 3; ++layer) placement.moved[layer] = {kCpu, kCpu, kCpu};
  EXPECT_EQ(line_of(model, placement), R"(-c 4096 -ngl 62 -dev CUDA0 -ot '\.[0-2]\.ffn_(down|gate|up)=CPU')");
  EXPECT_EQ(read_back(model, line_of(model, placement)), placement);
}

TEST(LlamaFlags, GpusOfOtherHostsAreBehindServers) {
  const llm::Model model = spec_model("mixtral-8x7b");
  const RuntimeDevices devices(machine(), {.servers = {"", "", "box:50052"}});
  llm::Placement placement = llm::Placement::all_on(kFirst, 32);
  placement.input = kCpu;
  for (std::int64_t layer = 20; layer < 32; ++layer) placement.set_layer(layer, kSecond);
  placement.output = kSecond;
  for (std::size_t layer = 0; layer < 20; ++layer) placement.moved[layer][1] = kSecond;
  const std::string line = flag_line(llama_flags(model, devices, placement, {}), devices);
  EXPECT_TRUE(line.starts_with("--rpc box:50052 -c 4096 -ngl 33 -dev CUDA0,RPC0 -ts 20,13 -ot ")) << line;
  EXPECT_NE(line.find("=RPC0[box:50052]"), std::string::npos) << line;
  const auto flags = parse_llama_flags(line, devices);
  ASSERT_TRUE(flags.ok()) << flags.error().message;
  EXPECT_EQ(placement_of_flags(*flags, model, machine(), devices)->placement, placement);
}

TEST(LlamaFlags, DevicesAreCalledByTheBackendOfTheirMaker) {
  EXPECT_EQ(default_backend(machine()), "CUDA");
  EXPECT_EQ(RuntimeDevices(machine(), {.backend = "hip"}).device_name(kFirst), "ROCm0");
  EXPECT_EQ(RuntimeDevices(machine(), {.backend = "metal"}).device_name(kFirst), "MTL0");
  Device mac = make_device(*find_device_model("rtx4090"), "gpu");
  mac.model = "m3-max";
  EXPECT_EQ(default_backend(Machine::make("mac", "", {mac}, {}, {}, {}).value()), "MTL");
  const Machine laptop = builtin_machine("core-ultra").value();
  EXPECT_EQ(RuntimeDevices(laptop).known(), "CPU, Vulkan0");
  EXPECT_EQ(RuntimeDevices(laptop, {.backend = "SYCL"}).known(), "CPU, SYCL0");
}

TEST(LlamaFlags, LargeBatchesOfPromptsAreStated) {
  llm::Placement placement = llm::Placement::all_on(kFirst, 32);
  placement.input = kCpu;
  EXPECT_EQ(line_of(spec_model("llama-8b"), placement, {.prompt_batch = 1024}), "-c 4096 -ub 1024 -ngl 33 -dev CUDA0");
  EXPECT_EQ(line_of(spec_model("llama-8b"), placement, {.prompt_batch = 4096}),
            "-c 4096 -b 4096 -ub 4096 -ngl 33 -dev CUDA0");
}

TEST(LlamaFlags, WindowsAreForTheSequencesThatWereCounted) {
  llm::Placement placement = llm::Placement::all_on(kFirst, 42);
  placement.input = kCpu;
  EXPECT_EQ(line_of(spec_model("gemma2-9b"), placement), "-c 4096 -np 1 -ngl 43 -dev CUDA0")
      << "llama-server alone would make room for four";
}

TEST(LlamaFlags, FirstMatchWins) {
  const llm::Placement placement =
      read_back(spec_model("llama-8b"), R"(-ngl 99 -dev CUDA0 -ot "blk\.3\.ffn_up=CUDA1,ffn_up=CPU")");
  EXPECT_EQ(placement.moved[3][1], kSecond);
  EXPECT_EQ(placement.moved[4][1], kCpu);
  EXPECT_EQ(placement.moved[4][0], kFirst);
}

TEST(LlamaFlags, MistakesOfUsersAreTold) {
  EXPECT_EQ(flags_error("-ngl"), "-ngl needs a value");
  EXPECT_EQ(flags_error("-ngl x"), "-ngl \"x\" is no whole number");
  EXPECT_EQ(flags_error("-ot ffn"), "-ot: \"ffn\" is not of the form regex=device");
  EXPECT_EQ(flags_error("-ot ffn=CUDA7"), "-ot: this machine has no device \"CUDA7\"; it has: CPU, CUDA0, CUDA1");
  EXPECT_NE(flags_error("-ot '(=CPU'").find("is no regular expression"), std::string::npos);
  EXPECT_EQ(flags_error("-ts 1,2,3"), "-ts names 3 shares for 2 devices");
  EXPECT_EQ(flags_error("-ts 0,0"), "-ts: the shares add up to nothing");
  EXPECT_EQ(flags_error("-m 'a"), "a quote (') is not closed in the line of flags");
  EXPECT_NE(flags_error("-sm row").find("is not simulated"), std::string::npos);
  EXPECT_NE(flags_error("-ngl 9 -nkvo").find("is not simulated"), std::string::npos);
}

TEST(LlamaFlags, TornPartsAreTold) {
  const RuntimeDevices devices(machine());
  const auto flags = parse_llama_flags("-ngl 99 -dev CUDA0 -ot 'blk.0.attn_q=CPU'", devices);
  const auto read = placement_of_flags(*flags, spec_model("llama-8b"), machine(), devices);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->notes.size(), 1U);
  EXPECT_NE(read->notes[0].find("-ot spreads 1 groups of tensors"), std::string::npos);
}

TEST(DeviceMap, ThereAndBack) {
  const llm::Model model = spec_model("llama-8b");
  const RuntimeDevices devices(machine());
  llm::Placement placement = llm::Placement::all_on(kFirst, 32);
  for (std::int64_t layer = 20; layer < 32; ++layer) placement.set_layer(layer, layer < 30 ? kSecond : kCpu);
  placement.output = kSecond;
  const std::string text = write_device_map(model, devices, placement);
  EXPECT_NE(text.find("\"model.layers.31\": \"cpu\""), std::string::npos);
  EXPECT_NE(text.find("\"lm_head\": 1"), std::string::npos);
  const auto read = read_device_map(text, model, devices);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, placement);
  EXPECT_TRUE(read_device_map(R"({"": 0})", model, devices).ok());
  EXPECT_EQ(read_device_map(R"({"model.embed_tokens": 0, "lm_head": 0})", model, devices).error().message,
            "module \"model.layers.0\" has no device; name it, or a module around it");
  EXPECT_FALSE(read_device_map(R"({"": 2})", model, devices).ok());
  EXPECT_FALSE(read_device_map(R"({"": "disk"})", model, devices).ok());
  EXPECT_FALSE(read_device_map(R"({"": 0, "model.layers.0.mlp": 1})", model, devices).ok());
}

TEST(Partition, ThereAndBack) {
  const llm::Model model = spec_model("llama-8b");
  const RuntimeDevices devices(machine());
  const auto placement = read_partition("20,12", model, devices);
  ASSERT_TRUE(placement.ok());
  const StagePartition stages = stage_partition(devices, *placement);
  EXPECT_EQ(stages.layers, (std::vector<std::int64_t>{20, 12}));
  EXPECT_EQ(stages.gpus, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(read_partition("20,11", model, devices).error().message, "\"20,11\": 31 layers, the model has 32");
  EXPECT_FALSE(read_partition("10,10,12", model, devices).ok());
  EXPECT_FALSE(read_partition("x", model, devices).ok());
}

}  // namespace
}  // namespace berth
