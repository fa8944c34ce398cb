// SPDX-License-Identifier: Apache-2.0
#include "serving/files/hf_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "serving/architecture.h"
#include "serving/llm_parts.h"

namespace berth {
namespace {

constexpr const char* kTiny = R"({"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64, "vocab_size": 100,
  "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "torch_dtype": "float16"})";

std::string config_error(std::string text) {
  const auto config = read_hf_config(std::move(text));
  return config ? "fine" : config.error().message;
}
std::string header_error(const std::string& bytes) {
  const auto header = read_safetensors_header(bytes);
  return header ? "fine" : header.error().message;
}

TEST(HfConfig, SizesOfALlama) {
  const auto config = read_hf_config(kTiny);
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->config.architecture, "llama");
  EXPECT_EQ(config->config.kv_heads, 2);
  EXPECT_EQ(config->config.key_width, 16);
  EXPECT_EQ(config->weight_type, "f16");
}

TEST(HfConfig, LatentAttentionAndExperts) {
  const auto config = read_hf_config(R"({"model_type": "deepseek_v2", "num_hidden_layers": 27, "hidden_size": 2048,
    "vocab_size": 102400, "num_attention_heads": 16, "intermediate_size": 10944, "kv_lora_rank": 512, "q_lora_rank": null,
    "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "n_routed_experts": 64, "num_experts_per_tok": 6,
    "moe_intermediate_size": 1408, "n_shared_experts": 2, "first_k_dense_replace": 1})");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const llm::Model model = llm::build_model("m", config->config, "bf16");
  EXPECT_EQ(model.parameters(), 15'706'484'224) << "DeepSeek-V2 Lite";
}

TEST(HfConfig, BadOnesAreRefusedInOneLine) {
  EXPECT_EQ(config_error("{}"), "it lacks 'num_hidden_layers'; is it the config.json of a language model?");
  EXPECT_NE(config_error("[1]"), "fine");
  EXPECT_NE(config_error("{"), "fine");
  std::string huge = kTiny;
  huge.replace(huge.find("64"), 2, "99999999");
  EXPECT_EQ(config_error(huge), "embedding length 99999999 is out of bounds; it must be from 1 to 1048576");
  std::string word = kTiny;
  word.replace(word.find("64"), 2, "\"x\"");
  EXPECT_NE(config_error(word).find("config.hidden_size: expected"), std::string::npos);
}

TEST(HfNames, BecomeThoseOfGguf) {
  EXPECT_EQ(gguf_name("model.layers.3.self_attn.q_proj.weight"), "blk.3.attn_q.weight");
  EXPECT_EQ(gguf_name("model.layers.3.self_attn.q_proj.bias"), "blk.3.attn_q.bias");
  EXPECT_EQ(gguf_name("model.layers.0.mlp.experts.17.up_proj.weight"), "blk.0.ffn_up_exps.weight");
  EXPECT_EQ(gguf_name("model.layers.0.block_sparse_moe.experts.7.w2.weight"), "blk.0.ffn_down_exps.weight");
  EXPECT_EQ(gguf_name("model.layers.1.mlp.experts.gate_up_proj"), "blk.1.ffn_gate_up_exps.weight");
  EXPECT_EQ(gguf_name("model.layers.9.mlp.down_proj.qweight"), "blk.9.ffn_down.qweight");
  EXPECT_EQ(gguf_name("model.embed_tokens.weight"), "token_embd.weight");
  EXPECT_EQ(gguf_name("model.norm.weight"), "output_norm.weight");
  EXPECT_EQ(gguf_name("lm_head.weight"), "output.weight");
  EXPECT_EQ(gguf_name("model.layers.2.strange.thing"), "blk.2.strange.thing");
}

TEST(Safetensors, HeaderBecomesAModel) {
  const auto tensors = read_safetensors_header(safetensors_file(
      R"({"__metadata__": {"format": "pt"},
          "model.embed_tokens.weight": {"dtype": "F16", "shape": [100, 64], "data_offsets": [0, 12800]},
          "model.layers.0.mlp.experts.0.up_proj.weight": {"dtype": "BF16", "shape": [8, 64], "data_offsets": [12800, 13824]},
          "model.layers.0.mlp.experts.1.up_proj.weight": {"dtype": "BF16", "shape": [8, 64], "data_offsets": [13824, 14848]},
          "model.layers.1.eh_proj.weight": {"dtype": "F16", "shape": [1], "data_offsets": [0, 2]}})"));
  ASSERT_TRUE(tensors.ok()) << tensors.error().message;
  const auto model = model_of_hf(*read_hf_config(kTiny), *tensors, "tiny");
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->tensors.size(), 2U);
  EXPECT_EQ(model->tensors[1].name, "blk.0.ffn_up_exps.weight");
  EXPECT_EQ(model->tensors[1].bytes, 2048);
  EXPECT_TRUE(model->config.tied);
  EXPECT_EQ(model->notes, std::vector<std::string>{"1 tensors beyond the 1 layers are left out"});
}

TEST(SafetensorsHostile, EachMistakeHasItsLine) {
  EXPECT_EQ(header_error("abc"), "it is no safetensors file: it has only 3 bytes");
  EXPECT_EQ(header_error(raw<std::uint64_t>(1ULL << 63) + "{}"),
            "the header is 9223372036854775808 bytes long, the file has 2 left and at most 100000000 are allowed");
  EXPECT_NE(header_error(safetensors_file("[]")).find("does not begin with '{'"), std::string::npos);
  EXPECT_NE(header_error(safetensors_file("{\"a\": 1}")).find("expected an object with dtype"), std::string::npos);
  const auto with = [](const std::string& rest) { return header_error(safetensors_file("{\"a\": {" + rest + "}}")); };
  EXPECT_EQ(with(R"("dtype": "F32", "shape": [2], "data_offsets": [0, 8])"), "fine");
  EXPECT_NE(
      with(R"("dtype": "F32", "shape": [3], "data_offsets": [0, 8])").find("3 elements of F32 do not take 8 bytes"),
      std::string::npos);
  EXPECT_NE(with(R"("dtype": "F32", "shape": [2], "data_offsets": [8, 0])"), "fine");
  EXPECT_NE(with(R"("dtype": "X", "shape": [4294967296, 4294967296], "data_offsets": [0, 8])").find("overflows"),
            std::string::npos);
  EXPECT_NE(with(R"("dtype": "F32", "shape": [-1], "data_offsets": [0, 8])"), "fine");
}

llm::Model loaded(const std::string& config, const std::string& header) {
  const auto sizes = read_hf_config(config);
  EXPECT_TRUE(sizes.ok()) << sizes.error().message;
  const auto tensors = read_safetensors_header(safetensors_file(header));
  EXPECT_TRUE(tensors.ok()) << tensors.error().message;
  auto model = model_of_hf(*sizes, *tensors, "m");
  EXPECT_TRUE(model.ok());
  return *model;
}
const llm::Tensor& named(const llm::Model& model, std::string_view name) {
  static const llm::Tensor none{};
  const auto found = std::ranges::find(model.tensors, name, &llm::Tensor::name);
  EXPECT_NE(found, model.tensors.end()) << name;
  return found != model.tensors.end() ? *found : none;
}

// gpt-oss: 32 elements of four bits in 16 bytes, a scale for each 32.
TEST(HfExperts, BlocksOfMxfp4) {
  const llm::Model model = loaded(kTiny, R"({
      "model.layers.0.mlp.experts.gate_up_proj_blocks": {"dtype": "U8", "shape": [2, 8, 2, 16], "data_offsets": [0, 512]},
      "model.layers.0.mlp.experts.gate_up_proj_scales": {"dtype": "U8", "shape": [2, 8, 2], "data_offsets": [512, 544]},
      "model.layers.0.mlp.experts.gate_up_proj_bias": {"dtype": "BF16", "shape": [2, 8], "data_offsets": [544, 576]},
      "model.layers.0.mlp.router.weight": {"dtype": "BF16", "shape": [2, 64], "data_offsets": [576, 832]}})");
  const llm::Tensor& blocks = named(model, "blk.0.ffn_gate_up_exps.blocks");
  EXPECT_EQ(blocks.elements, 2 * 8 * 64);
  EXPECT_TRUE(blocks.experts);
  EXPECT_EQ(blocks.part, llm::Part::kUp);
  EXPECT_EQ(named(model, "blk.0.ffn_gate_up_exps.scales").elements, 0);
  EXPECT_EQ(named(model, "blk.0.ffn_gate_up_exps.bias").elements, 16);
  EXPECT_EQ(named(model, "blk.0.ffn_gate_inp.weight").part, llm::Part::kRest);
}

TEST(HfExperts, FusedOnesOfLlama4) {
  const llm::Model model = loaded(kTiny, R"({
      "language_model.model.layers.0.feed_forward.experts.gate_up_proj": {"dtype": "BF16", "shape": [2, 64, 16], "data_offsets": [0, 4096]},
      "language_model.model.layers.0.feed_forward.experts.down_proj": {"dtype": "BF16", "shape": [2, 8, 64], "data_offsets": [4096, 6144]},
      "language_model.model.layers.0.feed_forward.shared_expert.up_proj.weight": {"dtype": "BF16", "shape": [8, 64], "data_offsets": [6144, 7168]},
      "language_model.model.layers.0.feed_forward.router.weight": {"dtype": "BF16", "shape": [2, 64], "data_offsets": [7168, 7424]}})");
  EXPECT_TRUE(named(model, "blk.0.ffn_gate_up_exps.weight").experts);
  EXPECT_EQ(named(model, "blk.0.ffn_down_exps.weight").part, llm::Part::kDown);
  EXPECT_EQ(named(model, "blk.0.ffn_up_shexp.weight").part, llm::Part::kRest);
  EXPECT_EQ(model.modules.layer, "language_model.model.layers");
}

TEST(HfTowers, ArePartsOfTheirOwn) {
  const llm::Model model = loaded(kTiny, R"({
      "vision_tower.vision_model.encoder.layers.7.mlp.fc1.weight": {"dtype": "BF16", "shape": [4, 4], "data_offsets": [0, 32]},
      "vision_tower.vision_model.post_layernorm.weight": {"dtype": "BF16", "shape": [4], "data_offsets": [32, 40]},
      "multi_modal_projector.mm_input_projection_weight": {"dtype": "BF16", "shape": [4, 4], "data_offsets": [40, 72]},
      "language_model.model.layers.0.self_attn.q_proj.weight": {"dtype": "BF16", "shape": [4, 4], "data_offsets": [72, 104]}})");
  EXPECT_EQ(model.modules.towers, (std::vector<std::string>{"vision_tower", "multi_modal_projector"}));
  EXPECT_EQ(model.modules.layer, "language_model.model.layers");
  EXPECT_EQ(named(model, "vision_tower").part, llm::Part::kTower);
  EXPECT_EQ(model.tower_bytes(), 72);
  EXPECT_EQ(named(model, "blk.0.attn_q.weight").bytes, 32);
}

TEST(HfPacked, IntegersHoldSeveralElements) {
  const llm::Model model = loaded(kTiny, R"({
      "model.layers.0.mlp.up_proj.qweight": {"dtype": "I32", "shape": [64, 16], "data_offsets": [0, 4096]},
      "model.layers.0.mlp.up_proj.qzeros": {"dtype": "I32", "shape": [1, 16], "data_offsets": [4096, 4160]},
      "model.layers.0.mlp.up_proj.scales": {"dtype": "F16", "shape": [1, 128], "data_offsets": [4160, 4416]},
      "model.layers.0.mlp.down_proj.weight": {"dtype": "F8_E4M3", "shape": [64, 128], "data_offsets": [4416, 12608]},
      "model.layers.0.mlp.down_proj.weight_scale_inv": {"dtype": "F32", "shape": [1, 1], "data_offsets": [12608, 12612]}})");
  EXPECT_EQ(model.parameters(), 64 * 128 * 2);
  EXPECT_EQ(named(model, "blk.0.ffn_up.scales").part, llm::Part::kUp);
}

std::string with_quantization(const std::string& quantization) {
  std::string config = kTiny;
  config.insert(1, "\"quantization_config\": {" + quantization + "}, ");
  return config;
}
// Bytes of an element of a layer's matrix.
double bytes_per_element(const std::string& quantization, std::string_view tensor = "blk.0.ffn_up.weight") {
  const auto config = read_hf_config(with_quantization(quantization));
  EXPECT_TRUE(config.ok()) << config.error().message;
  const auto model = model_of_hf(*config, {}, "m");
  EXPECT_TRUE(model.ok());
  const llm::Tensor& found = named(*model, tensor);
  return static_cast<double>(found.bytes) / static_cast<double>(found.elements);
}

TEST(HfQuantization, MethodsSayHowManyBytes) {
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "awq", "bits": 4, "group_size": 128)"), 0.5 + 2.5 / 128);
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "gptq", "bits": 8, "group_size": 32)"), 1.0 + 3.0 / 32);
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "gptq", "bits": 4, "group_size": -1)"), 0.5);
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "fp8", "weight_block_size": [16, 64])"), 1.0 + 4.0 / 1024);
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "fp8")"), 1.0);
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "compressed-tensors", "config_groups": {"group_0":
      {"weights": {"num_bits": 4, "group_size": 128, "type": "int"}}}, "ignore": ["lm_head"])"),
                   0.5 + 2.0 / 128);
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "bitsandbytes", "load_in_8bit": true)"), 1.0);
  EXPECT_DOUBLE_EQ(
      bytes_per_element(R"("quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"])"), 2.0)
      << "experts alone, and here are none";
  EXPECT_DOUBLE_EQ(bytes_per_element(R"("quant_method": "awq", "bits": 4)", "token_embd.weight"), 2.0);
}

// As published: the checkpoint of gpt-oss-120b is 60.8 GiB (OpenAI's model card), DeepSeek-V3 is 671 B in 8 bits.
TEST(HfQuantization, PublishedConfigsHaveTheirSizes) {
  const auto gib = [](const std::string& text) {
    const auto config = read_hf_config(text);
    EXPECT_TRUE(config.ok()) << config.error().message;
    return static_cast<double>(model_of_hf(*config, {}, "m")->weight_bytes()) / 0x1.0p30;
  };
  EXPECT_NEAR(
      gib(R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880, "num_attention_heads": 64,
    "num_experts_per_tok": 4, "num_hidden_layers": 36, "num_key_value_heads": 8, "num_local_experts": 128, "vocab_size": 201088,
    "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}})"),
      60.8, 0.2);
  EXPECT_NEAR(
      gib(R"({"model_type": "deepseek_v3", "first_k_dense_replace": 3, "hidden_size": 7168, "intermediate_size": 18432,
    "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128,
    "num_experts_per_tok": 8, "num_hidden_layers": 61, "vocab_size": 129280,
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})"),
      671e9 / 0x1.0p30, 4.0);
}

TEST(HfQuantization, HostileStatesAreRefused) {
  std::string config = R"({"model_type": "qwen3_next", "num_hidden_layers": 4, "hidden_size": 64, "vocab_size": 100,
    "num_attention_heads": 4, "linear_num_value_heads": 65536, "linear_value_head_dim": 65536})";
  EXPECT_EQ(config_error(config), "inner size 4294967296 is out of bounds; it must be from 0 to 1048576");
}

TEST(HfQuantization, UnknownMethodsSayThatTheyAreTooMuch) {
  const auto config = read_hf_config(with_quantization(R"("quant_method": "new")"));
  ASSERT_TRUE(config.ok());
  const auto model = model_of_hf(*config, {}, "m");
  ASSERT_EQ(model->notes.size(), 2U);
  EXPECT_NE(model->notes[1].find("method \"new\" is not known, so weights count as not packed, which is too much"),
            std::string::npos);
  EXPECT_NE(config_error(with_quantization(R"("quant_method": "gptq", "bits": 900)")), "fine");
  EXPECT_NE(config_error(with_quantization(R"("quant_method": "fp8", "weight_block_size": ["a"])")), "fine");
}

TEST(HfConfig, WeightsOfABareConfigMayBeChosen) {
  const auto config = read_hf_config(with_quantization(R"("quant_method": "awq")"));
  const auto model = model_of_hf(*config, {}, "m", "Q8_0");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(named(*model, "blk.0.ffn_up.weight").bytes, 64 * 128 / 32 * 34);
  EXPECT_FALSE(model_of_hf(*config, {}, "m", "q9").ok());
}

// As published, without what transformers fills in.
TEST(HfConfig, Gemma3LeavesOutWhatIsUsual) {
  const auto config = read_hf_config(R"({"model_type": "gemma3", "vision_config": {}, "text_config":
    {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34,
     "sliding_window": 1024}})");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->config.vocab, 262'208);
  EXPECT_EQ(config->config.kv_heads, 4);
  EXPECT_EQ(config->config.window, 1024);
  EXPECT_FALSE(config->config.is_windowed(5));
  EXPECT_TRUE(config->config.is_windowed(6));
  EXPECT_TRUE(config->has_towers);
}

TEST(HfConfig, LayerTypesAndStates) {
  const auto config = read_hf_config(R"({"model_type": "qwen3_next", "num_hidden_layers": 4, "hidden_size": 2048,
    "vocab_size": 100, "num_attention_heads": 16, "num_key_value_heads": 2, "intermediate_size": 5120,
    "num_experts": 512, "num_experts_per_tok": 10, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512})");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const llm::Config& sizes = config->config;
  EXPECT_TRUE(sizes.has_state(0) && sizes.has_state(2) && !sizes.has_state(3));
  EXPECT_EQ(sizes.state.elements(), 3 * 8192 + 128 * 4096);
  EXPECT_EQ(sizes.key_width, 256);
  const auto listed =
      read_hf_config(R"({"model_type": "new", "num_hidden_layers": 2, "hidden_size": 64, "vocab_size": 9,
    "num_attention_heads": 4, "sliding_window": 128, "layer_types": ["full_attention", "sliding_attention"]})");
  EXPECT_FALSE(listed->config.is_windowed(0));
  EXPECT_TRUE(listed->config.is_windowed(1));
}

TEST(HfConfig, Llama4HasADenseWidthOfItsOwn) {
  const auto config = read_hf_config(R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text",
    "num_hidden_layers": 48, "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 8192, "intermediate_size_mlp": 16384, "interleave_moe_layer_step": 2, "num_local_experts": 128,
    "num_experts_per_tok": 1, "vocab_size": 202048}})");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const llm::Model model = llm::build_model("m", config->config, "bf16");
  EXPECT_NEAR(static_cast<double>(model.parameters()), 400.71e9, 0.01e9);
}

TEST(SafetensorsIndex, NamesFilesOfItsFolderAlone) {
  const auto files =
      read_safetensors_index(R"({"weight_map": {"b": "2.safetensors", "a": "1.safetensors", "c": "2.safetensors"}})");
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(*files, (std::vector<std::string>{"1.safetensors", "2.safetensors"}));
  EXPECT_FALSE(read_safetensors_index(R"({"weight_map": {"a": "../../secret"}})").ok());
  EXPECT_FALSE(read_safetensors_index(R"({"weight_map": {}})").ok());
  EXPECT_FALSE(read_safetensors_index("{}").ok());
}

}  // namespace
}  // namespace berth
