// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes as people write them. Newer versions of torch store the constructor calls of sympy:
// Add(Mul(Integer(2), Symbol('s77', integer=True)), Integer(-1)) is 2*s77 - 1, which older ones store.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// Text that is not of this form, or nested very deeply, stays as it is.
std::string readable_symbol(std::string_view expression);

}  // namespace berth
