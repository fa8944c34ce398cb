// SPDX-License-Identifier: Apache-2.0
// Operators that are not called as they stand: those that this libtorch lacks, done by others that it has, and those
// that draw random numbers, which need a seed of their own so that all placements give the same numbers.
#pragma once

#include <cstdint>
#include <string_view>

#include "exec/program.h"

namespace berth::exec {

class Substitute {
 public:
  std::string_view name;    // "aten::native_dropout"
  std::string_view schema;  // of the operator, for reading its arguments
  bool only_if_lacking;     // the operator itself is used where libtorch has it
  // Takes the arguments from the stack and leaves the results.
  void (*run)(Stack& stack, std::uint64_t seed);
};

const Substitute* find_substitute(std::string_view name, std::string_view overload);

}  // namespace berth::exec
