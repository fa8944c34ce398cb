// SPDX-License-Identifier: Apache-2.0
// The smallest policy there is: for every op a row of logits over the devices, drawn independently.
#pragma once

#include <cmath>
#include <memory>

#include "learn/train/trainer.h"

namespace berth::learn {

class TableBatch final : public Batch {
 public:
  TableBatch(const Tensor& logits, int plans, Rng& rng) : logits_(logits) {
    const std::vector<float> log_p = floats_of(at::log_softmax(logits, 1).detach());
    const auto devices = static_cast<std::size_t>(logits.size(1));
    for (int i = 0; i < plans; ++i) {
      Plan plan;
      for (std::size_t row = 0; row < log_p.size(); row += devices) {
        std::size_t device = 0;
        for (double left = rng.uniform(); device + 1 < devices; ++device) {
          if ((left -= std::exp(log_p[row + device])) < 0.0) break;
        }
        plan.device_of.push_back(DeviceId(device));
      }
      plans_.push_back(std::move(plan));
    }
  }

  void prepare() override {
    log_p_ = at::log_softmax(logits_, 1);
    log_p_of_.clear();
    for (const Plan& plan : plans_) {
      std::vector<std::int64_t> choices;
      for (const DeviceId device : plan.device_of) choices.push_back(static_cast<std::int64_t>(index(device)));
      const auto ops = static_cast<std::int64_t>(choices.size());
      log_p_of_.push_back(log_p_.gather(1, tensor_of(choices, {ops, 1})).squeeze(1));
    }
    if (log_p_then_.empty()) {
      for (const Tensor& log_p : log_p_of_) log_p_then_.push_back(log_p.detach());
    }
  }
  Tensor loss(const LossTerms& terms) override {
    Tensor loss = terms.entropy_weight * (log_p_.exp() * log_p_).sum();
    for (std::size_t i = 0; i < terms.weights.size(); ++i) {
      const Tensor weight = at::full({1}, terms.weights[i]);
      loss = loss - surrogate(log_p_of_[i], log_p_then_[i], weight, terms.ratio_clip).sum();
    }
    return loss;
  }
  [[nodiscard]] std::vector<double> log_probabilities() const override {
    std::vector<double> values;
    for (const Tensor& tensor : log_p_of_) values.push_back(tensor.sum().item<double>());
    return values;
  }
  [[nodiscard]] Entropies entropies() const override { return {}; }

 private:
  Tensor logits_, log_p_;
  std::vector<Tensor> log_p_of_, log_p_then_;  // of every plan's choices, now and at first
};

class TablePolicy final : public Policy {
 public:
  explicit TablePolicy(std::shared_ptr<Parameters> parameters)
      : parameters_(std::move(parameters)), logits_(parameters_->tensors().front()) {}
  [[nodiscard]] Parameters& parameters() override { return *parameters_; }
  std::unique_ptr<Batch> sample(const Sampling& sampling, Rng& rng) override {
    return std::make_unique<TableBatch>(logits_, sampling.groupings * sampling.placements, rng);
  }
  Plan greedy() override {
    Plan plan;
    const Tensor devices = logits_.argmax(1);
    for (std::int64_t op = 0; op < devices.size(0); ++op) {
      plan.device_of.push_back(DeviceId(devices[op].item<std::int64_t>()));
    }
    return plan;
  }

 private:
  std::shared_ptr<Parameters> parameters_;
  Tensor logits_;
};

// A lesson for every problem, all with one table.
inline std::vector<Lesson> table_lessons(const std::vector<const Problem*>& problems, std::int64_t ops,
                                         std::int64_t devices) {
  const auto parameters = std::make_shared<Parameters>();
  parameters->constant("logits", {ops, devices}, 0.0);
  std::vector<Lesson> lessons;
  for (const Problem* problem : problems) {
    lessons.push_back({std::make_unique<TablePolicy>(parameters), make_simulated_environment(*problem, 1)});
  }
  return lessons;
}

}  // namespace berth::learn
