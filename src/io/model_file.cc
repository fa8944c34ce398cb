// SPDX-License-Identifier: Apache-2.0
#include "io/model_file.h"

#include <algorithm>
#include <array>
#include <set>

#include "io/files.h"
#include "io/graph_document.h"
#include "io/mapped_file.h"
#include "io/onnx/onnx_model.h"
#include "io/openvino/openvino_model.h"
#include "io/pt2/exported_program.h"
#include "io/tensorflow/tensorflow_graph.h"

namespace berth {
namespace {

Result<Model> with_path(const std::string& path, Result<Model> model) {
  if (!model) return in_file(path, model.error());
  return model;
}

// Mapped, so that weights inside the file stay on disk.
Result<Model> read_onnx(const std::string& path, const DimSizes&) {
  BERTH_TRY(const MappedFile file, MappedFile::open(path));
  return with_path(path, read_onnx_model(file.bytes(), title_from(path)));
}

Result<Model> read_exported(const std::string& path, const DimSizes&) { return read_exported_program(path); }

Result<Model> read_openvino(const std::string& path, const DimSizes& sizes) {
  BERTH_TRY(const std::string text, read_file(path));
  return with_path(path, read_openvino_model(text, sizes));
}

Result<Model> read_tensorflow(const std::string& path, const DimSizes& sizes) {
  BERTH_TRY(const MappedFile file, MappedFile::open(path));
  const TensorFlowOptions options{.dims = sizes, .trip_count = loop_turns(sizes)};
  return with_path(path, read_tensorflow_graph(file.bytes(), title_from(path), options));
}

Result<Model> read_tensorflow_text(const std::string& path, const DimSizes& sizes) {
  BERTH_TRY(const std::string text, read_file(path));
  const TensorFlowOptions options{.dims = sizes, .trip_count = loop_turns(sizes)};
  return with_path(path, read_tensorflow_graph_text(text, title_from(path), options));
}

struct Reader {
  std::string_view ending;
  Result<Model> (*read)(const std::string& path, const DimSizes& sizes);
};
constexpr std::array kReaders{Reader{".onnx", read_onnx},
                              Reader{".pt2", read_exported},
                              Reader{".xml", read_openvino},
                              Reader{".xml.gz", read_openvino},
                              Reader{".pb", read_tensorflow},
                              Reader{".meta", read_tensorflow},
                              Reader{".pbtxt", read_tensorflow_text}};

const Reader* find_reader(std::string_view path) {
  const auto found =
      std::ranges::find_if(kReaders, [&](const Reader& reader) { return path.ends_with(reader.ending); });
  return found != kReaders.end() ? &*found : nullptr;
}

// The rules for the shapes of TensorFlow's ops run while the file is read, so they need every size then. Returns what
// the sizes are, since the second model has plain numbers in their place.
Result<std::vector<NamedDim>> read_again_with_sizes(const std::string& path, const DimSizes& given, Model& model) {
  std::vector<NamedDim> dims = bind_dims(model, given);
  if (dims.empty()) return dims;
  DimSizes sizes{{std::string(kLoopTurns), loop_turns(given)}};
  for (const NamedDim& dim : dims) sizes.emplace(dim.name, dim.size);
  BERTH_TRY(model, read_model_file(path, sizes));
  return dims;
}

void add_dims(const std::vector<NamedDim>& dims, LowerReport& report) {
  std::set<std::string> reported;
  for (const NamedDim& dim : report.dims) reported.insert(dim.name);
  for (const NamedDim& dim : dims) {
    if (reported.contains(dim.name)) continue;
    report.dims.push_back(dim);
    if (dim.source == DimSource::kAssumed) report.assumed_dims.emplace(dim.name, dim.uses);
  }
}

// Whether every size that was given is one of a name that was found.
bool has_all(const LowerReport& report, const DimSizes& given) {
  return std::ranges::all_of(given, [&](const auto& dim) {
    return std::ranges::find(report.dims, dim.first, &NamedDim::name) != report.dims.end();
  });
}

}  // namespace

bool is_model_file(std::string_view path) { return find_reader(path) != nullptr; }

Result<Model> read_model_file(const std::string& path, const DimSizes& sizes) {
  const Reader* reader = find_reader(path);
  if (reader == nullptr) return in_file(path, bad_input("no model of a framework has this ending"));
  return reader->read(path, sizes);
}

Result<Lowered> import_model(const std::string& path, const LowerOptions& options) {
  BERTH_TRY(Model model, read_model_file(path, {{std::string(kLoopTurns), loop_turns(options.dims)}}));
  const bool may_open_sizes = model.dialect == Dialect::kOnnx;
  const Status known = check_dims(model, options.dims);
  if (!known && !may_open_sizes) return in_file(path, known.error());
  std::vector<NamedDim> dims;
  if (model.dialect == Dialect::kTensorFlow) {
    BERTH_TRY(dims, read_again_with_sizes(path, options.dims, model));
  }
  // Here only those that the user gives: what windows make of a size of 1 is no size at all.
  if (model.dialect == Dialect::kOpenVino && !options.dims.empty()) {
    BERTH_TRY(model, read_model_file(path, options.dims));
  }
  auto lowered = lower(std::move(model), options);
  if (!lowered) return in_file(path, lowered.error());
  if (!known && !has_all(lowered->report, options.dims)) return in_file(path, known.error());
  add_dims(dims, lowered->report);
  return lowered;
}

}  // namespace berth
