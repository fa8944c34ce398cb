// SPDX-License-Identifier: Apache-2.0
#include "app/learn/ranks.h"

#include <algorithm>
#include <span>

namespace berth::app {
namespace {

// One character for what it is, then the words.
constexpr char kFine = '+', kBad = '-', kNoPlan = '0';

std::string packed(const Status& status) {
  if (status.ok()) return std::string(1, kFine);
  return (status.error().code == ErrorCode::kInfeasible ? kNoPlan : kBad) + status.error().message;
}

Error unpacked(const std::string& text, std::size_t from, bool is_root) {
  const ErrorCode code = text.front() == kNoPlan ? ErrorCode::kInfeasible : ErrorCode::kBadInput;
  if (!is_root) return {code, ""};
  return {code, from == 0 ? text.substr(1) : fmt::format("rank {}: {}", from, text.substr(1))};
}

}  // namespace

Status agree(learn::Communicator& ranks, const Status& mine) {
  if (ranks.size() == 1) return mine;
  BERTH_TRY(const std::vector<std::string> all, ranks.gather_all(packed(mine)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].front() != kFine) return unpacked(all[i], i, ranks.is_root());
  }
  return {};
}

Result<std::string> from_root(learn::Communicator& ranks, const std::function<Result<std::string>()>& make) {
  if (ranks.size() == 1) return make();
  std::string text;
  if (ranks.is_root()) {
    const Result<std::string> made = make();
    text = made ? kFine + *made : packed(made.error());
  }
  BERTH_TRY(const std::string shared, ranks.from_root(text));
  if (shared.front() != kFine) return unpacked(shared, 0, ranks.is_root());
  return shared.substr(1);
}

Result<bool> any_of(learn::Communicator& ranks, bool mine) {
  double count = mine ? 1.0 : 0.0;
  BERTH_RETURN_IF_ERROR(ranks.sum(std::span<double>(&count, 1)));
  return count > 0.0;
}

}  // namespace berth::app
