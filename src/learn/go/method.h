// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/method.h"

namespace berth::learn {

LearnedMethod go_method();

}  // namespace berth::learn
