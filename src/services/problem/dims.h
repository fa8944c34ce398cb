// SPDX-License-Identifier: Apache-2.0
// --dim: sizes for the dimensions that a model's file leaves open.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/lowered.h"

namespace berth {

// One set of sizes to plan for.
struct Bucket {
  DimSizes sizes;
  std::vector<std::pair<std::string, std::int64_t>> varied;  // those that differ from bucket to bucket, as given

  [[nodiscard]] std::string label() const;   // "batch=8,seq=128" of what is varied
  [[nodiscard]] std::string suffix() const;  // the same for a file's name: "batch-8.seq-128"
};

// Each text is "seq=128", "seq=128,512,2048" or several of these, "batch=8,seq=128". A name with one size has it in
// every bucket; lists of sizes must be of one length and go together, first with first. No text: one bucket without
// sizes.
Result<std::vector<Bucket>> read_buckets(std::span<const std::string> texts);

// The same for commands that look at one set of sizes.
Result<DimSizes> read_dims(std::span<const std::string> texts);

// "plan.seq-128.json" for "plan.json": the file of one bucket beside that of all.
std::string bucket_path(const std::string& path, const Bucket& bucket);

}  // namespace berth
