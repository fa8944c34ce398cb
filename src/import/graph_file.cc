// SPDX-License-Identifier: Apache-2.0
#include "import/graph_file.h"

#include <filesystem>

#include "files/files.h"
#include "files/json/json_reader.h"
#include "format/native_graph.h"
#include "format/native_graph_reader.h"
#include "import/aten/aten_graph.h"
#include "import/file_kind.h"
#include "import/graph_document.h"
#include "import/model_file.h"

namespace berth {
namespace {

Result<Graph> recognise_and_read(std::string text, std::string_view file_name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first != std::string::npos && text[first] != '{') return bad_input("it is no JSON object; {}", kReadableFiles);
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  return read_graph_document(std::move(document), file_name);
}

}  // namespace

std::string title_from(std::string_view file_name) {
  return std::string(without_endings(std::filesystem::path(file_name).filename().string()));
}

Result<Graph> read_graph_document(JsonDocument document, std::string_view file_name) {
  if (!document.has("format")) return bad_input("it has no \"format\"; {}", kReadableFiles);
  BERTH_TRY(const std::string format, document.string("format"));
  if (format == kNativeGraphFormat) return read_native_graph(std::move(document), title_from(file_name));
  if (format == kAtenGraphFormat) return read_aten_graph(std::move(document));
  return bad_input("the format {} is not known; {}", in_quotes(format), kReadableFiles);
}

Result<Graph> parse_graph(std::string text, std::string_view file_name) {
  auto graph = recognise_and_read(std::move(text), file_name);
  if (!graph) return in_file(file_name, graph.error());
  return graph;
}

Result<Graph> load_graph_file(const std::string& path) {
  if (is_model_file(path)) {
    BERTH_TRY(Lowered lowered, import_model(path));
    return std::move(lowered.graph);
  }
  BERTH_TRY(std::string text, read_file(path));
  return parse_graph(std::move(text), path);
}

}  // namespace berth
