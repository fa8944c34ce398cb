// SPDX-License-Identifier: Apache-2.0
// PyTorch's .pt2 files, as torch.export.save writes them (torch 2.5 to 2.11). A zip file; its one JSON member with the
// graph is read and nothing else, so weights stay on disk. What becomes of the program:
//
// - Nodes are ATen calls; types are those of the file without "torch.ops." ("aten.conv2d.default"). Inputs are the
// tensors
//   among the arguments, in order and out of lists; None is left out. Other arguments are attributes under their names:
//   booleans are 0 or 1, dtypes our names, devices "cuda:0", None is left out. A symbolic number has the value that it
//   had during the export, if known; unknown ones are -1 inside a list and left out elsewhere.
// - Parameters, buffers and lifted constants are leaves if something reads them. Of tied parameters only one is read,
// so
//   that their bytes count once.
// - Outputs are those of the user, losses and gradients; values written back into buffers or inputs are none.
// - Symbolic sizes have the size of the export and the expression as symbol ("s77", "2*s77").
// - Numbers worked out from shapes alone, and assertions, are not kept: they run beside the tensors, in no time. A
// number
//   read from a tensor (aten.item) is a node, and so is what is worked out from it.
// - A node that writes into a tensor (aten.add_) makes a new value; control edges keep its order with those that read
// the
//   same bytes under another name.
// - Subgraphs that run once (torch.no_grad, autocast) are written out; cond, while_loop, map and the like are refused.
// - Modules are paths from the root ("layer1.0.conv1"), empty for the root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/types.h"
#include "model/model.h"

namespace berth {

Result<Model> read_exported_program(const std::string& path);

// The same from the JSON text; `file_name` is for errors and the title.
Result<Model> parse_exported_program(std::string text, std::string_view file_name);

// The signature of an exported program: what its graph's inputs and outputs are to the user.
struct Pt2Input {
  std::string name = {};  // in the graph
  Role role = Role::kInput;
  std::string label = {};  // in the model
};

struct Pt2Signature {
  std::vector<Pt2Input> inputs = {};  // tensors only
  std::vector<std::string> outputs = {};
};

// What its inputs and outputs are, with those that no node reads. Errors do not name the path.
Result<Pt2Signature> read_exported_signature(const std::string& path);

}  // namespace berth
