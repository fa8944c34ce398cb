// SPDX-License-Identifier: Apache-2.0
// The rows of the set of small real problems, chosen once.
#pragma once

#include <span>
#include <string_view>

namespace berth {

struct Row {
  std::string_view name;
  std::string_view graph;    // "zoo:..." or a file of the captured graphs
  std::string_view machine;  // built in
  std::size_t devices;       // of the machine, the first ones
  std::size_t groups;        // at most
  bool by_layers;            // else op by op, which keeps branches and time steps apart
  // Memory of every accelerator as a share of what the whole takes on one of them; 0: as the machine has it.
  double memory = 0.0;
};

std::span<const Row> rows();

}  // namespace berth
