// SPDX-License-Identifier: Apache-2.0
#include "io/export/exporter.h"

#include <array>
#include <filesystem>

#include "io/export/formats.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

// No links: readers of models refuse files with several names, since those could be traps.
Status copy_file(const std::string& source, const std::string& path) {
  std::error_code failed;
  if (fs::equivalent(source, path, failed)) return {};
  const std::uintmax_t size = fs::file_size(source, failed);
  if (failed) return bad_input("{}: cannot read it: {}", source, failed.message());
  const std::array whole{FilePart{.offset = 0, .size = static_cast<std::size_t>(size)}};
  return write_parts_atomically(path, source, whole);
}

Status save(const ExportedFile& file, const std::string& path) {
  if (file.is_copy) return copy_file(file.source, path);
  if (!file.source.empty()) return write_parts_atomically(path, file.source, file.parts);
  return write_file_atomically(path, file.text);
}

}  // namespace

std::span<const ExportFormat> plan_exports() {
  static constexpr std::array kFormats{
      ExportFormat{"accelerate", "device_map of Hugging Face accelerate and transformers, as JSON", false, "",
                   export_accelerate},
      ExportFormat{"csv", "one line per op: type, module, device, priority, time, bytes", false, "", export_csv},
      ExportFormat{"dot", "the coarse graph for Graphviz: blocks of ops, a cluster per device", false, "", export_dot},
      ExportFormat{"model-explorer", "node data for Google's Model Explorer: device, time and bytes", true, "",
                   export_model_explorer},
      ExportFormat{"openvino", "affinity of every op for OpenVINO's HETERO, and a script that applies it", true,
                   ".xml .xml.gz", export_openvino},
      ExportFormat{"ort", "the model with layer annotations for one session of ONNX Runtime, and its options", true,
                   ".onnx", export_ort},
      ExportFormat{"ort-stages", "sub-models for ONNX Runtime, one per stage, a manifest and a script that runs them",
                   true, ".onnx", export_ort_stages},
      ExportFormat{"tensorflow", "the graph with device fields", false, ".pb .meta", export_tensorflow},
  };
  return kFormats;
}

Status save_export(const ExportFormat& format, const Exported& exported, const std::string& output) {
  if (!format.is_folder) {
    BERTH_CHECK(exported.files.size() == 1);
    return save(exported.files.front(), output);
  }
  std::error_code failed;
  fs::create_directories(output, failed);
  if (failed) return bad_input("{}: cannot make this folder: {}", output, failed.message());
  for (const ExportedFile& file : exported.files) {
    const fs::path path = fs::path(output) / file.name;
    fs::create_directories(path.parent_path(), failed);
    if (failed) return bad_input("{}: cannot make this folder: {}", path.parent_path().string(), failed.message());
    BERTH_RETURN_IF_ERROR(save(file, path.string()));
  }
  return {};
}

Exported one_file(std::string text, std::vector<std::string> notes) {
  return {{{.text = std::move(text)}}, std::move(notes)};
}

}  // namespace berth
