// SPDX-License-Identifier: Apache-2.0
// Which cores a thread runs on, and how many threads ATen uses under it.
#pragma once

#include <span>
#include <vector>

namespace berth::exec {

// Binds the calling thread to these cores (numbers among those the process had at its start; none: all of them), and
// lets ATen use that many threads under it, which inherit the binding (0: one per core).
void use_cores(std::span<const int> cores, int threads = 0);

// The cores that are not among these, by the same numbers.
std::vector<int> cores_besides(std::span<const int> cores);

}  // namespace berth::exec
