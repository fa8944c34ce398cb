// SPDX-License-Identifier: Apache-2.0
#include "export/exporter.h"

#include <unistd.h>

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

// Nothing inside the folder may lead out of it or be in the way, and no file that the export is made of may be replaced
// by it.
Status check_target(const fs::path& folder, const std::string& name, const std::set<std::string>& sources) {
  std::error_code ignored;
  const fs::path target = folder / name;
  fs::path path = folder;
  for (const fs::path& part : fs::path(name)) {
    path /= part;
    const fs::file_status status = fs::symlink_status(path, ignored);
    const bool is_file = fs::is_regular_file(status), is_folder = fs::is_directory(status);
    if (fs::exists(status) && !is_file && !is_folder) {
      return bad_input("{}: it is a link or no plain file, and an export writes through none; remove it",
                       path.string());
    }
    if (path == target ? is_folder : is_file) {
      return bad_input("{}: it is a {}, and the export has a {} of this name; remove it or choose another folder",
                       path.string(), is_folder ? "folder" : "file", is_folder ? "file" : "folder");
    }
  }
  const auto is_source = [&](const std::string& source) { return fs::equivalent(path, source, ignored); };
  if (std::ranges::none_of(sources, is_source)) return {};
  return bad_input("{}: the export would replace this file, which it is made of; choose another folder", path.string());
}

Error no_folder(const fs::path& path, const std::error_code& failed) {
  return bad_input("{}: cannot make this folder: {}", path.string(), failed.message());
}

// Folders that were made for an export, so that they can be taken away again.
class NewFolders {
 public:
  // The folder with those around it that are missing.
  Status make(const fs::path& path) {
    std::error_code failed;
    if (path.empty() || fs::is_directory(path, failed)) return {};
    BERTH_RETURN_IF_ERROR(make(path.parent_path()));
    if (fs::create_directory(path, failed)) made_.push_back(path);
    if (failed) return no_folder(path, failed);
    return {};
  }
  // Those in which nothing is.
  void remove() {
    std::error_code ignored;
    for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), ignored);
  }

 private:
  std::vector<fs::path> made_;
};

// A folder of this process alone inside `folder`, so that files need only be renamed.
Result<fs::path> make_waiting_room(const fs::path& folder) {
  constexpr int kTries = 1000;
  std::error_code failed;
  for (int attempt = 0; attempt < kTries && !failed; ++attempt) {
    const fs::path path = folder / fmt::format(".export-{}-{}.tmp", ::getpid(), attempt);
    if (fs::create_directory(path, failed)) return path;
  }
  return bad_input("{}: cannot write into this folder: {}", folder.string(), failed.message());
}

// Errors name the file as it would be called in the end.
Error about(const fs::path& written, const fs::path& meant, Error error) {
  const std::string name = written.string();
  if (error.message.starts_with(name)) error.message.replace(0, name.size(), meant.string());
  return error;
}

Status write_all_files(const Exported& exported, const fs::path& room, const fs::path& folder) {
  for (const ExportedFile& file : exported.files) {
    const fs::path path = room / file.name;
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    if (failed) return no_folder(path.parent_path(), failed);
    if (const Status saved = save(file, path.string()); !saved) return about(path, folder / file.name, saved.error());
  }
  return {};
}

// A file that is replaced keeps its permissions.
Status move_in(const fs::path& from, const fs::path& to) {
  std::error_code failed, ignored;
  const fs::file_status before = fs::status(to, ignored);
  if (fs::exists(before)) fs::permissions(from, before.permissions(), ignored);
  fs::rename(from, to, failed);
  if (failed) return bad_input("{}: cannot replace it: {}", to.string(), failed.message());
  return {};
}

// Everything is written before anything takes its place: a disk that is full leaves the folder as it was.
Status write_into(const fs::path& folder, const Exported& exported, NewFolders& folders) {
  BERTH_RETURN_IF_ERROR(folders.make(folder));
  BERTH_TRY(const fs::path room, make_waiting_room(folder));
  Status done = write_all_files(exported, room, folder);
  for (const ExportedFile& file : exported.files) {
    if (done) done = folders.make((folder / file.name).parent_path());
    if (done) done = move_in(room / file.name, folder / file.name);
  }
  std::error_code ignored;
  fs::remove_all(room, ignored);
  return done;
}

}  // namespace

std::span<const ExportFormat> plan_exports() {
  static constexpr std::array kFormats{
      ExportFormat{.name = "accelerate",
                   .summary = "device_map of Hugging Face accelerate and transformers, as JSON",
                   .make = export_accelerate,
                   .runtime = "PyTorch",
                   .speaks_of_modules = true},
      ExportFormat{
          .name = "csv", .summary = "one line per op: type, module, device, priority, time, bytes", .make = export_csv},
      ExportFormat{.name = "dot",
                   .summary = "the coarse graph for Graphviz: blocks of ops, a cluster per device",
                   .make = export_dot},
      ExportFormat{.name = "model-explorer",
                   .summary = "node data for Google's Model Explorer: device, time and bytes",
                   .is_folder = true,
                   .make = export_model_explorer},
      ExportFormat{.name = "openvino",
                   .summary = "affinity of every op for OpenVINO's HETERO, and a script that applies it",
                   .is_folder = true,
                   .takes = ".xml .xml.gz",
                   .make = export_openvino,
                   .runtime = "OpenVINO",
                   .runs_by_regions = true},
      ExportFormat{.name = "ort",
                   .summary = "the model with layer annotations for one session of ONNX Runtime, and its options",
                   .is_folder = true,
                   .takes = ".onnx",
                   .make = export_ort,
                   .runtime = "ONNX Runtime"},
      ExportFormat{.name = "ort-stages",
                   .summary = "sub-models for ONNX Runtime, one per stage, a manifest and a script that runs them",
                   .is_folder = true,
                   .takes = ".onnx",
                   .make = export_ort_stages,
                   .runtime = "ONNX Runtime"},
      ExportFormat{.name = "tensorflow",
                   .summary = "the graph with device fields",
                   .takes = ".pb .meta",
                   .make = export_tensorflow,
                   .runtime = "TensorFlow"},
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
  NewFolders folders;
  Status written = write_into(output, exported, folders);
  if (!written) folders.remove();
  return written;
}

Exported one_file(std::string text, std::vector<std::string> notes) {
  return {{{.text = std::move(text)}}, std::move(notes)};
}

}  // namespace berth
