// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime, several sessions: a sub-model for every stage, so that several GPUs can be used, and a manifest that
// says what goes from where to where. Weights are copied from file to file; weights and constants that two stages read
// are in both.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "export/device_names.h"
#include "export/formats.h"
#include "export/lost.h"
#include "export/onnx_placement.h"
#include "export/onnx_stage.h"
#include "export/pipeline_script.h"
#include "export/source_nodes.h"
#include "files/json/json_writer.h"
#include "files/mapped_file.h"
#include "files/protobuf/wire_parts.h"

namespace berth {
namespace {

constexpr std::string_view kStagesFormat = "berth-ort-stages/1";

std::string file_name(std::size_t stage) { return fmt::format("stage{}.onnx", stage); }

void write_names(JsonWriter& json, std::string_view key, const std::vector<std::string_view>& names) {
  json.key(key).begin_array();
  for (const std::string_view name : names) json.value(name);
  json.end_array();
}

std::vector<std::string_view> input_names(const OnnxSource& source) {
  std::vector<std::string_view> names;
  for (const OnnxSource::Named& input : source.inputs) {
    if (!source.is_weight(input.name)) names.push_back(input.name);
  }
  return names;
}

std::vector<std::string_view> output_names(const OnnxSource& source) {
  std::vector<std::string_view> names;
  for (const OnnxSource::Named& output : source.outputs) names.push_back(output.name);
  return names;
}

std::string manifest(const ExportRequest& request, const OnnxSource& source, const std::vector<OnnxStage>& stages) {
  const Machine& machine = request.problem.machine();
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("format").value(kStagesFormat);
  json.key("model").value(std::filesystem::path(request.source).filename().string());
  json.key("machine").value(machine.name());
  write_names(json, "inputs", input_names(source));
  write_names(json, "outputs", output_names(source));
  json.key("stages").begin_array(JsonLayout::kLines);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Device& device = machine.device(stages[i].device);
    json.begin_object().key("file").value(file_name(i)).key("device").value(device.name);
    json.key("kind").value(name_of(device.kind)).key("index").value(number_of_kind(machine, stages[i].device));
    json.key("nodes").value(stages[i].nodes.size());
    write_names(json, "inputs", stages[i].inputs);
    write_names(json, "outputs", stages[i].outputs);
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

void note_stages(const ExportRequest& request, const std::vector<OnnxStage>& stages, Exported& exported) {
  std::set<DeviceId> devices;
  for (const OnnxStage& stage : stages) devices.insert(stage.device);
  if (devices.size() < stages.size()) {
    exported.notes.push_back(
        fmt::format("{} for {}: the plan goes back and forth between them, and a session runs as a "
                    "whole",
                    counted(stages.size(), "stage"), counted(devices.size(), "device")));
  }
  note_order_and_fusions(request.plan, "ONNX Runtime, which orders and fuses within a stage", exported.notes);
}

}  // namespace

Result<Exported> export_ort_stages(const ExportRequest& request) {
  BERTH_TRY(const MappedFile file, MappedFile::open(request.source));
  auto source = read_onnx_source(file.bytes());
  if (!source) return in_file(request.source, source.error());
  auto placement = place_onnx_nodes(request, file.bytes(), *source);
  if (!placement) return in_file(request.source, placement.error());
  const std::vector<OnnxStage> stages =
      fill_stages(*source, *placement, make_stages(placement->nodes, placement->placed));

  auto types = find_onnx_types(file.bytes());
  if (!types) return in_file(request.source, types.error());
  const OnnxLocations locations = data_locations(*source);
  const std::set<std::string_view> open_ranks = find_open_ranks(*source, placement->placed);
  const OnnxWhole whole{file.bytes(), *source, placement->model, *types, open_ranks, locations};
  Exported exported{.files = {}, .notes = placement->notes};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto parts = write_onnx_stage(whole, stages[i]);
    if (!parts) return in_file(request.source, parts.error());
    if (size_of(*parts) > kMostMessageBytes) {
      return bad_input("{}: stage {} would be larger than the 2 GiB that protobuf reads; move the weights out of it",
                       request.source, i);
    }
    exported.files.push_back({.name = file_name(i), .source = request.source, .parts = *std::move(parts)});
  }
  exported.files.push_back({.name = "pipeline.json", .text = manifest(request, *source, stages)});
  exported.files.push_back({.name = "run.py", .text = std::string(kOrtPipelineScript)});
  note_stages(request, stages, exported);
  add_data_files(request, *source, locations, exported);
  return exported;
}

}  // namespace berth
