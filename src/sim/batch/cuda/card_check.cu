// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/card_check.h"

#include <algorithm>

#include "sim/batch/cuda/card.h"
#include "sim/batch/cuda/launch.h"

namespace berth::batch {
namespace {

struct CheckTables {
  const CardBound* bound;
  const CardPair* together;
  std::uint32_t ops, devices, num_bound, num_together;
};

// Marks plans that are not legal; several threads may mark one.
__global__ void mark_illegal(CheckTables tables, const std::uint8_t* devices, const double* priorities,
                             std::uint64_t plans, std::uint8_t* illegal) {
  for_each_index(plans * tables.ops, [&](std::uint64_t i) {
    if (devices[i] >= tables.devices) illegal[i / tables.ops] = 1;
    if (priorities != nullptr && !(priorities[i] - priorities[i] == 0.0)) illegal[i / tables.ops] = 1;
  });
  for_each_index(plans * tables.num_bound, [&](std::uint64_t i) {
    const std::uint64_t plan = i / tables.num_bound;
    const CardBound bound = tables.bound[i % tables.num_bound];
    const std::uint8_t device = devices[plan * tables.ops + bound.op];
    if (device >= tables.devices || (bound.allowed >> device & 1) == 0) illegal[plan] = 1;
  });
  for_each_index(plans * tables.num_together, [&](std::uint64_t i) {
    const std::uint64_t plan = i / tables.num_together;
    const CardPair pair = tables.together[i % tables.num_together];
    if (devices[plan * tables.ops + pair.first] != devices[plan * tables.ops + pair.other]) illegal[plan] = 1;
  });
}

template <typename T>
bool bring_row(std::vector<T>& row, const T* from, Outcome& outcome) {
  return outcome.check(cudaMemcpy(row.data(), from, row.size() * sizeof(T), cudaMemcpyDeviceToHost), "bringing a plan");
}

}  // namespace

struct CardCheck::State {
  std::shared_ptr<Card> card;
  CardMemory<CardBound> bound;
  CardMemory<CardPair> together;
  CheckTables tables{};
};

CardCheck::CardCheck(std::unique_ptr<State> state) : state_(std::move(state)) {}
CardCheck::~CardCheck() = default;

std::unique_ptr<CardCheck> CardCheck::make(std::span<const CardBound> bound, std::span<const CardPair> together,
                                           std::uint32_t ops, std::uint32_t devices, std::string& why) {
  auto state = std::make_unique<State>();
  state->card = Card::shared(why);
  if (state->card == nullptr) return nullptr;
  Outcome outcome;
  state->tables = {state->bound.upload(bound.data(), bound.size(), outcome),
                   state->together.upload(together.data(), together.size(), outcome),
                   ops,
                   devices,
                   static_cast<std::uint32_t>(bound.size()),
                   static_cast<std::uint32_t>(together.size())};
  why = outcome.why();
  return outcome.ok() ? std::unique_ptr<CardCheck>(new CardCheck(std::move(state))) : nullptr;
}

bool CardCheck::first_illegal(const CudaPlans& plans, std::size_t& plan, std::string& why) {
  plan = plans.size;
  if (plans.size == 0) return true;
  const auto turn = state_->card->turn();
  Outcome outcome;
  auto* marks = reinterpret_cast<std::uint8_t*>(state_->card->reserve(plans.size));
  if (marks == nullptr) outcome.refuse("the GPU has no memory left to verify plans");
  std::vector<std::uint8_t> illegal(plans.size);
  if (outcome.ok() && outcome.check(cudaMemset(marks, 0, plans.size), "verifying plans")) {
    launch_for_each(plans.size * state_->tables.ops, mark_illegal, state_->tables, plans.devices, plans.priorities,
                    std::uint64_t{plans.size}, marks);
    outcome.check(cudaGetLastError(), "verifying plans");
    outcome.check(cudaMemcpy(illegal.data(), marks, plans.size, cudaMemcpyDeviceToHost), "verifying plans");
  }
  plan = static_cast<std::size_t>(std::find(illegal.begin(), illegal.end(), 1) - illegal.begin());
  why = outcome.why();
  return outcome.ok();
}

bool CardCheck::bring(const CudaPlans& plans, std::size_t i, std::vector<std::uint8_t>& devices,
                      std::vector<double>& priorities, std::string& why) const {
  const std::size_t ops = state_->tables.ops;
  devices.resize(ops);
  priorities.resize(plans.priorities == nullptr ? 0 : ops);
  Outcome outcome;
  bring_row(devices, plans.devices + i * ops, outcome);
  if (!priorities.empty() && outcome.ok()) bring_row(priorities, plans.priorities + i * ops, outcome);
  why = outcome.why();
  return outcome.ok();
}

}  // namespace berth::batch
