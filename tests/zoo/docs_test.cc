// SPDX-License-Identifier: Apache-2.0
// docs/zoo.md repeats the tables of the code; this says when they part.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "graph_text.h"
#include "ops/op_table.h"
#include "serving/spec.h"
#include "support/folders.h"
#include "zoo/op_types.h"

namespace berth {
namespace {

std::string documentation() {
  std::ifstream file(source_folder() / "docs" / "zoo.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ZooDocs, ListEveryModelAndParameter) {
  const std::string text = documentation();
  for (const ModelInfo& model : zoo_models()) {
    std::string rows =
        fmt::format("### `{}`\n\n{}.\n\n| parameter | default | allowed | meaning |\n| --- | --- | --- | --- |\n",
                    model.name, model.summary);
    for (const ParameterInfo& parameter : model.parameters) {
      rows += fmt::format("| `{}` | {} | {} | {} |\n", parameter.name, parameter.default_text(),
                          parameter.allowed_text(), parameter.help);
    }
    EXPECT_NE(text.find(rows), std::string::npos) << "docs/zoo.md should have:\n" << rows;
  }
}

TEST(ZooDocs, ListEveryParameterOfServedModels) {
  std::string rows;
  for (const ParameterInfo& parameter : serving_parameters()) {
    rows += fmt::format("| `{}` | {} | {} | {} |\n", parameter.name, parameter.default_text(), parameter.allowed_text(),
                        parameter.help);
  }
  EXPECT_NE(documentation().find(rows), std::string::npos) << "docs/zoo.md should have:\n" << rows;
}

TEST(ZooDocs, ListEveryOpTypeUnderItsClass) {
  const std::string text = documentation();
  std::map<std::string, std::string> by_class;
  for (const OpTypeInfo& type : zoo_op_types()) {
    const auto info = find_op(Dialect::kZoo, type.name);
    ASSERT_TRUE(info) << type.name;
    std::string& names = by_class[std::string(info->effect == Effect::kView ? "view" : name_of(info->cost_class))];
    names += fmt::format("{}`{}`", names.empty() ? "" : " ", type.name);
  }
  for (const auto& [name, types] : by_class) {
    const std::string row = fmt::format("| {} | {} |\n", name, types);
    EXPECT_NE(text.find(row), std::string::npos) << "docs/zoo.md should have:\n" << row;
  }
}

}  // namespace
}  // namespace berth
