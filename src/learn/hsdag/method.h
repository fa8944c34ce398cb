// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/method.h"

namespace berth::learn {

LearnedMethod hsdag_method();

}  // namespace berth::learn
