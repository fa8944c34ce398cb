// SPDX-License-Identifier: Apache-2.0
// Layers with bodies: Loop, TensorIterator and If. A runtime runs such a layer as one, on one device, so it stays one
// node; what its body does is added up here.
//
// - Flops: matrix products, convolutions, attention and recurrent cells of the body by the op table, bodies inside it
//   included, times the number of turns. Bytes: what its layers read and write, likewise. An If counts its dearer
//   branch. Dynamic sizes inside a body count as 1.
// - Turns: from a value that enters or leaves in slices, if the size of that axis is known. The trip count itself is a
//   constant in the .bin, which is not read; where no slice tells, the body is counted once, and that is said.
// - Weights: the constants inside bodies, of any depth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/openvino/ir_net.h"

namespace berth::openvino {

struct BodyWork {
  double flops = 0.0, bytes = 0.0;  // of all turns
  std::int64_t turns = 1;
  bool turns_known = true;  // of this loop and of all inside it
};

// Of a layer that has bodies. An error where sizes are beyond all reason.
// A loop of unknown length turns `open_turns` times.
Result<BodyWork> work_of_bodies(const IrLayer& layer, std::int64_t open_turns);

struct BodyConstant {
  std::string name;  // behind the name of the outermost layer: "loop/weights"
  const IrLayer* layer = nullptr;
};
std::vector<BodyConstant> constants_of_bodies(const IrLayer& layer);

}  // namespace berth::openvino
