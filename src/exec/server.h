// SPDX-License-Identifier: Apache-2.0
// The process in which plans run: loads a capture, then answers every line on its input (measure/session.h) by a line
// on its output, until the input ends or its parent is gone.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::exec {

// `devices` as --devices takes them. Whatever goes wrong is an answer, so this ends well unless output cannot be
// written.
Status serve(const std::string& capture, std::string_view devices);

}  // namespace berth::exec
