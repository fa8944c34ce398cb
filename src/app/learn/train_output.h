// SPDX-License-Identifier: Apache-2.0
// What `berth train` prints at its end.
#pragma once

#include <string>

#include "learn/run/train.h"

namespace berth::app {

std::string train_page(const learn::TrainAnswer& answer);
std::string train_json(const learn::TrainAnswer& answer);
// "berth train --resume RUN --budget 60s": four times as long as it has had.
std::string more_time(const learn::TrainAnswer& answer);

}  // namespace berth::app
