// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/layers.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "plan/layers/layer_kinds.h"

namespace berth {
namespace {

// A model written down op by op; every tensor is one scalar.
class Model {
 public:
  OpId parameter(std::string_view label) {
    return builder_.add(
        {.name = label, .type = "parameter", .role = Role::kParameter, .outputs = {{}}, .label = label});
  }
  OpId input(std::string_view name) {
    return builder_.add({.name = name, .type = "input", .role = Role::kInput, .outputs = {{}}});
  }
  OpId op(std::string_view name, std::initializer_list<OpId> inputs, std::string_view type = "op") {
    return builder_.add({.name = name, .type = type, .inputs = refs(inputs), .outputs = {{}}});
  }
  OpId view(std::string_view name, OpId of) {
    return builder_.add({.name = name, .type = "view", .role = Role::kView, .inputs = refs({of}), .outputs = {{}}});
  }
  OpId in_module(std::string_view name, std::string_view module, std::initializer_list<OpId> inputs) {
    return builder_.add({.name = name, .type = "op", .inputs = refs(inputs), .outputs = {{}}, .module = module});
  }
  OpId gradient(std::string_view name, OpId forward, std::initializer_list<OpId> inputs) {
    return builder_.add({.name = name, .type = "op", .inputs = refs(inputs), .outputs = {{}}, .forward_of = forward});
  }
  void update(std::string_view name, OpId parameter, OpId gradient) {
    builder_.add({.name = name, .type = "sgd_update", .inputs = refs({parameter, gradient}), .updates = parameter});
  }
  void output(OpId op) { builder_.mark_output({op, 0}); }
  Graph build() { return std::move(builder_).build().value(); }

 private:
  static std::vector<OutputRef> refs(std::initializer_list<OpId> ops) {
    std::vector<OutputRef> result;
    for (const OpId op : ops) result.push_back({op, 0});
    return result;
  }
  GraphBuilder builder_{"model"};
};

// "name=layer" of every op, and "*" behind those of the backward pass.
std::string describe_layers(const Graph& graph) {
  const std::optional<Layers> layers = find_layers(graph);
  if (!layers) return "none";
  std::string text;
  for (const OpId op : graph.ops()) {
    text += fmt::format("{}{}={}{}", text.empty() ? "" : " ", graph.name(op), layers->names[layers->of_op[index(op)]],
                        layers->backward[index(op)] != 0 ? "*" : "");
  }
  return text;
}

TEST(FindLayers, NoneWithoutNames) {
  Model model;
  model.op("b", {model.input("x")});
  EXPECT_EQ(describe_layers(model.build()), "none");
}

TEST(FindLayers, OpsFollowTheParametersTheyReadThroughViews) {
  Model model;
  const OpId x = model.input("x");
  const OpId w0 = model.parameter("l.0.w"), w1 = model.parameter("l.1.w");
  const OpId cast = model.op("cast", {x});
  const OpId t = model.view("t", model.view("s", w0));
  const OpId a = model.op("a", {cast, t});
  const OpId relu = model.op("relu", {a});
  model.op("residual", {cast, model.op("b", {relu, w1})});
  EXPECT_EQ(describe_layers(model.build()),
            "x=l.0 l.0.w=l.0 l.1.w=l.1 cast=l.0 s=l.0 t=l.0 a=l.0 relu=l.0 b=l.1 residual=l.1");
}

TEST(FindLayers, ModulePathsComeFirst) {
  Model model;
  const OpId x = model.input("x");
  const OpId a = model.in_module("a", "net.block.1", {x});
  const OpId b = model.op("b", {a});
  model.in_module("c", "net.block.0", {b});
  const Graph graph = model.build();
  EXPECT_EQ(describe_layers(graph), "x=net.block.1 a=net.block.1 b=net.block.1 c=net.block.0");
  EXPECT_EQ(find_layers(graph)->names, (std::vector<std::string>{"net.block.1", "net.block.0"}))
      << "order of execution";
}

// As the old ONNX exporter writes it: scopes in the names of ops, and weights whose names it made up.
TEST(FindLayers, ScopesInNamesStandInForModules) {
  Model model;
  const OpId x = model.input("x");
  const OpId w0 = model.parameter("onnx::MatMul_16"), w1 = model.parameter("enc.layer.1.fc.bias");
  const OpId a = model.op("/enc/layer.0/fc/MatMul", {x, w0});
  const OpId b = model.op("/enc/layer.1/fc/Add", {a, w1});
  model.op("Softmax_3", {b});
  EXPECT_EQ(describe_layers(model.build()),
            "x=/enc/layer.0 onnx::MatMul_16=/enc/layer.0 enc.layer.1.fc.bias=enc.layer.1 "
            "/enc/layer.0/fc/MatMul=/enc/layer.0 /enc/layer.1/fc/Add=enc.layer.1 Softmax_3=enc.layer.1");
}

TEST(FindLayers, NumbersOfOpsAreNoLayers) {
  Model model;
  model.op("node_MatMul_11", {model.op("Conv_17", {model.input("x")})});
  EXPECT_EQ(describe_layers(model.build()), "none");
}

// A weight without a module is of its reader's layer, whatever an exporter called it.
TEST(FindLayers, WeightsGoWithTheirReader) {
  Model model;
  const OpId x = model.input("x");
  const OpId w = model.parameter("val_12"), v = model.parameter("class_token");
  const OpId a = model.in_module("a", "enc.encoder_layer_0.mlp.0", {x, v});
  model.in_module("b", "enc.encoder_layer_1.mlp.0", {a, w});
  EXPECT_EQ(describe_layers(model.build()),
            "x=enc.encoder_layer_0 val_12=enc.encoder_layer_1 class_token=enc.encoder_layer_0 a=enc.encoder_layer_0 "
            "b=enc.encoder_layer_1");
}

// Two linear layers with relus, backward as a framework writes it, without a word on which gradient belongs to which
// op.
TEST(FindLayers, GradientsFindTheirLayerWithoutBeingTold) {
  Model model;
  const OpId w0 = model.parameter("l.0.w"), w1 = model.parameter("l.1.w");
  const OpId x = model.input("x");
  const OpId h = model.op("h", {x, w0});
  const OpId r = model.op("r", {h});
  const OpId y = model.op("y", {r, w1});
  const OpId loss = model.op("loss", {y});
  model.output(loss);
  const OpId ones = model.op("ones", {loss});
  const OpId gy = model.op("gy", {ones, y});
  const OpId gw1 = model.op("gw1", {gy, r});  // reads the activation of layer 0 but leads to the update of layer 1
  const OpId gr = model.op("gr", {gy, w1});
  const OpId gh = model.op("gh", {gr, r});
  const OpId gw0 = model.op("gw0", {gh, x});
  const OpId sum = model.op("sum", {gw0, gw0});
  model.update("u0", w0, sum);
  model.update("u1", w1, gw1);
  EXPECT_EQ(describe_layers(model.build()),
            "l.0.w=l.0 l.1.w=l.1 x=l.0 h=l.0 r=l.0 y=l.1 loss=l.1 ones=l.1* gy=l.1* gw1=l.1* gr=l.1* gh=l.0* gw0=l.0* "
            "sum=l.0* u0=l.0* u1=l.1*");
}

TEST(FindLayers, GradientsGoWithTheForwardOpTheGraphNames) {
  Model model;
  const OpId w = model.parameter("l.0.w");
  const OpId x = model.input("x");
  const OpId a = model.op("a", {x, w});
  const OpId b = model.in_module("b", "l.1", {a});
  model.output(b);
  const OpId gb = model.gradient("gb", b, {b});
  const OpId ga = model.gradient("ga", a, {gb});
  model.update("u", w, ga);
  EXPECT_EQ(describe_layers(model.build()), "l.0.w=l.0 x=l.0 a=l.0 b=l.1 gb=l.1* ga=l.0* u=l.0*");
}

// Of layers that read the same weights: all, those that are bound by them behind a colon, and the bytes in fours.
std::string describe_tied(const Graph& graph) {
  const Layers layers = find_layers(graph).value();
  std::string text;
  for (const TiedLayers& tied : tied_layers(graph, layers)) {
    for (const std::uint32_t layer : tied.readers) text += layers.names[layer] + " ";
    text += ":";
    for (const std::uint32_t layer : tied.bound) text += " " + layers.names[layer];
    text += fmt::format(" {}; ", tied.shared / 4);
  }
  return text;
}

TEST(TiedLayers, AreBoundByWhatIsMostOfTheirWeights) {
  Model model;
  const OpId scale = model.parameter("h.0.scale"), own = model.parameter("h.0.own");
  const OpId table = model.parameter("wte.weight"), other = model.parameter("wte.other");
  const OpId e = model.in_module("e", "wte", {model.input("x"), table, other});
  const OpId a = model.in_module("a", "h.0", {e, scale, own});
  const OpId b = model.in_module("b", "h.1", {a, scale});
  model.in_module("o", "lm_head", {b, model.view("t", table), other});
  EXPECT_EQ(describe_tied(model.build()), "wte lm_head : wte lm_head 2; h.0 h.1 : h.1 1; ");
}

TEST(TiedLayers, AreNotThoseThatShareLittle) {
  Model model;
  const OpId ones = model.parameter("h.0.norm.weight");
  const OpId a = model.in_module("a", "h.0", {model.input("x"), ones, model.parameter("h.0.w")});
  model.in_module("b", "h.1", {a, ones, model.parameter("h.1.w")});
  EXPECT_EQ(describe_tied(model.build()), "");
}

TEST(LayerKinds, AnUnrolledCellIsRecurrentAndItsSurroundingsAreNot) {
  Model model;
  const OpId table = model.parameter("emb.w"), w = model.parameter("cell.0.w"), q = model.parameter("attention.q");
  OpId state = model.input("start");
  const OpId tokens = model.input("tokens");
  for (const std::string step : {"0", "1", "2"}) {
    const OpId x = model.op("x" + step, {table, tokens}, "aten.embedding");
    const OpId context = model.op("c" + step, {q, state});  // in the loop, but only by way of the cell
    state = model.op("h" + step, {x, context, state, model.view("t" + step, w)});
  }
  const Graph graph = model.build();
  const Layers layers = find_layers(graph).value();
  std::string text;
  for (const LayerKind kind : layer_kinds(graph, layers)) text += "reo"[static_cast<int>(kind)];
  EXPECT_EQ(layers.names, (std::vector<std::string>{"emb", "attention", "cell.0"}));
  EXPECT_EQ(text, "eor");
}

TEST(LayerKinds, StateThatStaysInTheCellMakesItRecurrent) {
  Model model;
  const OpId w = model.parameter("cell.0.w"), v = model.parameter("cell.1.w");
  OpId state = model.input("start");
  for (const std::string step : {"0", "1"}) {
    state = model.op("h" + step, {state, w});
    model.op("y" + step, {state, v});  // reads its parameter twice, too, but never what it made of it
  }
  const Graph graph = model.build();
  const std::vector<LayerKind> kinds = layer_kinds(graph, find_layers(graph).value());
  EXPECT_EQ(kinds, (std::vector<LayerKind>{LayerKind::kRecurrent, LayerKind::kOther}));
}

TEST(LayerKinds, AFeedForwardLayerInTrainingIsNotRecurrent) {
  Model model;
  const OpId w = model.parameter("l.0.w");
  const OpId a = model.op("a", {model.input("x"), w});
  model.output(a);
  const OpId g = model.op("g", {a, w});
  model.update("u", w, g);
  const Graph graph = model.build();
  EXPECT_EQ(layer_kinds(graph, find_layers(graph).value()), std::vector<LayerKind>{LayerKind::kOther});
}

// As exporters write models that were not trained: all normalisations have one weight, the ones.
TEST(LayerKinds, AWeightThatLayersShareMakesNoneOfThemRecurrent) {
  for (const bool shared : {false, true}) {
    Model model;
    const OpId ones = model.parameter("h.0.norm.weight");
    const OpId first = model.in_module("first", "h.0.norm", {model.input("x"), ones});
    const OpId second = model.in_module("second", "h.0.norm_2", {first, ones});
    model.in_module("third", "h.1.norm", {second, shared ? ones : second});
    const Graph graph = model.build();
    const LayerKind expected = shared ? LayerKind::kOther : LayerKind::kRecurrent;
    EXPECT_EQ(layer_kinds(graph, find_layers(graph).value()), (std::vector<LayerKind>{expected, LayerKind::kOther}));
  }
}

TEST(LayerKinds, FusedCellsAreKnownByTheirType) {
  Model model;
  model.op("y", {model.input("x"), model.parameter("rnn.weight_ih_l0")}, "aten.lstm.input");
  const Graph graph = model.build();
  EXPECT_EQ(layer_kinds(graph, find_layers(graph).value()), std::vector<LayerKind>{LayerKind::kRecurrent});
}

}  // namespace
}  // namespace berth
