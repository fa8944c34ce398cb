// SPDX-License-Identifier: Apache-2.0
// Reading small exported programs, and writing down what came of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "import/exported_text.h"
#include "import/pt2/exported_program.h"

namespace berth {

inline Model parsed(const ProgramText& program) {
  auto model = parse_exported_program(program.json(), "net.pt2");
  if (model) return *std::move(model);
  ADD_FAILURE() << model.error().message;
  return {};
}

inline std::string program_error_of(const std::string& json) {
  const auto model = parse_exported_program(json, "net.pt2");
  return model ? "fine" : model.error().message;
}

// "name = type(inputs)", and " @ module" where there is one, per node.
inline std::string listing(const Model& model) {
  std::string text;
  for (const Node& node : model.nodes) {
    std::string outputs, inputs;
    for (const ValueIndex v : node.outputs) outputs += (outputs.empty() ? "" : ", ") + model.values[v].name;
    for (const ValueIndex v : node.inputs) inputs += (inputs.empty() ? "" : ", ") + model.values[v].name;
    text += fmt::format("{} = {}({}){}\n", outputs, node.type, inputs, node.module.empty() ? "" : " @ " + node.module);
  }
  return text;
}

}  // namespace berth
