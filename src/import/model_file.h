// SPDX-License-Identifier: Apache-2.0
// Models of frameworks, by what is in the file (import/file_kind.h): .onnx, .pt2, .xml (OpenVINO), .pb, .pbtxt and
// .meta (TensorFlow), plain or gzip; or the folder of a SavedModel, which stands for the saved_model.pb or
// saved_model.pbtxt in it. All errors begin with the file's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/lowered.h"

namespace berth {

struct Model;  // model/model.h

inline constexpr std::string_view kModelEndings = ".onnx .pt2 .xml .pb .pbtxt .meta";  // for help and errors
bool is_model_file(const std::string& path);  // any folder counts: reading it says what is wrong with it

// Which part of a file is the step, where a format leaves that open: TensorFlow. Refused for all others.
struct StepChoice {
  std::vector<std::string> outputs = {};  // nodes that are wanted: "node", "node:1", "^node" to just run it
  std::string signature = {}, tag = {};   // of a SavedModel or MetaGraphDef

  [[nodiscard]] bool is_given() const { return !outputs.empty() || !signature.empty() || !tag.empty(); }
};

struct ImportOptions {
  DimSizes dims = {};  // size of every dimension the user names
  StepChoice step = {};
};

struct ReadOptions {
  StepChoice step = {};
  std::int64_t open_turns = 1;  // of loops of which the file does not tell how often they turn
};

// The model as the file has it; lower() infers shapes and gives named dimensions their sizes.
Result<Model> read_model_file(const std::string& path, const ReadOptions& options = {});

// The model as a graph, with what had to be assumed about it. A dimension that the model does not have is an error.
Result<Lowered> import_model(const std::string& path, const ImportOptions& options = {});

}  // namespace berth
