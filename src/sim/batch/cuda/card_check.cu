// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/card_check.h"

#include <algorithm>

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
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  const std::uint64_t first = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  for (std::uint64_t i = first; i < plans * tables.ops; i += step) {
    if (devices[i] >= tables.devices) illegal[i / tables.ops] = 1;
    if (priorities != nullptr && !(priorities[i] - priorities[i] == 0.0)) illegal[i / tables.ops] = 1;
  }
  for (std::uint64_t i = first; i < plans * tables.num_bound; i += step) {
    const std::uint64_t plan = i / tables.num_bound;
    const CardBound bound = tables.bound[i % tables.num_bound];
    const std::uint8_t device = devices[plan * tables.ops + bound.op];
    if (device >= tables.devices || (bound.allowed >> device & 1) == 0) illegal[plan] = 1;
  }
  for (std::uint64_t i = first; i < plans * tables.num_together; i += step) {
    const std::uint64_t plan = i / tables.num_together;
    const CardPair pair = tables.together[i % tables.num_together];
    if (devices[plan * tables.ops + pair.first] != devices[plan * tables.ops + pair.other]) illegal[plan] = 1;
  }
}

bool went_well(cudaError_t code, std::string& why) {
  if (code == cudaSuccess) return true;
  why = std::string("the GPU failed while verifying plans: ") + cudaGetErrorString(code);
  cudaGetLastError();  // not the next caller's error
  return false;
}

template <typename T>
bool put_there(void*& there, std::span<const T> table, std::string& why) {
  const std::size_t bytes = table.size() * sizeof(T);
  return went_well(cudaMalloc(&there, bytes + 16), why) &&
         (bytes == 0 || went_well(cudaMemcpy(there, table.data(), bytes, cudaMemcpyHostToDevice), why));
}

}  // namespace

std::unique_ptr<CardCheck> CardCheck::make(std::span<const CardBound> bound, std::span<const CardPair> together,
                                           std::uint32_t ops, std::uint32_t devices, std::string& why) {
  std::unique_ptr<CardCheck> check(new CardCheck);
  check->ops_ = ops;
  check->devices_ = devices;
  check->num_bound_ = static_cast<std::uint32_t>(bound.size());
  check->num_together_ = static_cast<std::uint32_t>(together.size());
  if (!put_there(check->bound_, bound, why) || !put_there(check->together_, together, why)) return nullptr;
  return check;
}

CardCheck::~CardCheck() {
  cudaFree(bound_);
  cudaFree(together_);
  cudaFree(illegal_);
}

bool CardCheck::first_illegal(const CudaPlans& plans, std::size_t& plan, std::string& why) {
  plan = plans.size;
  if (plans.size == 0) return true;
  if (plans.size > room_) {
    cudaFree(illegal_);
    illegal_ = nullptr;
    room_ = 0;
    if (!went_well(cudaMalloc(&illegal_, plans.size), why)) return false;
    room_ = plans.size;
  }
  if (!went_well(cudaMemset(illegal_, 0, plans.size), why)) return false;
  const CheckTables tables{static_cast<const CardBound*>(bound_),
                           static_cast<const CardPair*>(together_),
                           ops_,
                           devices_,
                           num_bound_,
                           num_together_};
  const auto blocks = static_cast<std::uint32_t>(std::min<std::size_t>((plans.size * ops_ + 255) / 256, 4096));
  batch::launch(mark_illegal, std::max(blocks, 1U), 256, 0, tables, plans.devices, plans.priorities,
                std::uint64_t{plans.size}, static_cast<std::uint8_t*>(illegal_));
  std::vector<std::uint8_t> illegal(plans.size);
  if (!went_well(cudaGetLastError(), why)) return false;
  if (!went_well(cudaMemcpy(illegal.data(), illegal_, plans.size, cudaMemcpyDeviceToHost), why)) return false;
  plan = static_cast<std::size_t>(std::find(illegal.begin(), illegal.end(), 1) - illegal.begin());
  return true;
}

bool CardCheck::bring(const CudaPlans& plans, std::size_t i, std::vector<std::uint8_t>& devices,
                      std::vector<double>& priorities, std::string& why) const {
  devices.resize(ops_);
  priorities.resize(plans.priorities == nullptr ? 0 : ops_);
  return went_well(cudaMemcpy(devices.data(), plans.devices + i * ops_, ops_, cudaMemcpyDeviceToHost), why) &&
         (priorities.empty() || went_well(cudaMemcpy(priorities.data(), plans.priorities + i * ops_,
                                                     ops_ * sizeof(double), cudaMemcpyDeviceToHost),
                                          why));
}

}  // namespace berth::batch
