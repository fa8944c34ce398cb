// SPDX-License-Identifier: Apache-2.0
// Errors of libtorch, such as memory of a GPU that ran out, end here as a Result. Too little memory of the computer is
// left to whoever handles it for all commands.
#pragma once

#include <exception>
#include <new>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace berth::learn {

template <typename Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    return bad_input("libtorch: {} (--option groups, hidden or placements make a policy smaller)",
                     text.substr(0, text.find('\n')));
  }
}

}  // namespace berth::learn
