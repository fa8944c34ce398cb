// SPDX-License-Identifier: Apache-2.0
// The card, as all problems of this process share it: a batch has it to itself while it runs, and its working memory
// serves one batch after the other, whatever problem they are of.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "sim/batch/cuda/card_memory.h"
#include "sim/batch/cuda/uploader.h"

namespace berth::batch {

class Card {
 public:
  // The first card of this computer; nullptr where none answers. It goes with the last who holds it.
  static std::shared_ptr<Card> shared(std::string& why);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint32_t num_multiprocessors() const { return num_multiprocessors_; }

  // What follows only for whoever has the turn.
  [[nodiscard]] std::unique_lock<std::mutex> turn() { return std::unique_lock(mutex_); }
  // Bytes that a batch may take, with some left to others.
  std::size_t room(Outcome& outcome) const;
  // Working memory of that size, which holds nothing yet; nullptr if the card has not that much.
  std::byte* reserve(std::size_t bytes) { return memory_.reserve(bytes) ? memory_.data() : nullptr; }
  // Where it is in the way of something that stays.
  void give_back() { memory_.clear(); }
  Uploader& uploader() { return uploader_; }

 private:
  Card(std::string name, std::uint32_t num_multiprocessors)
      : name_(std::move(name)), num_multiprocessors_(num_multiprocessors) {}

  std::string name_;
  std::uint32_t num_multiprocessors_;
  std::mutex mutex_;
  CardMemory<std::byte> memory_;
  Uploader uploader_;
};

}  // namespace berth::batch
