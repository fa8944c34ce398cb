// SPDX-License-Identifier: Apache-2.0
// The weights that a .pt2 file lists, whether its program reads them or not.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace berth {

struct Pt2Weight {
  std::string label;    // "encoder.layer.0.weight"
  std::string content;  // tied ones have the same; empty where the file does not say it (torch 2.7 and older)
};

// Parameters and buffers, as the program's signature has them. Errors begin with the path.
Result<std::vector<Pt2Weight>> read_pt2_weights(const std::string& path);

}  // namespace berth
