// SPDX-License-Identifier: Apache-2.0
// ONNX files written: a copy of a file in which nodes of the main graph have other names or further metadata, such as
// the device that a plan gives them, and weights outside the file are in other files. Everything else, known to us or
// not, is copied as it stands, in its order: only the nodes that change and the lengths of what holds them are written
// anew. Weights go from file to file through a small buffer.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "files/files.h"
#include "import/onnx/onnx_locations.h"
#include "import/onnx/onnx_node.h"

namespace berth {

// What is to change in a node; nothing by default.
struct OnnxNodeEdit {
  std::optional<std::string> name = {};
  // metadata_props (IR version 10; readers of older files skip them): an entry of the same key is replaced.
  std::vector<std::pair<std::string, std::string>> metadata = {};
};

// Asked once for every node of the main graph, in the order of the file; not for those inside subgraphs and functions.
using OnnxEditor = std::function<OnnxNodeEdit(const OnnxNode&)>;

// What the new file is put together from: stretches of `file` and new bytes.
Result<std::vector<FilePart>> edit_onnx_model(std::string_view file, const OnnxEditor& edit,
                                              const OnnxLocations& locations = {});

// Copies `source` to `path`, which may be the same file: readers see the old file or the new one, and on any error the
// old one stays. Weights outside the file are named relative to it, so a copy in another folder needs them there too.
Status write_onnx_model(const std::string& source, const std::string& path, const OnnxEditor& edit);

}  // namespace berth
