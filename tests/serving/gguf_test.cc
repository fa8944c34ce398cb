// SPDX-License-Identifier: Apache-2.0
#include "serving/files/gguf.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "serving/files/gguf_model.h"
#include "serving/kv_cache.h"
#include "serving/llm_parts.h"

namespace berth {
namespace {

std::string gguf_error(const std::string& bytes) {
  const auto header = read_gguf_header(bytes);
  if (!header) return header.error().message;
  const auto model = model_of_gguf(*header, "file");
  return model ? "fine" : model.error().message;
}

TEST(Gguf, HeaderBecomesAModel) {
  const auto header = read_gguf_header(gguf_file(tiny_pairs(), tiny_tensors()));
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(header->tensors[2].bytes, 100 * 2 * 34) << "q8_0: rows of 64 are two blocks of 34 bytes";
  const auto model = model_of_gguf(*header, "file");
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->title, "Tiny");
  EXPECT_EQ(model->config.layers, 2);
  EXPECT_EQ(model->config.key_width, 16);
  EXPECT_FALSE(model->config.tied);
  EXPECT_EQ(model->tensors.size(), 11U);
  EXPECT_TRUE(model->notes.empty());
}

TEST(Gguf, ListsAreSkippedOrKept) {
  std::vector<std::string> pairs = tiny_pairs();
  std::string words = gguf_text("tokenizer.ggml.tokens") + raw<std::uint32_t>(9) + raw<std::uint32_t>(8) +
                      raw<std::uint64_t>(3) + gguf_text("a") + gguf_text("b") + gguf_text("c");
  pairs[6] = gguf_text("llama.attention.head_count_kv") + raw<std::uint32_t>(9) + raw<std::uint32_t>(4) +
             raw<std::uint64_t>(2) + raw<std::uint32_t>(2) + raw<std::uint32_t>(1);
  pairs.push_back(words);
  const auto header = read_gguf_header(gguf_file(pairs, tiny_tensors()));
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(header->list("tokenizer.ggml.tokens")->length, 3U);
  const auto model = model_of_gguf(*header, "file");
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->config.kv_heads_of, (std::vector<std::int64_t>{2, 1}));
}

TEST(Gguf, LatentVectorsAreKeptFromFilesThatAreMadeForThem) {
  const auto cache_of = [](std::vector<std::string> extra) {
    std::vector<std::string> pairs{
        gguf_pair("general.architecture", "deepseek2"),     gguf_pair("deepseek2.block_count", 2U),
        gguf_pair("deepseek2.embedding_length", 64U),       gguf_pair("deepseek2.attention.head_count", 4U),
        gguf_pair("deepseek2.attention.kv_lora_rank", 32U), gguf_pair("deepseek2.rope.dimension_count", 8U)};
    pairs.insert(pairs.end(), extra.begin(), extra.end());
    const auto model = model_of_gguf(*read_gguf_header(gguf_file(pairs, tiny_tensors())), "file");
    EXPECT_TRUE(model.ok());
    return llm::cache_bytes(model->config, {.context = 256});
  };
  EXPECT_EQ(
      cache_of({gguf_pair("deepseek2.attention.key_length", 24U), gguf_pair("deepseek2.attention.value_length", 16U)}),
      2 * 256 * 4 * (24 + 16) * 2)
      << "an old file: keys and values of every head";
  EXPECT_EQ(cache_of({gguf_pair("deepseek2.attention.key_length_mla", 24U),
                      gguf_pair("deepseek2.attention.value_length_mla", 16U)}),
            2 * 256 * (32 + 8) * 2);
}

TEST(Gguf, UnknownArchitecturesFallBackWithAWord) {
  std::vector<std::string> pairs{gguf_pair("general.architecture", "strange"), gguf_pair("strange.block_count", 2U),
                                 gguf_pair("strange.embedding_length", 64U)};
  const auto header = read_gguf_header(gguf_file(pairs, tiny_tensors()));
  const auto model = model_of_gguf(*header, "file");
  ASSERT_TRUE(model.ok()) << model.error().message;
  ASSERT_EQ(model->notes.size(), 2U);
  EXPECT_NE(model->notes[0].find("is not known: tensors are placed by their names"), std::string::npos);
  EXPECT_NE(model->notes[1].find("the cache is guessed to take no memory"), std::string::npos);
}

TEST(Gguf, SizesThatAreNotStatedAreGuessed) {
  const auto header = read_gguf_header(gguf_file({gguf_pair("general.architecture", "strange")}, tiny_tensors()));
  const auto model = model_of_gguf(*header, "file");
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->config.layers, 2);
  EXPECT_EQ(model->config.hidden, 64);
  ASSERT_EQ(model->notes.size(), 4U);
  EXPECT_EQ(model->notes[0], "2 layers are guessed from the names of tensors");
  EXPECT_EQ(model->notes[1], "a width of 64 is guessed from output_norm.weight");
  const std::string known = gguf_file({gguf_pair("general.architecture", "llama")}, tiny_tensors());
  EXPECT_EQ(gguf_error(known), "layers 0 is out of bounds; it must be from 1 to 4096") << "no file of a known model";
  std::vector<std::string> many = tiny_tensors();
  many.push_back(gguf_tensor("blk.9223372036854775807.x", {1}, 0));
  EXPECT_NE(gguf_error(gguf_file({gguf_pair("general.architecture", "strange")}, many)).find("layers 1099511627777"),
            std::string::npos);
}

llm::Model with_pairs(std::string_view architecture, std::vector<std::string> pairs, std::vector<std::string> tensors) {
  const std::string prefix(architecture);
  pairs.push_back(gguf_pair("general.architecture", architecture));
  for (const auto& [key, value] : {std::pair("embedding_length", 64U), std::pair("attention.head_count", 4U),
                                   std::pair("attention.key_length", 16U), std::pair("attention.value_length", 16U)}) {
    pairs.push_back(gguf_pair(prefix + "." + key, value));
  }
  const auto header = read_gguf_header(gguf_file(pairs, tensors));
  EXPECT_TRUE(header.ok()) << header.error().message;
  auto model = model_of_gguf(*header, "file");
  EXPECT_TRUE(model.ok()) << model.error().message;
  return *model;
}

TEST(Gguf, WindowsByPeriodOrByTheFamilysRule) {
  const auto windowed = [](const llm::Model& model) {
    std::string text;
    for (std::int64_t layer = 0; layer < model.config.layers; ++layer) {
      text += model.config.is_windowed(layer) ? 'w' : '.';
    }
    return text;
  };
  const auto layers = [](const std::string& key) { return gguf_pair(key, 6U); };
  EXPECT_EQ(windowed(with_pairs("gpt-oss",
                                {layers("gpt-oss.block_count"), gguf_pair("gpt-oss.attention.sliding_window", 128U)},
                                tiny_tensors())),
            "w.w.w.");
  EXPECT_EQ(windowed(with_pairs("llama4", {layers("llama4.block_count")}, tiny_tensors())), "www.ww") << "chunks";
  EXPECT_EQ(windowed(with_pairs("new",
                                {layers("new.block_count"), gguf_pair("new.attention.sliding_window", 64U),
                                 gguf_pair("new.attention.sliding_window_pattern", 3U)},
                                tiny_tensors())),
            "ww.ww.");
  EXPECT_EQ(windowed(with_pairs("new", {layers("new.block_count"), gguf_pair("new.attention.sliding_window", 64U)},
                                tiny_tensors())),
            "......")
      << "no rule is known";
}

TEST(Gguf, LayersWithoutKeysKeepAState) {
  std::vector<std::string> tensors = tiny_tensors();  // layers with queries alone
  tensors.push_back(gguf_tensor("blk.0.ssm_out.weight", {64, 64}, 1));
  tensors.push_back(gguf_tensor("blk.1.attn_k.weight", {64, 64}, 1));
  const llm::Model model =
      with_pairs("qwen3next",
                 {gguf_pair("qwen3next.block_count", 2U), gguf_pair("qwen3next.ssm.conv_kernel", 4U),
                  gguf_pair("qwen3next.ssm.inner_size", 32U), gguf_pair("qwen3next.ssm.state_size", 8U),
                  gguf_pair("qwen3next.ssm.group_count", 2U)},
                 tensors);
  EXPECT_TRUE(model.config.has_state(0));
  EXPECT_FALSE(model.config.has_state(1));
  EXPECT_EQ(llm::cache_bytes(model.config, 0, {.context = 4096}), 4 * (3 * (32 + 2 * 2 * 8) + 8 * 32));
}

TEST(Gguf, LayersThatGuessAheadAreLeftOut) {
  std::vector<std::string> tensors = tiny_tensors();
  tensors.push_back(gguf_tensor("blk.2.nextn.eh_proj.weight", {64, 64}, 1));
  const llm::Model model = with_pairs(
      "glm4moe", {gguf_pair("glm4moe.block_count", 3U), gguf_pair("glm4moe.nextn_predict_layers", 1U)}, tensors);
  EXPECT_EQ(model.config.layers, 2);
  EXPECT_EQ(model.tensors.size(), tiny_tensors().size());
  EXPECT_EQ(model.notes, std::vector<std::string>{"1 layers that guess tokens ahead are left out, as llama.cpp does"});
}

TEST(Gguf, ProjectorsAreNoModels) {
  const std::string projector = gguf_file({gguf_pair("general.architecture", "clip")}, tiny_tensors());
  EXPECT_NE(gguf_error(projector).find("it is a projector of pictures or sound (mmproj)"), std::string::npos);
}

TEST(GgufHostile, EachMistakeHasItsLine) {
  const std::string good = gguf_file(tiny_pairs(), tiny_tensors());
  EXPECT_EQ(gguf_error(good), "fine");
  EXPECT_EQ(gguf_error("GGML"), "it is no GGUF file: the first four bytes are not 'GGUF'");
  EXPECT_EQ(gguf_error("GGUF" + raw<std::uint32_t>(1)), "GGUF version 1 is not read, only 2 and 3");
  EXPECT_NE(gguf_error("GGUF" + raw<std::uint32_t>(0x03000000)).find("big-endian"), std::string::npos);
  const std::uint64_t huge = std::uint64_t{1} << 63;
  EXPECT_EQ(gguf_error("GGUF" + raw<std::uint32_t>(3) + raw(huge) + raw<std::uint64_t>(0)),
            "the header counts 9223372036854775808 tensors, more than its 0 bytes can hold");
  EXPECT_NE(gguf_error("GGUF" + raw<std::uint32_t>(3) + raw<std::uint64_t>(0) + raw(huge)).find("keys of metadata"),
            std::string::npos);
  EXPECT_NE(gguf_error(gguf_file({raw(huge) + "key" + std::string(20, ' ')}, {})).find("bytes long, the file has"),
            std::string::npos);
  EXPECT_NE(
      gguf_error(gguf_file({gguf_text("k") + raw<std::uint32_t>(13) + raw<std::uint64_t>(0)}, {})).find("type 13"),
      std::string::npos);
  const std::string long_list =
      gguf_text("k") + raw<std::uint32_t>(9) + raw<std::uint32_t>(0) + raw(huge) + std::string(8, ' ');
  EXPECT_NE(gguf_error(gguf_file({long_list}, {})).find("entries of 1 bytes"), std::string::npos);
  std::string nested = gguf_text("k") + raw<std::uint32_t>(9);
  for (int i = 0; i < 20; ++i) nested += raw<std::uint32_t>(9) + raw<std::uint64_t>(1);
  EXPECT_NE(gguf_error(gguf_file({nested + std::string(64, '\0')}, {})).find("nests lists deeper than 8"),
            std::string::npos);
}

TEST(GgufHostile, Tensors) {
  const auto with = [](const std::string& tensor) {
    std::vector<std::string> tensors = tiny_tensors();
    tensors.push_back(tensor);
    return gguf_error(gguf_file(tiny_pairs(), tensors) + std::string(64, '\0'));
  };
  EXPECT_EQ(with(gguf_tensor("blk.1.x", {1ULL << 40, 1ULL << 40}, 0)), "tensor \"blk.1.x\": its size overflows");
  EXPECT_NE(with(gguf_tensor("blk.1.x", {1ULL << 63}, 0)).find("beyond any model"), std::string::npos);
  EXPECT_NE(with(gguf_tensor("blk.1.x", {1, 1, 1, 1, 1}, 0)).find("5 dimensions"), std::string::npos);
  EXPECT_NE(with(gguf_tensor("blk.1.x", {1}, 31)).find("ggml type 31"), std::string::npos);
  EXPECT_EQ(with(gguf_tensor("output.weight", {1}, 0)), "tensor \"output.weight\" is listed twice");
  EXPECT_EQ(with(gguf_tensor("blk.2.x", {1}, 0)), "tensor \"blk.2.x\" is beyond the 2 layers of the model");
  EXPECT_EQ(with(gguf_tensor("blk.x.y", {1}, 0)), "fine") << "no layer, but a tensor";
}

TEST(GgufHostile, EveryPrefixIsRefusedOrRead) {
  const std::string good = gguf_file(tiny_pairs(), tiny_tensors());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(gguf_error(good.substr(0, size)), "fine") << size;
  }
}

class SplitGguf : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(std::string_view name, const std::string& bytes) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  static std::string part(std::uint32_t number, std::uint32_t count, const std::vector<std::string>& tensors) {
    std::vector<std::string> pairs = number == 0 ? tiny_pairs() : std::vector<std::string>();
    pairs.push_back(gguf_pair("split.no", number));
    pairs.push_back(gguf_pair("split.count", count));
    return gguf_file(pairs, tensors);
  }
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(SplitGguf, FilesAreReadTogether) {
  const std::vector<std::string> all = tiny_tensors();
  write("m-00001-of-00002.gguf", part(0, 2, {all.begin(), all.begin() + 3}));
  const std::string second = write("m-00002-of-00002.gguf", part(1, 2, {all.begin() + 3, all.end()}));
  const auto model = load_gguf_model(second);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model->tensors.size(), all.size());
  EXPECT_EQ(model->title, "Tiny");
}

TEST_F(SplitGguf, MistakesAreTold) {
  const std::vector<std::string> all = tiny_tensors();
  const std::string first = write("m-00001-of-00002.gguf", part(0, 2, {all.begin(), all.begin() + 3}));
  EXPECT_NE(load_gguf_model(first).error().message.find("m-00002-of-00002.gguf"), std::string::npos) << "missing";
  write("m-00002-of-00002.gguf", part(0, 2, {all.begin() + 3, all.end()}));
  EXPECT_NE(load_gguf_model(first).error().message.find("it says it is file 1 of 2, by its name it is file 2 of 2"),
            std::string::npos)
      << "files that point at each other";
  write("m-00002-of-00002.gguf", part(1, 2, all));
  EXPECT_NE(load_gguf_model(first).error().message.find("is in another file of the model too"), std::string::npos);
  const std::string renamed = write("renamed.gguf", part(0, 2, all));
  EXPECT_NE(load_gguf_model(renamed).error().message.find("its name must end in -00001-of-00002.gguf"),
            std::string::npos);
  const std::string many = write("many.gguf", part(0, 4'000'000'000U, all));
  EXPECT_NE(load_gguf_model(many).error().message.find("at most 1024 are read"), std::string::npos);
}

}  // namespace
}  // namespace berth
