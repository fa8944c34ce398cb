// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "learn/method.h"

namespace berth::learn {

LearnedMethod hierarchical_method();

}  // namespace berth::learn
