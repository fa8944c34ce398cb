// SPDX-License-Identifier: Apache-2.0
#include "learn/message.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace berth::learn {

static_assert(std::endian::native == std::endian::little, "numbers go out as they lie in memory");

void MessageWriter::integer(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }

void MessageWriter::number(double value) { integer(std::bit_cast<std::uint64_t>(value)); }

void MessageWriter::maybe(std::optional<double> value) {
  integer(value ? 1 : 0);
  if (value) number(*value);
}

template <typename Item>
void MessageWriter::list(std::span<const Item> items) {
  static_assert(std::has_unique_object_representations_v<Item> || std::is_floating_point_v<Item>, "no padding");
  integer(items.size());
  bytes_.append(reinterpret_cast<const char*>(items.data()), items.size_bytes());
}

void MessageWriter::text(std::string_view bytes) { list(std::span<const char>(bytes)); }
void MessageWriter::floats(std::span<const float> values) { list(values); }

void MessageWriter::plan(const Plan& plan) {
  list(std::span<const DeviceId>(plan.device_of));
  list(std::span<const double>(plan.priority));
  integer(plan.fusions.size());
  for (const auto& group : plan.fusions) list(std::span<const OpId>(group));
}

void MessageWriter::score(const Score& score) {
  integer(static_cast<std::uint64_t>(score.step_time));
  integer(score.feasible ? 1 : 0);
  list(std::span<const DeviceUse>(score.devices));
  list(std::span<const Bytes>(score.pool_peaks));
  list(std::span<const QueueUse>(score.queues));
  integer(score.overflow ? 1 : 0);
  if (!score.overflow) return;
  integer(index(score.overflow->device));
  integer(static_cast<std::uint64_t>(score.overflow->pool));
  integer(index(score.overflow->op));
  integer(static_cast<std::uint64_t>(score.overflow->time));
  integer(static_cast<std::uint64_t>(score.overflow->over));
}

std::string_view MessageReader::take(std::uint64_t size) {
  if (size > rest_.size()) {
    damaged_ = true;
    rest_ = {};
    return {};
  }
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint64_t MessageReader::integer() {
  std::uint64_t value = 0;
  const std::string_view bytes = take(sizeof value);
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

double MessageReader::number() { return std::bit_cast<double>(integer()); }

std::optional<double> MessageReader::maybe() {
  return integer() != 0 ? std::optional<double>(number()) : std::nullopt;
}

template <typename Item>
std::vector<Item> MessageReader::list() {
  const std::uint64_t count = integer();
  if (count > rest_.size() / sizeof(Item)) damaged_ = true;
  if (damaged_) return {};
  const std::string_view bytes = take(count * sizeof(Item));
  std::vector<Item> items(count);
  if (!items.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}

std::string MessageReader::text() { return std::string(take(integer())); }
std::vector<float> MessageReader::floats() { return list<float>(); }

Plan MessageReader::plan() {
  Plan plan;
  plan.device_of = list<DeviceId>();
  plan.priority = list<double>();
  const std::uint64_t groups = integer();
  for (std::uint64_t i = 0; i < groups && !damaged_; ++i) plan.fusions.push_back(list<OpId>());
  return plan;
}

Score MessageReader::score() {
  Score score;
  score.step_time = static_cast<Picoseconds>(integer());
  score.feasible = integer() != 0;
  score.devices = list<DeviceUse>();
  score.pool_peaks = list<Bytes>();
  score.queues = list<QueueUse>();
  if (integer() == 0) return score;
  Overflow& overflow = score.overflow.emplace();
  overflow.device = static_cast<DeviceId>(integer());
  overflow.pool = static_cast<int>(integer());
  overflow.op = static_cast<OpId>(integer());
  overflow.time = static_cast<Picoseconds>(integer());
  overflow.over = static_cast<Bytes>(integer());
  return score;
}

Status MessageReader::end() const {
  if (!damaged_ && rest_.empty()) return {};
  return bad_input("a message of another rank cannot be read; do all ranks run the same version of the program?");
}

}  // namespace berth::learn
