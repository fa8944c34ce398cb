// SPDX-License-Identifier: Apache-2.0
#include "serving/files/hf_model.h"

#include <gtest/gtest.h>

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
