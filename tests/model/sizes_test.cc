// SPDX-License-Identifier: Apache-2.0
// Names of open sizes: each case is a model of a few values, whose sizes are worked out by hand.
#include "model/sizes.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

struct Part {
  std::string name;
  Shape shape;
};

// Inputs, and values inside the model.
Model model_of(Dialect dialect, const std::vector<Part>& inputs, const std::vector<Part>& inner = {}) {
  Model model;
  model.dialect = dialect;
  for (const Part& part : inputs) {
    const ValueIndex value = model.add({.name = part.name, .dtype = DType::kF32, .shape = part.shape});
    model.leaves.push_back({.value = value, .role = Role::kInput});
  }
  for (const Part& part : inner) model.add({.name = part.name, .dtype = DType::kF32, .shape = part.shape});
  return model;
}

Dim named(std::string symbol) { return {-1, std::move(symbol)}; }
Dim sized(std::int64_t size, std::string symbol = "") { return {size, std::move(symbol)}; }
Dim open() { return {}; }

// "2,3 ?,4": sizes of every value.
std::string sizes_of(const Model& model) {
  std::string text;
  for (const Value& value : model.values) {
    if (!text.empty()) text += " ";
    for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
      const Dim& dim = (*value.shape)[axis];
      text += fmt::format("{}{}", axis > 0 ? "," : "", dim.known() ? fmt::format("{}", dim.size) : "?");
    }
  }
  return text;
}

// "batch=8 user 2 x[0]": every named dimension with its size, source, uses and first place.
std::string described(const std::vector<NamedDim>& dims) {
  std::string text;
  for (const NamedDim& dim : dims) {
    const char* source = dim.source == DimSource::kUser ? "user" : dim.source == DimSource::kFile ? "file" : "assumed";
    text += fmt::format("{}{}={} {} {} {}", text.empty() ? "" : "; ", dim.name, dim.size, source, dim.uses, dim.where);
  }
  return text;
}

TEST(BindDims, TheUsersSizesHoldAndOthersCountAsOne) {
  Model model = model_of(Dialect::kOnnx, {{"x", {named("batch"), named("seq"), sized(4)}}, {"y", {named("seq")}}});
  EXPECT_EQ(described(bind_dims(model, {{"seq", 8}})), "batch=1 assumed 1 x[0]; seq=8 user 2 x[1]");
  EXPECT_EQ(sizes_of(model), "1,8,4 8");
}

// Every shape that a size flows into has a copy of its name.
TEST(BindDims, InputsWithLongNamesGetNone) {
  Model model = model_of(Dialect::kOnnx, {{std::string(kLongestDimName, 'x'), {open()}},
                                          {std::string(kLongestDimName + 1, 'y'), {open()}}});
  EXPECT_EQ(bind_dims(model, {}).size(), 1U);
  EXPECT_EQ(sizes_of(model), "1 ?");
}

TEST(BindDims, InputsWithoutNamesGetOne) {
  Model model = model_of(Dialect::kOnnx, {{"x", {open(), open()}}});
  EXPECT_EQ(described(bind_dims(model, {{"x.1", 6}})), "x.0=1 assumed 1 x[0]; x.1=6 user 1 x[1]");
  EXPECT_EQ(sizes_of(model), "1,6");
}

TEST(BindDims, ExpressionsFollowTheirNames) {
  Model model = model_of(Dialect::kOnnx, {{"mask", {named("past + seq")}}, {"x", {named("seq")}}},
                         {{"y", {named("2*seq")}}, {"z", {named("unk_6")}}});
  EXPECT_EQ(described(bind_dims(model, {{"seq", 5}})), "past=1 assumed 1 mask[0]; seq=5 user 3 mask[0]");
  EXPECT_EQ(sizes_of(model), "6 5 10 ?") << "what no input has is left to inference";
}

TEST(BindDims, AWholeExpressionCanBeGiven) {
  Model model = model_of(Dialect::kOnnx, {{"mask", {named("past + 1")}}});
  EXPECT_EQ(described(bind_dims(model, {{"past + 1", 9}})), "past + 1=9 user 1 mask[0]");
  EXPECT_EQ(sizes_of(model), "9");
}

TEST(BindDims, SizesOfTheExportStayUnlessTheUserChangesThem) {
  const std::vector<Part> inputs{{"x", {sized(8, "s77"), sized(3, "s1")}}};
  const std::vector<Part> inner{{"y", {sized(16, "2*s77"), sized(3, "s1")}}, {"z", {sized(4, "Odd(s77)")}}};
  Model as_exported = model_of(Dialect::kAten, inputs, inner);
  EXPECT_EQ(described(bind_dims(as_exported, {})), "s77=8 file 2 x[0]; s1=3 file 2 x[1]; Odd(s77)=4 file 1 z[0]");
  EXPECT_EQ(sizes_of(as_exported), "8,3 16,3 4");
  Model changed = model_of(Dialect::kAten, inputs, inner);
  bind_dims(changed, {{"s77", 5}});
  EXPECT_EQ(sizes_of(changed), "5,3 10,3 ?") << "a size that no longer holds and cannot be worked out is not known";
}

TEST(BindDims, WhereNothingIsInferredNamesInsideCountAsOne) {
  Model model =
      model_of(Dialect::kOpenVino, {{"a-b", {named("a-b.0")}}}, {{"y", {named("a-b.0"), named("concat.2"), open()}}});
  EXPECT_EQ(described(bind_dims(model, {{"a-b.0", 7}})), "a-b.0=7 user 2 a-b[0]; concat.2=1 assumed 1 y[1]");
  EXPECT_EQ(sizes_of(model), "7 7,1,?");
}

std::string error_of(const Model& model, const DimSizes& sizes) {
  const Status status = check_dims(model, sizes);
  return status ? "fine" : status.error().message;
}

TEST(CheckDims, NamesThatTheModelHas) {
  const Model model =
      model_of(Dialect::kOnnx, {{"x", {named("batch"), named("past + seq"), open()}}}, {{"y", {named("unk_6")}}});
  EXPECT_EQ(error_of(model, {}), "fine");
  EXPECT_EQ(error_of(model, {{"batch", 2}, {"past", 2}, {"seq", 2}, {"x.2", 2}, {"unk_6", 2}}), "fine");
  EXPECT_EQ(error_of(model, {{"past + seq", 2}}), "fine");
  EXPECT_EQ(error_of(model, {{"bacth", 2}}),
            "the model has no dimension named 'bacth'; did you mean 'batch'? (it has batch, past, seq, x.2)");
  EXPECT_EQ(error_of(model, {{"width", 2}}), "the model has no dimension named 'width'; it has batch, past, seq, x.2");
  EXPECT_EQ(error_of(model_of(Dialect::kOnnx, {{"x", {sized(2)}}}), {{"batch", 2}}),
            "the model has no dimension named 'batch'; all its sizes are fixed");
}

}  // namespace
}  // namespace berth
