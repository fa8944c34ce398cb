// SPDX-License-Identifier: Apache-2.0
#include "export/training/training_exports.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "graph/module_path.h"

namespace berth {
namespace {

// As Python writes one: "encoder.layer.3".
bool is_module_path(std::string_view path) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return !path.empty() && std::ranges::all_of(path, fits);
}

}  // namespace

std::span<const ExportFormat> training_exports() {
  static constexpr std::array kFormats{
      ExportFormat{.name = "deepspeed",
                   .summary = "a pipeline: a PipelineModule with its parts, and a configuration",
                   .is_folder = true,
                   .make_of_pipeline = export_deepspeed},
      ExportFormat{.name = "megatron",
                   .summary = "a pipeline: flags of Megatron-LM, --pipeline-model-parallel-layout and others",
                   .make_of_pipeline = export_megatron},
      ExportFormat{.name = "torch-pipelining",
                   .summary = "a pipeline for torch.distributed.pipelining: split points, schedule as CSV, a script",
                   .is_folder = true,
                   .speaks_of_modules = true,
                   .make_of_pipeline = export_torch_pipelining},
      ExportFormat{.name = "torchtitan",
                   .summary = "a pipeline as part of a configuration of torchtitan, and its schedule as CSV",
                   .is_folder = true,
                   .speaks_of_modules = true,
                   .make_of_pipeline = export_torchtitan},
  };
  return kFormats;
}

std::string_view list_of(std::string_view layer) {
  const std::size_t dot = layer.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == layer.size()) return {};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(layer.substr(dot + 1), is_digit) ? layer.substr(0, dot) : std::string_view();
}

Status check_layer_names(const PipelinePlan& plan) {
  for (const PipelineStage& stage : plan.stages) {
    for (const std::string& layer : stage.layers) {
      const bool is_plain =
          std::ranges::all_of(layer, [](unsigned char c) { return c >= ' ' && c != '"' && c != '\\'; });
      if (!is_plain)
        return bad_input("layer '{}' has a name that no file of Python can hold as it is", printable(layer));
    }
  }
  return {};
}

Result<std::vector<std::vector<std::string>>> module_paths(const TrainingExportRequest& request) {
  std::vector<std::vector<std::string>> paths;
  for (const PipelineStage& stage : request.plan.stages) {
    paths.emplace_back();
    for (const std::string& layer : stage.layers) {
      const auto path = below(request.module_prefix, layer);
      if (path && is_module_path(*path)) {
        paths.back().emplace_back(*path);
      } else if (!path || path->empty()) {
        return bad_input("--module-prefix: layer '{}' is not inside '{}'", layer, request.module_prefix);
      } else {
        return bad_input(
            "the graph calls a layer '{}', and PyTorch's modules have paths like 'h.3'; capture the model with "
            "python -m berth.capture --train, which keeps them",
            layer);
      }
    }
  }
  return paths;
}

}  // namespace berth
