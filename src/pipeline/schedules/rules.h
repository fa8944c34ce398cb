// SPDX-License-Identifier: Apache-2.0
// The lists of each rule (schedules.cc has their table); the file of a rule says what it is.
#pragma once

#include "pipeline/schedules/schedules.h"

namespace berth::pipeline {

Lists gpipe_lists(const ScheduleShape& shape);
Lists one_f_one_b_lists(const ScheduleShape& shape);
Lists interleaved_lists(const ScheduleShape& shape);
Lists zb_h1_lists(const ScheduleShape& shape);
Lists zb_v_lists(const ScheduleShape& shape);

}  // namespace berth::pipeline
