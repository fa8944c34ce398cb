// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/rooted_communicator.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/text.h"
#include "base/units.h"
#include "learn/distributed/message.h"

namespace berth::learn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kStagger_s = 0.25;  // so that of many that miss rank 0 one speaks first
constexpr double kGrace_s = 0.1;     // for those that are asked last, if time ran out while rank 0 itself was stopped

Error other_size(int rank, std::size_t found, std::size_t expected) {
  return bad_input(
      "rank {} sent {} bytes where {} were expected; do all ranks run the same program with the same input?", rank,
      found, expected);
}

}  // namespace

Error silence(const std::vector<int>& ranks, double waited_s, std::string_view what) {
  std::vector<std::string> names;
  for (const int rank : ranks) names.push_back(std::to_string(rank));
  return bad_input("rank{} {} did not answer within {} ({}): dead, hung, or slower than --rank-timeout allows",
                   names.size() == 1 ? "" : "s", join(names, ", "), format_seconds(waited_s), what);
}

double RootedCommunicator::patience_with(int rank) const {
  return rank == 0 ? 2 * deadline_s_ + kStagger_s * rank_ : deadline_s_;
}

Error RootedCommunicator::broken(Error error) {
  if (!broken_) broken_ = error;
  return error;
}

// A rank that did not answer, and all behind it that have sent nothing either: ranks are heard in their order.
std::vector<int> RootedCommunicator::missing_from(int rank) {
  std::vector<int> ranks = {rank};
  for (int other = rank + 1; other < size_; ++other) {
    if (!is_there(other, Channel::kTogether)) ranks.push_back(other);
  }
  return ranks;
}

Status RootedCommunicator::hear_others(std::string_view what, double patience_s, const Use& use) {
  const auto start = Clock::now();
  for (int rank = 1; rank < size_; ++rank) {
    if (broken_) return *broken_;
    const double waited = std::chrono::duration<double>(Clock::now() - start).count();
    auto message = take(rank, Channel::kTogether, std::max(kGrace_s, patience_s - waited));
    if (!message) return broken(message.error());
    if (!*message) return broken(silence(missing_from(rank), patience_s, what));
    if (auto used = use(rank, (*message)->bytes); !used) return broken(used.error());
  }
  return {};
}

Result<std::string> RootedCommunicator::hear_root(std::string_view what, double patience_s) {
  if (broken_) return *broken_;
  auto message = take(0, Channel::kTogether, patience_s);
  if (!message) return broken(message.error());
  if (!*message) return broken(silence({0}, patience_s, what));
  return std::move((**message).bytes);
}

Status RootedCommunicator::tell(int to, Channel channel, std::string_view bytes, std::string_view what) {
  if (broken_) return *broken_;
  const auto done = put(to, channel, bytes, patience_with(to));
  if (!done) return broken(done.error());
  if (!*done) return broken(silence({to}, patience_with(to), what));
  return {};
}

Status RootedCommunicator::tell_others(std::string_view bytes, std::string_view what) {
  for (int rank = 1; rank < size_; ++rank) BERTH_RETURN_IF_ERROR(tell(rank, Channel::kTogether, bytes, what));
  return {};
}

template <typename Number>
Status RootedCommunicator::add_up(std::span<Number> values) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  if (is_root()) {
    std::vector<Number> part(values.size());
    BERTH_RETURN_IF_ERROR(hear_others("sum", deadline_s_, [&](int rank, const std::string& sent) -> Status {
      if (sent.size() != bytes.size()) return other_size(rank, sent.size(), bytes.size());
      if (!sent.empty()) std::memcpy(part.data(), sent.data(), sent.size());
      for (std::size_t i = 0; i < part.size(); ++i) values[i] += part[i];
      return {};
    }));
    return tell_others(bytes, "sum");
  }
  BERTH_RETURN_IF_ERROR(tell(0, Channel::kTogether, bytes, "sum"));
  BERTH_TRY(const std::string total, hear_root("sum", patience_with(0)));
  if (total.size() != bytes.size()) return broken(other_size(0, total.size(), bytes.size()));
  if (!total.empty()) std::memcpy(values.data(), total.data(), total.size());
  return {};
}

Status RootedCommunicator::sum(std::span<float> values) { return add_up(values); }
Status RootedCommunicator::sum(std::span<double> values) { return add_up(values); }

Result<std::vector<std::string>> RootedCommunicator::gather_all(std::string_view bytes) {
  std::vector<std::string> parts = {std::string(bytes)};
  if (is_root()) {
    BERTH_RETURN_IF_ERROR(hear_others("gather", deadline_s_, [&](int, const std::string& sent) -> Status {
      parts.push_back(sent);
      return {};
    }));
    MessageWriter all;
    for (const auto& part : parts) all.text(part);
    BERTH_RETURN_IF_ERROR(tell_others(all.bytes(), "gather"));
    return parts;
  }
  BERTH_RETURN_IF_ERROR(tell(0, Channel::kTogether, bytes, "gather"));
  BERTH_TRY(const std::string all, hear_root("gather", patience_with(0)));
  MessageReader reader(all);
  parts.clear();
  for (int rank = 0; rank < size_; ++rank) parts.push_back(reader.text());
  if (auto end = reader.end(); !end) return broken(end.error());
  return parts;
}

Result<std::string> RootedCommunicator::from_root(std::string_view bytes) {
  if (!is_root()) return hear_root("broadcast", patience_with(0));
  BERTH_RETURN_IF_ERROR(tell_others(bytes, "broadcast"));
  return std::string(bytes);
}

Status RootedCommunicator::meet(double patience_s) {
  if (is_root()) {
    BERTH_RETURN_IF_ERROR(hear_others("end", patience_s, [](int, const std::string&) -> Status { return {}; }));
    return tell_others("", "end");
  }
  BERTH_RETURN_IF_ERROR(tell(0, Channel::kTogether, "", "end"));
  return hear_root("end", patience_s).ok() ? Status() : *broken_;
}

Status RootedCommunicator::send(int to, std::string_view bytes) {
  BERTH_CHECK(to >= 0 && to < size_ && to != rank_);
  return tell(to, Channel::kLetters, bytes, "message");
}

Result<std::optional<Message>> RootedCommunicator::receive(double patience_s) {
  if (broken_) return *broken_;
  auto message = take(kAnybody, Channel::kLetters, patience_s);
  if (!message) return broken(message.error());
  return message;
}

}  // namespace berth::learn
