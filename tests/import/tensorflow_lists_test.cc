// SPDX-License-Identifier: Apache-2.0
// Lists of tensors that loops read and write: what is known of them reaches every reader, although loops are cut.
#include <gtest/gtest.h>

#include "import/tensorflow_sample.h"

namespace berth::tensorflow {
namespace {

std::string list_shape(const Model& model, std::string_view name) {
  for (const Value& value : model.values) {
    if (value.name == name) return shape_text(value);
  }
  return "missing";
}

std::string array(std::string_view name, std::string_view size, std::string_view attributes) {
  return node(name, "TensorArrayV3", size, fmt::format("dtype:f32 {}", attributes));
}

// A layer as dynamic_rnn makes it: x [time, batch, inputs] goes into an array, a loop multiplies each of its tensors by
// `w` and puts the results into another, which becomes one tensor again, PREFIX/y.
std::string recurrent_layer(std::string_view prefix, std::string_view x, std::string_view w, std::string_view time) {
  std::string graph;
  const auto add = [&](std::string_view name, std::string_view op, std::string_view inputs, std::string_view rest) {
    std::string full;  // names of the layer get its prefix; those of the world outside begin with '/'
    for (const std::string_view input : split(inputs, ' ')) {
      full += input.starts_with('/') ? fmt::format("{} ", input.substr(1)) : fmt::format("{}/{} ", prefix, input);
    }
    graph += node(fmt::format("{}/{}", prefix, name), op, full, rest);
  };
  const auto outside = [](std::string_view name) { return fmt::format("/{}", name); };
  add("in", "TensorArrayV3", outside(time), "dtype:f32");
  add("out", "TensorArrayV3", outside(time), "dtype:f32 element_shape:[?,?]");
  add("filled", "TensorArrayScatterV3", fmt::format("in /indices {} in:1", outside(x)), "T:f32");
  add("flow", "Enter", "out:1", "T:f32 frame_name:'f'");
  add("merge", "Merge", "flow next", "T:f32");
  add("cond", "LoopCond", "/go", "");
  add("switch", "Switch", "merge cond", "T:f32");
  add("handle", "Enter", "in", "T:resource frame_name:'f' is_constant:true");
  add("values", "Enter", "filled", "T:f32 frame_name:'f' is_constant:true");
  add("item", "TensorArrayReadV3", "handle /index values", "dtype:f32");
  add("product", "MatMul", fmt::format("item {}", outside(w)), "T:f32");
  add("results", "Enter", "out", "T:resource frame_name:'f' is_constant:true");
  add("write", "TensorArrayWriteV3", "results /index product switch:1", "T:f32");
  add("next", "NextIteration", "write", "T:f32");
  add("exit", "Exit", "switch", "T:f32");
  add("length", "TensorArraySizeV3", "out exit", "");
  add("indices", "Range", "/index length /one", "Tidx:i32");
  add("y", "TensorArrayGatherV3", "out indices exit", "dtype:f32 element_shape:[?,?]");
  return graph;
}

std::string world() {
  return placeholder("x", "[5,8,16]") + placeholder("w1", "[16,32]") + placeholder("w2", "[32,4]") +
         constant("time", "5") + constant("indices", "0,1,2,3,4") + constant("index", "0") + constant("one", "1") +
         node("go", "Placeholder", "", "dtype:f32 shape:[]");
}

TEST(TensorFlowLists, ArraysOfALoopHaveTheSizesOfWhatIsPutIn) {
  const Model model = read_text(world() + recurrent_layer("a", "x", "w1", "time"));
  EXPECT_EQ(list_shape(model, "a/item"), "[8,16]");
  EXPECT_EQ(list_shape(model, "a/product"), "[8,32]");
  EXPECT_EQ(list_shape(model, "a/y"), "[5,8,32]") << "as the loop wrote it";
  EXPECT_EQ(list_shape(model, "a/in"), "[2]") << "a handle";
  EXPECT_EQ(list_shape(model, "a/exit"), "[]") << "a flow";
}

// The second layer reads what the first wrote: what is known goes through two loops that are both cut.
TEST(TensorFlowLists, LayersBehindEachOther) {
  const Model model =
      read_text(world() + recurrent_layer("a", "x", "w1", "time") + recurrent_layer("b", "a/y", "w2", "time"));
  EXPECT_EQ(list_shape(model, "b/item"), "[8,32]");
  EXPECT_EQ(list_shape(model, "b/y"), "[5,8,4]");
  for (const Value& value : model.values) EXPECT_EQ(shape_text(value).find('?'), std::string::npos) << value.name;
}

// A layer as Keras makes it: the loop is a function that gets the lists and gives the second back.
TEST(TensorFlowLists, ListsThatALoopOfFunctionsFills) {
  const std::string body =
      function({"body", "i xs ys w", "i_out=i xs_out=xs ys_out=set:output_handle:0 w_out=w",
                body_node("shape", "TensorListElementShape", "xs", "shape_type:i32") +
                    body_node("item", "TensorListGetItem", "xs i shape:element_shape:0", "element_dtype:f32") +
                    body_node("product", "MatMul", "item:item:0 w", "T:f32") +
                    body_node("set", "TensorListSetItem", "ys i product:product:0", "element_dtype:f32")});
  const std::string graph = placeholder("x", "[5,8,16]") + placeholder("w", "[16,32]") + constant("sizes", "-1,16") +
                            constant("results", "-1,32") + constant("time", "5") + constant("zero", "0") +
                            node("xs", "TensorListFromTensor", "x sizes", "element_dtype:f32 shape_type:i32") +
                            node("ys", "TensorListReserve", "results time", "element_dtype:f32 shape_type:i32") +
                            node("loop", "While", "zero xs ys w", "body:$body cond:$cond") +
                            node("y", "TensorListStack", "loop:2 results", "element_dtype:f32 num_elements:-1");
  const Model model = read_text(graph + body + function({"cond", "i xs ys w", "go=i", ""}));
  EXPECT_EQ(list_shape(model, "loop/item"), "[8,16]");
  EXPECT_EQ(list_shape(model, "loop/product"), "[8,32]");
  EXPECT_EQ(list_shape(model, "y"), "[5,8,32]");
  for (const Value& value : model.values) {
    if (value.name == "y" || value.name == "loop/item") {
      EXPECT_EQ(value.dtype, DType::kF32) << value.name;
    } else if (value.name == "ys") {
      EXPECT_FALSE(value.dtype) << "a handle is no tensor";
    }
  }
}

TEST(TensorFlowLists, TensorsOfDifferentSizesLeaveTheDimensionOpen) {
  const std::string graph = placeholder("a", "[2,7]") + placeholder("b", "[3,7]") + constant("size", "2") +
                            constant("first", "0") + constant("second", "1") + array("list", "size", "") +
                            node("put", "TensorArrayWriteV3", "list first a list:1", "T:f32") +
                            node("put_too", "TensorArrayWriteV3", "list second b put", "T:f32") +
                            node("item", "TensorArrayReadV3", "list first put_too", "dtype:f32");
  EXPECT_EQ(list_shape(read_text(graph), "item"), "[?,7]");
}

// A stack: how many tensors it holds is not known, what they are is.
TEST(TensorFlowLists, TensorsArePushedAndPopped) {
  const std::string graph = placeholder("x", "[2,7]") + constant("any", "-1,-1") + constant("most", "-1") +
                            node("empty", "EmptyTensorList", "any most", "element_dtype:f32 shape_type:i32") +
                            node("pushed", "TensorListPushBack", "empty x", "element_dtype:f32") +
                            node("popped", "TensorListPopBack", "pushed any", "element_dtype:f32") +
                            node("y", "Relu", "popped:1", "T:f32") +
                            node("all", "TensorListStack", "pushed any", "element_dtype:f32 num_elements:-1");
  const Model model = read_text(graph);
  EXPECT_EQ(list_shape(model, "y"), "[2,7]");
  EXPECT_EQ(list_shape(model, "all"), "[?,2,7]");
}

}  // namespace
}  // namespace berth::tensorflow
