// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/rank_plans.h"

#include <vector>

#include "sim/batch/cuda/rank_kernels.h"

namespace berth::batch {
namespace {

template <typename Key>
bool sort_and_fill(const CompactView& view, std::size_t plans, const Parts& parts) {
  const std::size_t total = plans * view.num_ops;
  auto* sorted = static_cast<Key*>(parts.sorted_keys);
  launch_for_each(total, number_ops, parts.ops, view.num_ops, std::uint64_t{total});
  if (!sort_rows(static_cast<const Key*>(parts.keys), sorted, parts.ops, parts.sorted_ops, plans, view.num_ops,
                 parts.sort_memory, parts.sort_bytes)) {
    return false;
  }
  launch_for_each(total, fill_ranks<Key>, view, static_cast<const Key*>(sorted), parts.sorted_ops, parts.of_node,
                  parts.node_at, parts.tie_end, parts.has_ties, std::uint64_t{total});
  return true;
}

}  // namespace

KeyForm form_of_keys(const CudaPlans& plans, std::size_t ops) {
  if (plans.priorities == nullptr || plans.is_on_card || plans.size == 0) return {};
  std::vector<std::uint16_t> keys(ops);
  const double bias = bias_of(plans.priorities, ops);
  return {write_short_keys(plans.priorities, ops, bias, keys.data()), bias};
}

bool upload_keys(const CompactView& view, const CudaPlans& plans, const KeyForm& form, const Parts& parts,
                 Uploader& uploader, int threads, Outcome& outcome) {
  const std::size_t total = plans.size * view.num_ops;
  if (form.is_short) {
    const auto write = [&](std::byte* to, std::size_t first, std::size_t bytes) {
      auto* keys = reinterpret_cast<std::uint16_t*>(to);
      return write_short_keys(plans.priorities + first / 2, bytes / 2, form.bias, keys);
    };
    return uploader.upload(static_cast<std::byte*>(parts.keys), total * 2, write, threads, outcome);
  }
  if (!plans.is_on_card) uploader.upload(parts.priorities, plans.priorities, total, threads, outcome);
  if (!outcome.ok()) return true;
  const double* there = plans.is_on_card ? plans.priorities : parts.priorities;
  launch_for_each(total, make_keys, there, static_cast<std::uint64_t*>(parts.keys), std::uint64_t{total});
  return true;
}

Order rank_plans(const CompactView& view, std::size_t plans, bool are_short, const Parts& parts, Outcome& outcome) {
  std::uint32_t has_ties = 0;
  outcome.check(cudaMemset(parts.has_ties, 0, sizeof(has_ties)), "ranking ops");
  if (!outcome.ok()) return Order::kRankTies;
  const bool is_sorted =
      are_short ? sort_and_fill<std::uint16_t>(view, plans, parts) : sort_and_fill<std::uint64_t>(view, plans, parts);
  if (!is_sorted) outcome.refuse("the GPU failed while sorting priorities");
  outcome.check(cudaMemcpy(&has_ties, parts.has_ties, sizeof(has_ties), cudaMemcpyDeviceToHost), "ranking ops");
  return has_ties != 0 ? Order::kRankTies : Order::kRank;
}

}  // namespace berth::batch
