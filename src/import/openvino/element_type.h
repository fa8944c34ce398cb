// SPDX-License-Identifier: Apache-2.0
// Element types of OpenVINO, in both spellings: "FP16" of ports, "f16" of attributes.
#pragma once

#include <optional>
#include <string_view>

#include "base/kinds.h"

namespace berth::openvino {

// Types that we do not have become the narrowest of ours that holds them: unsigned numbers their signed kin, one to
// four bits (U1, BIN, U2, U3, U4, NF4, F4E2M1) I4, six bits U8. None for strings, for types that a run decides, and for
// types that we do not know.
std::optional<DType> element_type(std::string_view name);

}  // namespace berth::openvino
