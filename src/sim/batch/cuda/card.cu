// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/card.h"

namespace berth::batch {

std::shared_ptr<Card> Card::shared(std::string& why) {
  // A process has one card; two problems that knew nothing of each other would each take what is free of its memory.
  static std::mutex mutex;
  static std::weak_ptr<Card> the_card;
  const std::lock_guard guard(mutex);
  if (auto card = the_card.lock()) return card;
  Outcome outcome;
  int cards = 0;
  if (!outcome.check(cudaGetDeviceCount(&cards), "being looked for") || cards == 0) {
    why = "no CUDA device answers";
    return nullptr;
  }
  cudaDeviceProp properties{};
  if (!outcome.check(cudaGetDeviceProperties(&properties, 0), "telling its name")) {
    why = outcome.why();
    return nullptr;
  }
  std::shared_ptr<Card> card(new Card(properties.name, static_cast<std::uint32_t>(properties.multiProcessorCount)));
  the_card = card;
  return card;
}

std::size_t Card::room(Outcome& outcome) const {
  std::size_t free = 0, total = 0;
  if (!outcome.check(cudaMemGetInfo(&free, &total), "counting its memory")) return 0;
  return (free + memory_.size()) / 10 * 9;
}

}  // namespace berth::batch
