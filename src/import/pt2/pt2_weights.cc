// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/pt2_weights.h"

#include <algorithm>
#include <unordered_map>

#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/zip_member.h"
#include "import/pt2/exported_program.h"

namespace berth {
namespace {

using WeightContents = std::unordered_map<std::string, std::string>;  // by label

// "x/data/weights/model_weights_config.json" of torch 2.8 and newer: {"config": {label: {"path_name": file}}}.
Result<WeightContents> read_weight_contents(const std::string& path) {
  bool is_there = true;
  auto text = read_zip_member(path, [&](std::span<const std::string> names) -> Result<std::size_t> {
    const auto found =
        std::ranges::find_if(names, [](std::string_view name) { return name.ends_with("_weights_config.json"); });
    is_there = found != names.end();
    if (!is_there) return bad_input("it does not say which weights are tied");
    return static_cast<std::size_t>(found - names.begin());
  });
  if (!is_there) return WeightContents();
  if (!text) return text.error();
  BERTH_TRY(JsonDocument document, JsonDocument::open(*std::move(text)));
  if (!document.has("config")) return WeightContents();
  BERTH_TRY(const JsonValue config, document.member("config"));
  WeightContents contents;
  BERTH_RETURN_IF_ERROR(config.for_each_member([&](std::string_view label, const JsonValue& weight) -> Status {
    if (const auto file = weight.find("path_name")) {
      BERTH_TRY(const std::string_view name, file->string());
      contents.emplace(label, name);
    }
    return {};
  }));
  return contents;
}

Result<std::vector<Pt2Weight>> read(const std::string& path) {
  BERTH_TRY(const Pt2Signature signature, read_exported_signature(path));
  BERTH_TRY(const WeightContents contents, read_weight_contents(path));
  std::vector<Pt2Weight> weights;
  for (const Pt2Input& input : signature.inputs) {
    if (input.role != Role::kParameter && input.role != Role::kBuffer) continue;
    const auto content = contents.find(input.label);
    weights.push_back({input.label, content != contents.end() ? content->second : std::string()});
  }
  return weights;
}

}  // namespace

Result<std::vector<Pt2Weight>> read_pt2_weights(const std::string& path) {
  auto weights = read(path);
  if (!weights) return in_file(path, weights.error());
  return weights;
}

}  // namespace berth
