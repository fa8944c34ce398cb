// SPDX-License-Identifier: Apache-2.0
#include "export/exporter.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "export/formats.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

// No links: readers of models refuse files with several names, since those could be traps.
Status copy_file(const std::string& source, const std::string& path) {
  std::error_code failed;
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

// Nothing inside the folder may lead out of it, and no file that the export is made of may be replaced by it.
Status check_target(const fs::path& folder, const std::string& name, const std::set<std::string>& sources) {
  std::error_code ignored;
  fs::path path = folder;
  for (const fs::path& part : fs::path(name)) {
    path /= part;
    const fs::file_status status = fs::symlink_status(path, ignored);
    if (!fs::exists(status) || fs::is_directory(status) || fs::is_regular_file(status)) continue;
    return bad_input("{}: it is a link or no plain file, and an export writes through none; remove it", path.string());
  }
  const auto is_source = [&](const std::string& source) { return fs::equivalent(path, source, ignored); };
  if (std::ranges::none_of(sources, is_source)) return {};
  return bad_input("{}: the export would replace this file, which it is made of; choose another folder", path.string());
}

}  // namespace

std::span<const ExportFormat> plan_exports() {
  static constexpr std::array kFormats{
      ExportFormat{"accelerate", "device_map of Hugging Face accelerate and transformers, as JSON", false, "",
                   export_accelerate, "PyTorch"},
      ExportFormat{"csv", "one line per op: type, module, device, priority, time, bytes", false, "", export_csv},
      ExportFormat{"dot", "the coarse graph for Graphviz: blocks of ops, a cluster per device", false, "", export_dot},
      ExportFormat{"model-explorer", "node data for Google's Model Explorer: device, time and bytes", true, "",
                   export_model_explorer},
      ExportFormat{"openvino", "affinity of every op for OpenVINO's HETERO, and a script that applies it", true,
                   ".xml .xml.gz", export_openvino, "OpenVINO"},
      ExportFormat{"ort", "the model with layer annotations for one session of ONNX Runtime, and its options", true,
                   ".onnx", export_ort, "ONNX Runtime"},
      ExportFormat{"ort-stages", "sub-models for ONNX Runtime, one per stage, a manifest and a script that runs them",
                   true, ".onnx", export_ort_stages, "ONNX Runtime"},
      ExportFormat{"tensorflow", "the graph with device fields", false, ".pb .meta", export_tensorflow, "TensorFlow"},
  };
  return kFormats;
}

Status save_export(const ExportFormat& format, const Exported& exported, const std::string& output) {
  if (!format.is_folder) {
    BERTH_CHECK(exported.files.size() == 1);
    return save(exported.files.front(), output);
  }
  std::set<std::string> sources;
  for (const ExportedFile& file : exported.files) {
    if (!file.source.empty()) sources.insert(file.source);
  }
  for (const ExportedFile& file : exported.files) {
    BERTH_RETURN_IF_ERROR(check_target(output, file.name, sources));
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
