// SPDX-License-Identifier: Apache-2.0
// `berth place --dim seq=128,512,2048`: what is said about plans for several sizes, and where they are written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "services/plan/buckets.h"

namespace berth::app {

Status check_bucket_paths(const std::string& path, const std::vector<Bucket>& buckets,
                          std::span<const std::string> sources);

std::string buckets_page(const PlacedBuckets& placed);
std::string buckets_json(const PlacedBuckets& placed);
std::string written_text(const std::string& path, const PlacedBuckets& placed);

// Why the exit code is 1, if it is.
std::optional<Error> failure_of(const PlacedBuckets& placed);

}  // namespace berth::app
