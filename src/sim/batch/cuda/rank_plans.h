// SPDX-License-Identifier: Apache-2.0
// Priorities that every plan has for itself become ranks on the card.
#pragma once

#include "sim/batch/cuda/card.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/cuda/own_priorities.h"
#include "sim/batch/cuda/parts.h"

namespace berth::batch {

// How those of a batch can be written, judged by its first plan. Plans on the card are not looked at here.
KeyForm form_of_keys(const CudaPlans& plans, std::size_t ops);

// False if they cannot be written like that after all.
bool upload_keys(const CompactView& view, const CudaPlans& plans, const KeyForm& form, const Parts& parts,
                 Uploader& uploader, int threads, Outcome& outcome);

// From keys that are there. Says whether any two ops of a plan have the same priority.
Order rank_plans(const CompactView& view, std::size_t plans, bool are_short, const Parts& parts, Outcome& outcome);

}  // namespace berth::batch
