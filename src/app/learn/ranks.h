// SPDX-License-Identifier: Apache-2.0
// Several processes as one: what they agree on before and between updates. Rank 0 alone writes files and prints.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "learn/distributed/communicator.h"
#include "learn/train/learner.h"

namespace berth::app {

// Whether all ranks succeeded. Where one did not, rank 0 gets its error, with the rank in front if it is another's; the
// others get an error without words, since it is rank 0 that speaks.
Status agree(learn::Communicator& ranks, const Status& mine);

// What rank 0 made, on every rank; if it failed, its error as above.
Result<std::string> from_root(learn::Communicator& ranks, const std::function<Result<std::string>()>& make);

// True on every rank if it is on any.
Result<bool> any_of(learn::Communicator& ranks, bool mine);

// The best plans of any rank, on every rank.
Status share_best_plans(learn::Communicator& ranks, learn::Learner& learner);

// Where rank 0 is, on every rank; their random streams stay apart.
Result<learn::TrainState> share_state(learn::Communicator& ranks, const learn::TrainState& state, std::uint64_t seed);

}  // namespace berth::app
