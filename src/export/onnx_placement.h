// SPDX-License-Identifier: Apache-2.0
// The plan of a graph as devices of the nodes in the ONNX file that it was read from, for both exports to ONNX Runtime.
#pragma once

#include <string>
#include <vector>

#include "export/exporter.h"
#include "export/source_nodes.h"
#include "import/onnx/onnx_locations.h"
#include "import/onnx/onnx_source.h"
#include "model/model.h"

namespace berth {

struct OnnxPlacement {
  std::vector<SourceNode> nodes;   // like OnnxSource::nodes
  PlacedNodes placed;              // every node that is no constant has a device
  Model model;                     // the same file with its types worked out
  std::vector<std::string> notes;  // about calls of functions, which a plan takes apart and a file does not
};

// `source` is of the file's bytes.
Result<OnnxPlacement> place_onnx_nodes(const ExportRequest& request, std::string_view bytes, const OnnxSource& source);

// Weights outside the model's file. What they are called is the model author's choice, so that the copies in an export
// have names of our own: none can replace a file of the export, and none is one that Python would import or run.
OnnxLocations data_locations(const OnnxSource& source);

// Copies of those files, and what to do about those that are not there.
void add_data_files(const ExportRequest& request, const OnnxSource& source, const OnnxLocations& locations,
                    Exported& exported);

}  // namespace berth
