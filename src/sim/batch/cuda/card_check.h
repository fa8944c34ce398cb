// SPDX-License-Identifier: Apache-2.0
// Plans that somebody else has made on the card: whether they are legal, and single ones of them here. In plain types,
// as cuda_batch.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/batch/cuda/cuda_batch.h"

namespace berth::batch {

struct CardBound {  // an op that may not be everywhere, and where it may be, a bit per device
  std::uint64_t allowed;
  std::uint32_t op;
};
struct CardPair {  // ops that must be together
  std::uint32_t first, other;
};

class CardCheck {
 public:
  // None if the card failed; `why` says how.
  static std::unique_ptr<CardCheck> make(std::span<const CardBound> bound, std::span<const CardPair> together,
                                         std::uint32_t ops, std::uint32_t devices, std::string& why);
  ~CardCheck();

  // The number of the first plan that is not legal, else how many there are: by the tables, and by priorities that are
  // not finite. False if the card failed.
  bool first_illegal(const CudaPlans& plans, std::size_t& plan, std::string& why);
  // Plan i: devices [op], and its priorities [op] if it has any.
  bool bring(const CudaPlans& plans, std::size_t i, std::vector<std::uint8_t>& devices, std::vector<double>& priorities,
             std::string& why) const;

 private:
  struct State;
  explicit CardCheck(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace berth::batch
