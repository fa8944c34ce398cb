// SPDX-License-Identifier: Apache-2.0
// The fuzzer of one reader, BERTH_FUZZED_READER: any bytes are taken or refused with a reason.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "fuzz/readers.h"

namespace berth {

// In place of the one in the library, which ends the process without a trace: libFuzzer keeps what leads to abort().
void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "check '%s' failed at %s:%d\n", condition, file, line);
  std::abort();
}

}  // namespace berth

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const berth::FuzzedReader* const reader = berth::find_fuzzed_reader(BERTH_FUZZED_READER);
  BERTH_CHECK(reader != nullptr);
  const berth::Status answer = reader->read({reinterpret_cast<const char*>(data), size});
  BERTH_CHECK(answer.ok() || !answer.error().message.empty());
  return 0;
}
