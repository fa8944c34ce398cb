// SPDX-License-Identifier: Apache-2.0
// lower(): a Graph from a Model, the same way for every framework. What types mean stands in the op table
// (ops/op_table.h).
//
// - Named dimensions get the sizes the user gives, else those of the export; the others count as 1 and are reported
//   (model/sizes.h). Shapes that the file does not state follow by the rules of its dialect (model/shapes/shapes.h).
// - What depends on constants alone is folded away (model/fold.h): it becomes a constant (parameters keep their role
//   through casts, transposes and the like), resident and without cost.
// - Quantised patterns of ONNX are priced as the kernels that runtimes make of them (model/quantised.h).
// - Nodes that only look at their input in another way become views; identities too, control flow, casts to the same
//   type and dropout that drops nothing.
// - Flops and bytes by the rules of the type's row; of a type that has none, no flops and the bytes of the distinct
//   inputs and outputs. The type is then reported.
// - Nodes in a loop that stands once in the file count as often as it runs (`_trip_count`); a loop that is one node has
//   the flops and bytes of its body, all turns together (`body_flops`, `body_bytes`).
// - Nodes that write a variable become updates of that parameter where the file's order allows it (model/updates.h).
// - Attributes go along as text, for people (model/attribute_text.h).
// - A node that works on shapes alone (small whole numbers) is kept, since some runtime has to run it, and costs next
// to
//   nothing.
#pragma once

#include "base/result.h"
#include "model/lowered.h"
#include "model/model.h"
#include "model/sizes.h"

namespace berth {

struct LowerOptions {
  DimSizes dims;  // size of every dimension the user names
};

// A dimension that the model does not have is an error.
Result<Lowered> lower(Model model, const LowerOptions& options = {});

}  // namespace berth
