// SPDX-License-Identifier: Apache-2.0
// `berth place --dim seq=128,512,2048`: what is said about plans for several sizes.
#pragma once

#include <string>

#include "services/plan/buckets.h"

namespace berth::app {

std::string buckets_page(const PlacedBuckets& placed);
std::string written_text(const std::string& path, const PlacedBuckets& placed);

}  // namespace berth::app
