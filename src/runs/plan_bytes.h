// SPDX-License-Identifier: Apache-2.0
// Plans and scores as bytes, for checkpoints and for other processes. What is read back is equal to what was written; a
// plan of unknown origin still has to pass verify().
#pragma once

#include "problem/plan.h"
#include "runs/byte_stream.h"
#include "sim/timeline.h"

namespace berth::learn {

void write_plan(ByteWriter& bytes, const Plan& plan);
Plan read_plan(ByteReader& bytes);

void write_score(ByteWriter& bytes, const Score& score);
Score read_score(ByteReader& bytes);

}  // namespace berth::learn
