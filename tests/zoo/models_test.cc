// SPDX-License-Identifier: Apache-2.0
// What must hold for every model: it builds in all modes, its training step is complete, its module paths lead to
// layers.
#include <gtest/gtest.h>

#include <set>

#include "graph_text.h"
#include "small_models.h"
#include "zoo/op_types.h"

namespace berth {
namespace {

class EveryModel : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Zoo, EveryModel, testing::ValuesIn(kSmallModels));

TEST(SmallModels, AreAllModels) {
  std::set<std::string> names;
  for (const std::string_view spec : kSmallModels) names.emplace(spec.substr(0, spec.find(',')));
  for (const ModelInfo& model : zoo_models()) EXPECT_TRUE(names.contains(std::string(model.name))) << model.name;
}

TEST_P(EveryModel, HasOneUpdatePerParameterWithItsGradient) {
  for (const std::string optimizer : {"sgd", "momentum", "adam"}) {
    const Graph graph = must_build(fmt::format("{},mode=train,optimizer={}", GetParam(), optimizer));
    std::map<std::size_t, int> updates;
    for (const OpId op : graph.ops()) {
      const OpId parameter = graph.updated_parameter(op);
      if (parameter == kNoOp) continue;
      ++updates[index(parameter)];
      EXPECT_EQ(graph.type(op), optimizer + "_update");
      ASSERT_EQ(graph.inputs(op).size(), 2U);
      EXPECT_EQ(graph.producer(graph.inputs(op)[0]), parameter);
      EXPECT_EQ(shape_text(graph, graph.inputs(op)[1]), shape_text(graph, graph.outputs(parameter)[0]));
    }
    for (const OpId op : graph.ops()) {
      if (graph.role(op) != Role::kParameter) continue;
      EXPECT_EQ(updates[index(op)], 1) << graph.name(op);
    }
  }
}

TEST_P(EveryModel, InferenceHasNoGradients) {
  const Graph graph = must_build(fmt::format("{},mode=infer", GetParam()));
  EXPECT_FALSE(graph.graph_outputs().empty());
  for (const OpId op : graph.ops()) {
    EXPECT_EQ(graph.forward_of(op), kNoOp) << graph.name(op);
    EXPECT_EQ(graph.type(op).find("grad"), std::string::npos) << graph.name(op);
    EXPECT_FALSE(graph.is_trained(op));
    EXPECT_NE(graph.type(op), "dropout");
  }
}

TEST_P(EveryModel, UsesWhatItMakes) {
  // Every computed tensor is read or is an output, but for statistics, masks and unneeded parts of multiple outputs.
  for (const char* mode : {"train", "infer"}) {
    const Graph graph = must_build(fmt::format("{},mode={}", GetParam(), mode));
    for (const OpId op : graph.ops()) {
      bool used = graph.outputs(op).empty();
      for (const TensorId tensor : graph.outputs(op)) {
        used |= !graph.consumers(tensor).empty() || graph.is_graph_output(tensor);
      }
      // The last cell state of the direction that the decoder does not start from.
      used |= graph.type(op) == "select" && graph.module(op) == "encoder.layer.0.backward.t0";
      EXPECT_TRUE(used) << mode << ": nothing reads " << op_text(graph, op);
    }
  }
}

TEST_P(EveryModel, GradientsStandInTheModuleOfTheirForwardOp) {
  const Graph graph = must_build(fmt::format("{},mode=train", GetParam()));
  for (const OpId op : graph.ops()) {
    const OpId forward = graph.forward_of(op);
    if (forward == kNoOp) continue;
    EXPECT_EQ(graph.module(op), graph.module(forward)) << graph.name(op);
    EXPECT_EQ(graph.forward_of(forward), kNoOp) << graph.name(op);
    EXPECT_LT(index(forward), index(op));
  }
}

TEST_P(EveryModel, HasKnownTypesModulesAndLabels) {
  std::set<std::string_view> types;
  for (const OpTypeInfo& type : zoo_op_types()) types.insert(type.name);
  const Graph graph = must_build(fmt::format("{},mode=train", GetParam()));
  for (const OpId op : graph.ops()) {
    EXPECT_TRUE(types.contains(graph.type(op))) << graph.type(op);
    EXPECT_EQ(graph.label(op), graph.role(op) == Role::kParameter ? graph.name(op) : "");
    if (graph.role(op) == Role::kCompute || graph.role(op) == Role::kParameter) {
      EXPECT_FALSE(graph.module(op).empty()) << graph.name(op);
    }
  }
}

// Whether a gradient op reads the tensor, directly or through views.
bool read_by_gradients(const Graph& graph, TensorId tensor) {
  for (const OpId consumer : graph.consumers(tensor)) {
    if (graph.forward_of(consumer) != kNoOp) return true;
    if (graph.role(consumer) != Role::kView) continue;
    for (const TensorId seen : graph.outputs(consumer)) {
      if (read_by_gradients(graph, seen)) return true;
    }
  }
  return false;
}

TEST_P(EveryModel, SavedTensorsLinkForwardAndReversePass) {
  // A forward pass whose tensors nobody keeps would make memory look free.
  const Graph graph = must_build(fmt::format("{},mode=train", GetParam()));
  std::size_t forward = 0, read_later = 0;
  for (const OpId op : graph.ops()) {
    const bool gradient = graph.forward_of(op) != kNoOp || graph.updated_parameter(op) != kNoOp;
    if (graph.role(op) != Role::kCompute || gradient) continue;
    ++forward;
    read_later += read_by_gradients(graph, graph.outputs(op)[0]) ? 1 : 0;
  }
  EXPECT_GT(read_later * 4, forward);
}

std::set<std::string> modules_of(const std::string& spec) {
  const Graph graph = must_build(spec);
  std::set<std::string> modules;
  for (const OpId op : graph.ops()) modules.insert(graph.module(op));
  return modules;
}

TEST(Modules, LeadToLayers) {
  const auto nmt = modules_of("nmt-2,batch=2,unroll=2,hidden=4,vocab=9");
  for (const char* path :
       {"embedding.source", "embedding.target", "encoder.layer.0", "encoder.layer.1.t1", "decoder.layer.0.t0",
        "decoder.layer.1.t1", "attention", "attention.t1", "softmax", "softmax.t0", "loss"}) {
    EXPECT_TRUE(nmt.contains(path)) << path;
  }
  const auto gnmt = modules_of("nmt-2,batch=2,unroll=2,hidden=4,vocab=9,attention=gnmt,bidirectional=1");
  EXPECT_TRUE(gnmt.contains("attention.t0"));
  EXPECT_TRUE(gnmt.contains("encoder.layer.0.backward.t1"));
  EXPECT_TRUE(modules_of("rnnlm,batch=2,unroll=2,hidden=4,vocab=9").contains("lstm.layer.1.t1"));
  EXPECT_TRUE(modules_of("resnet-50,batch=1,image=32").contains("block.15.conv3.conv"));
  EXPECT_TRUE(modules_of("inception-v3,batch=1").contains("block.10.pool.conv.bn"));
  EXPECT_TRUE(modules_of("bert-base,batch=1,seq=8").contains("encoder.layer.11.attention.query"));
  EXPECT_TRUE(modules_of("moe,batch=1,seq=8").contains("layer.11.expert.7.down"));
  EXPECT_TRUE(modules_of("gpt2,batch=1,seq=8").contains("layer.11.mlp.up"));
}

TEST(Modules, ParametersOfALayerCarryItsName) {
  const Graph graph = must_build("nmt-2,batch=2,unroll=2,hidden=4,vocab=9,gates=joined");
  std::set<std::string> labels;
  for (const OpId op : graph.ops()) labels.insert(graph.label(op));
  for (const char* label : {"embedding.source.weight", "encoder.layer.0.weight_ih", "decoder.layer.1.weight_hh",
                            "decoder.layer.1.bias", "attention.v", "softmax.weight"}) {
    EXPECT_TRUE(labels.contains(label)) << label;
  }
}

// Refusal goes by estimates, so these must be near the truth. The error names them: layers beyond the limit are
// compared with a count of few layers, scaled.
TEST(Estimates, AreWithinATenthForUnrolledModels) {
  const double few = static_cast<double>(must_build("nmt-2,layers=20,unroll=50,batch=1,hidden=2,vocab=4").num_ops());
  const double more = static_cast<double>(must_build("nmt-2,layers=30,unroll=50,batch=1,hidden=2,vocab=4").num_ops());
  const double at_700 = few + (more - few) / 10 * 680;
  const std::string message = build_zoo_model("nmt-2,layers=700,unroll=50,batch=1,hidden=2,vocab=4").error().message;
  const std::size_t about = message.find("about ");
  ASSERT_NE(about, std::string::npos) << message;
  EXPECT_NEAR(std::stod(message.substr(about + 6)) * 1e6, at_700, 0.1 * at_700) << message;
}

}  // namespace
}  // namespace berth
