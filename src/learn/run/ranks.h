// SPDX-License-Identifier: Apache-2.0
// Several processes as one: what they agree on before and between updates. Rank 0 alone writes files and prints.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "learn/distributed/communicator.h"
#include "learn/train/learner.h"

namespace berth::learn {

// Whether all ranks succeeded. Where one did not, rank 0 gets its error, with the rank in front if it is another's; the
// others get an error without words, since it is rank 0 that speaks.
Status agree(Communicator& ranks, const Status& mine);

// What rank 0 made, on every rank; if it failed, its error as above.
Result<std::string> from_root(Communicator& ranks, const std::function<Result<std::string>()>& make);

// True on every rank if it is on any.
Result<bool> any_of(Communicator& ranks, bool mine);

// The best plans of any rank, on every rank.
Status share_best_plans(Communicator& ranks, Learner& learner);

// Where rank 0 is, on every rank; their random streams stay apart.
Result<TrainState> share_state(Communicator& ranks, const TrainState& state, std::uint64_t seed);

}  // namespace berth::learn
