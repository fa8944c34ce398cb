// SPDX-License-Identifier: Apache-2.0
#include "runs/plan_bytes.h"

namespace berth::learn {

void write_plan(ByteWriter& bytes, const Plan& plan) {
  bytes.numbers(plan.device_of);
  bytes.numbers(plan.priority);
  bytes.items(plan.fusions, [&](const std::vector<OpId>& ops) { bytes.numbers(ops); });
}

Plan read_plan(ByteReader& bytes) {
  Plan plan;
  plan.device_of = bytes.numbers<DeviceId>();
  plan.priority = bytes.numbers<double>();
  plan.fusions = bytes.items<std::vector<OpId>>(sizeof(std::uint64_t), [&] { return bytes.numbers<OpId>(); });
  return plan;
}

void write_score(ByteWriter& bytes, const Score& score) {
  bytes.number(score.step_time);
  bytes.number(score.feasible);
  const auto two = [&](std::int64_t first, std::int64_t second) { bytes.number(first), bytes.number(second); };
  bytes.items(score.devices, [&](const DeviceUse& use) { two(use.busy, use.peak); });
  bytes.numbers(score.pool_peaks);
  bytes.items(score.queues, [&](const QueueUse& use) { two(use.busy, use.bytes); });
  const Overflow overflow = score.overflow.value_or(Overflow{});
  bytes.number(score.overflow.has_value());
  bytes.number(overflow.device);
  bytes.number(overflow.pool);
  bytes.number(overflow.op);
  two(overflow.time, overflow.over);
}

Score read_score(ByteReader& bytes) {
  constexpr std::size_t kTwo = 2 * sizeof(std::int64_t);
  const auto next = [&] { return bytes.number<std::int64_t>(); };
  Score score;
  score.step_time = next();
  score.feasible = bytes.truth();
  score.devices = bytes.items<DeviceUse>(kTwo, [&] { return DeviceUse{.busy = next(), .peak = next()}; });
  score.pool_peaks = bytes.numbers<Bytes>();
  score.queues = bytes.items<QueueUse>(kTwo, [&] { return QueueUse{.busy = next(), .bytes = next()}; });
  const bool overflows = bytes.truth();
  const Overflow overflow{.device = bytes.number<DeviceId>(),
                          .pool = bytes.number<int>(),
                          .op = bytes.number<OpId>(),
                          .time = next(),
                          .over = next()};
  if (overflows) score.overflow = overflow;
  return score;
}

}  // namespace berth::learn
