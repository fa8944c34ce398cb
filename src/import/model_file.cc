// SPDX-License-Identifier: Apache-2.0
#include "import/model_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "files/files.h"
#include "files/gzip.h"
#include "files/mapped_file.h"
#include "import/file_kind.h"
#include "import/graph_document.h"
#include "import/onnx/onnx_model.h"
#include "import/openvino/openvino_model.h"
#include "import/pt2/exported_program.h"
#include "import/tensorflow/tensorflow_graph.h"
#include "model/lower.h"

namespace berth {
namespace {

Result<Model> with_path(const std::string& path, Result<Model> model) {
  if (!model) return in_file(path, model.error());
  return model;
}

// Mapped, so that weights inside the file stay on disk; in memory if it is compressed.
class ModelBytes {
 public:
  static Result<ModelBytes> open(const std::string& path) {
    BERTH_TRY(MappedFile file, MappedFile::open(path));
    ModelBytes opened;
    if (is_gzip(file.bytes())) {
      BERTH_TRY(opened.unpacked_, read_file(path));
    } else {
      opened.mapped_.emplace(std::move(file));
    }
    return opened;
  }
  [[nodiscard]] std::string_view bytes() const { return mapped_ ? mapped_->bytes() : std::string_view(unpacked_); }

 private:
  std::optional<MappedFile> mapped_;
  std::string unpacked_;
};

Result<Model> read_onnx(const std::string& path, const ReadOptions&) {
  BERTH_TRY(const ModelBytes file, ModelBytes::open(path));
  return with_path(path, read_onnx_model(file.bytes(), title_from(path)));
}

Result<Model> read_exported(const std::string& path, const ReadOptions&) { return read_exported_program(path); }

// Names that converters give to whatever they convert.
bool says_something(std::string_view name) {
  constexpr std::array<std::string_view, 8> kEmpty{"",      "main_graph", "torch_jit", "torch-jit-export",
                                                   "model", "graph",      "network",   "main"};
  if (std::ranges::find(kEmpty, name) != kEmpty.end() || name.ends_with("_Frontend_IR")) return false;
  constexpr std::string_view kNumbered = "Model";  // "Model0"
  return !name.starts_with(kNumbered) || name.substr(kNumbered.size()).find_first_not_of("0123456789") != name.npos;
}

Result<Model> read_openvino(const std::string& path, const ReadOptions& options) {
  BERTH_TRY(const std::string text, read_file(path));
  Result<Model> model = with_path(path, read_openvino_model(text, options.open_turns));
  if (model && !says_something(model->title)) model->title = title_from(path);
  return model;
}

TensorFlowOptions for_tensorflow(const ReadOptions& options) {
  return {.outputs = options.step.outputs,
          .signature = options.step.signature,
          .tag = options.step.tag,
          .trip_count = options.open_turns};
}

Result<Model> read_tensorflow(const std::string& path, const ReadOptions& options) {
  BERTH_TRY(const ModelBytes file, ModelBytes::open(path));
  return with_path(path, read_tensorflow_graph(file.bytes(), title_from(path), for_tensorflow(options)));
}

Result<Model> read_tensorflow_text(const std::string& path, const ReadOptions& options) {
  BERTH_TRY(const std::string text, read_file(path));
  return with_path(path, read_tensorflow_graph_text(text, title_from(path), for_tensorflow(options)));
}

struct ModelReader {
  FileKind kind;
  Result<Model> (*read)(const std::string& path, const ReadOptions& options);
  bool has_steps = false;  // to choose from
};
constexpr std::array kReaders{
    ModelReader{FileKind::kOnnx, read_onnx}, ModelReader{FileKind::kExportedProgram, read_exported},
    ModelReader{FileKind::kOpenVino, read_openvino}, ModelReader{FileKind::kTensorFlow, read_tensorflow, true},
    ModelReader{FileKind::kTensorFlowText, read_tensorflow_text, true}};

const ModelReader* find_reader(FileKind kind) {
  const auto found = std::ranges::find(kReaders, kind, &ModelReader::kind);
  return found != kReaders.end() ? &*found : nullptr;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// "a.onnx, b.pb and 3 more", in the order of their names; empty if there are none.
std::string models_in(const std::string& folder) {
  constexpr std::size_t kMostNames = 3;
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    if (find_reader(kind_of_name(name)) != nullptr) names.insert(std::move(name));
  }
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMostNames) shown.push_back(name);
  }
  const std::string text = join(shown, ", ");
  return names.size() > shown.size() ? fmt::format("{} and {} more", text, names.size() - shown.size()) : text;
}

// The file that holds the model.
Result<std::string> file_of(const std::string& path) {
  if (!is_folder(path)) return path;
  for (const std::string_view name : {"saved_model.pb", "saved_model.pbtxt"}) {
    const std::string file = (std::filesystem::path(path) / name).string();
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return file;
  }
  const std::string models = models_in(path);
  const std::string instead = models.empty() ? fmt::format("the file of a model ({})", kModelEndings)
                                             : fmt::format("one of its files: {}", models);
  return in_file(path, bad_input("is a folder, and no SavedModel: it has no saved_model.pb; give {}", instead));
}

// A SavedModel is called after its folder, since its file always has the same name.
std::string title_of_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored).filename().string();
}

}  // namespace

bool is_model_file(const std::string& path) { return is_folder(path) || find_reader(kind_of_file(path)) != nullptr; }

Result<Model> read_model_file(const std::string& path, const ReadOptions& options) {
  BERTH_TRY(const std::string file, file_of(path));
  const ModelReader* reader = find_reader(kind_of_file(file));
  if (reader == nullptr) {
    return in_file(path, bad_input("it is no model of a framework; those are {}, plain or gzip", kModelEndings));
  }
  if (options.step.is_given() && !reader->has_steps) {
    return in_file(path, bad_input("output nodes, signature and tag can be chosen in TensorFlow graphs only (.pb "
                                   ".pbtxt .meta); the step of this file is all of it"));
  }
  BERTH_TRY(Model model, reader->read(file, options));
  if (file != path) model.title = title_of_folder(path);
  return model;
}

Result<Lowered> import_model(const std::string& path, const ImportOptions& options) {
  BERTH_TRY(Model model, read_model_file(path, {.step = options.step, .open_turns = loop_turns(options.dims)}));
  auto lowered = lower(std::move(model), {.dims = options.dims});
  if (!lowered) return in_file(path, lowered.error());
  return lowered;
}

}  // namespace berth
