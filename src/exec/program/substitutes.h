// SPDX-License-Identifier: Apache-2.0
// Operators that are not called as they stand: those that this libtorch or a kind of device lacks, done by others that
// it has (attention is in attention.h), those that draw random numbers, which need a seed of their own so that all
// placements give the same numbers, and those that do not look at where they read.
#pragma once

#include <cstdint>
#include <string_view>

#include "exec/program/program.h"

namespace berth::exec {

// Where the operator itself is called, if libtorch has it.
enum class Itself : std::uint8_t { kNowhere, kAnywhere, kOnCpu, kOnCuda };

class Substitute {
 public:
  std::string_view name;    // "aten::native_dropout"
  std::string_view schema;  // of the operator, for reading its arguments
  Itself itself;
  // Takes the arguments from the stack and leaves the results.
  void (*run)(Stack& stack, std::uint64_t seed);
};

// Puts the results in the place of the arguments.
template <typename... Results>
void leave(Stack& stack, const Results&... results) {
  stack.clear();
  (stack.emplace_back(results), ...);
}

const Substitute* find_substitute(std::string_view name, std::string_view overload);

// Whether a kind of device calls an operator of libtorch itself, or its substitute stands for it there.
bool calls_itself(Itself itself, bool is_cuda);

}  // namespace berth::exec
