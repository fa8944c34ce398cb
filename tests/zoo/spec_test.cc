// SPDX-License-Identifier: Apache-2.0
// What users write after "zoo:", and what they are told when it is wrong.
#include <gtest/gtest.h>

#include <set>

#include "graph_text.h"

namespace berth {
namespace {

std::string error_of(const std::string& spec) {
  const Result<Graph> graph = build_zoo_model(spec);
  return graph.ok() ? "no error" : graph.error().message;
}

TEST(ZooSpec, NamesAreThoseOfTheDesign) {
  std::set<std::string_view> names;
  for (const ModelInfo& model : zoo_models()) EXPECT_TRUE(names.insert(model.name).second) << model.name;
  for (const char* name :
       {"inception-v3", "resnet-50", "resnet-152", "rnnlm", "nmt-2", "nmt-4", "nmt-8", "bert-base", "transformer-xl",
        "wavenet", "amoebanet", "gpt2", "gpt3-175b", "llama-8b", "moe", "moe-141b"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(ZooSpec, EveryParameterHasHelpAndADefaultThatIsAllowed) {
  for (const ModelInfo& model : zoo_models()) {
    EXPECT_FALSE(model.summary.empty());
    for (const ParameterInfo& parameter : model.parameters) {
      SCOPED_TRACE(fmt::format("{} {}", model.name, parameter.name));
      EXPECT_FALSE(parameter.help.empty());
      Settings settings(model.parameters);
      EXPECT_TRUE(settings.set(model.name, fmt::format("{}={}", parameter.name, parameter.default_text())).ok());
    }
  }
}

TEST(ZooSpec, TakesParametersInAnyOrderWithSpaces) {
  const Graph graph = must_build("rnnlm, hidden = 8,unroll=2 ,batch=3, vocab=11,mode=infer,dtype=bf16");
  EXPECT_EQ(graph.title(), "rnnlm, hidden = 8,unroll=2 ,batch=3, vocab=11,mode=infer,dtype=bf16");
  const TensorId table = graph.outputs(OpId{1})[0];
  EXPECT_EQ(op_text(graph, OpId{1}), "embedding.weight = parameter() [11,8]");
  EXPECT_EQ(graph.dtype(table), DType::kBF16);
}

TEST(ZooSpec, MistakesAreToldInOneLine) {
  EXPECT_EQ(error_of("nmt4"), "no zoo model named 'nmt4'; did you mean 'nmt-4'? (berth models lists all 16)");
  EXPECT_EQ(error_of("").substr(0, 23), "no zoo model named '' (");
  EXPECT_EQ(error_of("rnnlm,bacth=4"),
            "zoo:rnnlm has no parameter 'bacth'; did you mean 'batch'? (it has: batch, dropout, dtype, gates, hidden, "
            "layers, mode, optimizer, unroll, vocab)");
  EXPECT_EQ(error_of("rnnlm,batch"), "zoo:rnnlm: 'batch' is no parameter=value pair");
  EXPECT_EQ(error_of("rnnlm,"), "zoo:rnnlm: '' is no parameter=value pair");
  EXPECT_EQ(error_of("rnnlm,batch=0"), "zoo:rnnlm: batch=0 is no whole number from 1 to 65536");
  EXPECT_EQ(error_of("rnnlm,batch=64k"), "zoo:rnnlm: batch=64k is no whole number from 1 to 65536");
  EXPECT_EQ(error_of("rnnlm,batch="), "zoo:rnnlm: batch= is no whole number from 1 to 65536");
  EXPECT_EQ(error_of("rnnlm,batch=99999999999999999999"),
            "zoo:rnnlm: batch=99999999999999999999 is no whole number from 1 to 65536");
  EXPECT_EQ(error_of("rnnlm,batch=4,batch=5"), "zoo:rnnlm: parameter 'batch' is given twice");
  EXPECT_EQ(error_of("rnnlm,mode=training"), "zoo:rnnlm: mode=training must be train or infer; did you mean 'train'?");
  EXPECT_EQ(error_of("rnnlm,optimizer=adm"),
            "zoo:rnnlm: optimizer=adm must be sgd, momentum or adam; did you mean 'adam'?");
}

TEST(ZooSpec, ParametersThatDoNotFitTogetherAreNamed) {
  EXPECT_EQ(error_of("gpt2,hidden=100,heads=12"),
            "zoo:gpt2,hidden=100,heads=12: hidden=100 is no multiple of heads=12");
  EXPECT_EQ(error_of("gpt2,seq=2048"), "zoo:gpt2,seq=2048: seq=2048 is longer than context=1024");
  EXPECT_EQ(error_of("llama-8b,kv_heads=5"), "zoo:llama-8b,kv_heads=5: heads=32 is no multiple of kv_heads=5");
  EXPECT_EQ(error_of("moe,top_k=9"), "zoo:moe,top_k=9: top_k=9 is more than experts=8");
  EXPECT_EQ(error_of("amoebanet,layers=4"), "zoo:amoebanet,layers=4: layers=4 is no multiple of 3");
}

TEST(ZooSpec, GraphsTooLargeAreRefusedBeforeTheyAreBuilt) {
  EXPECT_NE(error_of("nmt-8,layers=4096,unroll=100000").find("more than the"), std::string::npos);
  EXPECT_NE(error_of("rnnlm,unroll=100000,layers=4096").find("choose fewer layers or steps"), std::string::npos);
  // Few ops, but tensors beyond any memory: the builder's own limit.
  EXPECT_NE(error_of("gpt2,batch=65536,seq=1000000,context=1000000,layers=1").find("overflow"), std::string::npos);
}

// The largest and smallest of every number, one at a time: an error or a graph, never a crash.
TEST(ZooSpec, ExtremesAreHandled) {
  for (const ModelInfo& model : zoo_models()) {
    for (const ParameterInfo& parameter : model.parameters) {
      if (!parameter.is_number()) continue;
      for (const std::int64_t value : {parameter.min, parameter.max}) {
        const std::string spec = fmt::format("{},mode=infer,{}={}", model.name, parameter.name, value);
        SCOPED_TRACE(spec);
        // Counts of layers only make the graph longer, and the test slow.
        static const std::set<std::string_view> counts{"layers", "unroll", "stacks", "experts"};
        if (value > 100 && (counts.contains(parameter.name) || parameter.name.starts_with("blocks"))) continue;
        const Result<Graph> graph = build_zoo_model(spec);
        EXPECT_TRUE(graph.ok() || graph.error().message.find('\n') == std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace berth
