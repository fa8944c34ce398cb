// SPDX-License-Identifier: Apache-2.0
// Whatever reads files of others, under one name each: the fuzzers run these on bytes of their own, the tests on the
// files that once broke one. The name is also that of the folders tests/fuzz/seeds/NAME and tests/data/crashers/NAME.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace berth {

struct FuzzedReader {
  std::string_view name;
  // Reads the bytes and goes on as the program would: models become graphs, graphs get the times of their ops, what can
  // be written is written and read again. The error of whoever refuses the bytes.
  Status (*read)(std::string_view bytes);
};

std::span<const FuzzedReader> fuzzed_readers();  // the only list, sorted by name

const FuzzedReader* find_fuzzed_reader(std::string_view name);  // nullptr if there is none

}  // namespace berth
