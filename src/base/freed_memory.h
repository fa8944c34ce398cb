// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace berth {

// From now on the process keeps what it frees, for the next that asks, and threads share one store. For programs that
// allocate the same large tensors again and again: the C library gives them back to the system each time, and fetching
// their pages anew costs more than small operations on them. Does nothing where the C library is not glibc.
void keep_freed_memory();

}  // namespace berth
