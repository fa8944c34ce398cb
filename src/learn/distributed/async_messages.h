// SPDX-License-Identifier: Apache-2.0
// What controllers and the parameter server tell each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/train/trainer.h"

namespace berth::learn {

enum class ReportKind : std::uint64_t {
  kReady,      // begins; `count` numbers are learned here
  kGradients,  // of one batch
  kLeaving,    // was stopped; does not wait for an answer
};

// Of a controller.
struct Report {
  ReportKind kind = ReportKind::kReady;
  std::uint64_t count = 0;
  UpdateFacts facts;
  std::optional<double> deviation;  // moving average of its rewards' deviation
  std::vector<float> gradients;
  std::optional<Plan> plan;  // better than any the controller knows of
  Score score;               // of the plan
};

// How a controller begins: its random stream, and the moving averages of the run so far.
struct Beginning {
  std::uint64_t stream = 0;
  std::optional<double> baseline, deviation;
};

// Of the server.
struct Orders {
  bool stop = false;
  std::uint64_t updates = 0;
  std::optional<Beginning> beginning;  // in the first
  std::optional<Score> best;           // of all controllers
  std::vector<float> values;
};

std::string to_bytes(const Report& report);
std::string to_bytes(const Orders& orders);
Result<Report> report_from(std::string_view bytes);
Result<Orders> orders_from(std::string_view bytes);

}  // namespace berth::learn
