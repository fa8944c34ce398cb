// SPDX-License-Identifier: Apache-2.0
// The smallest policy there is: for every op a row of logits over the devices, drawn independently.
#pragma once

#include "learn/policy.h"

namespace berth::learn {

class TableBatch final : public Batch {
 public:
  TableBatch(const Tensor& logits, int plans, Rng& rng) : log_p_(at::log_softmax(logits, 1)) {
    const std::vector<float> log_p = floats_of(log_p_.detach());
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
    for (const Plan& plan : plans_) {
      std::vector<std::int64_t> choices;
      for (const DeviceId device : plan.device_of) choices.push_back(static_cast<std::int64_t>(index(device)));
      const auto ops = static_cast<std::int64_t>(choices.size());
      log_p_of_.push_back(log_p_.gather(1, tensor_of(choices, {ops, 1})).sum());
    }
  }
  Tensor loss(std::span<const double> weights, double entropy_weight) override {
    Tensor loss = entropy_weight * (log_p_.exp() * log_p_).sum();
    for (std::size_t i = 0; i < weights.size(); ++i) loss = loss - weights[i] * log_p_of_[i];
    return loss;
  }
  [[nodiscard]] std::vector<double> log_probabilities() const override {
    std::vector<double> values;
    for (const Tensor& tensor : log_p_of_) values.push_back(tensor.item<double>());
    return values;
  }
  [[nodiscard]] Entropies entropies() const override { return {}; }

 private:
  Tensor log_p_;
  std::vector<Tensor> log_p_of_;
};

class TablePolicy final : public Policy {
 public:
  TablePolicy(std::int64_t ops, std::int64_t devices) : logits_(parameters_.constant("logits", {ops, devices}, 0.0)) {}
  [[nodiscard]] Parameters& parameters() override { return parameters_; }
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
  Parameters parameters_;
  Tensor logits_;
};

}  // namespace berth::learn
