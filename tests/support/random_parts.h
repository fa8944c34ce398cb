// SPDX-License-Identifier: Apache-2.0
// The pieces a random problem is made of.
#pragma once

#include <memory>

#include "base/rng.h"
#include "graph/graph.h"
#include "machine/machine.h"

namespace berth::random_parts {

// How long things take in one problem: up to `longest` picoseconds for an op.
struct Scale {
  std::int64_t longest = 3;
};

std::shared_ptr<const Graph> random_graph(Rng& rng, std::size_t ops);
std::shared_ptr<const Machine> random_machine(Rng& rng, const Scale& scale, Bytes memory, Execution execution);

// Throws std::logic_error: the generator made something illegal.
[[noreturn]] void illegal(const Error& error);

template <typename T>
T value_of(Result<T> result) {
  if (!result.ok()) illegal(result.error());
  return std::move(result).value();
}

}  // namespace berth::random_parts
