// SPDX-License-Identifier: Apache-2.0
#include "learn/go/batch.h"

#include <cmath>

#include "learn/nn/logits.h"
#include "learn/nn/random.h"

namespace berth::learn {
namespace {

// A column from each row of logarithms of chances [plans or 1, rows, columns], for every plan.
std::vector<std::vector<std::int64_t>> draw_columns(const Tensor& logs, int plans, Rng& rng) {
  const Tensor chances = logs.detach().to(at::kCPU).exp();
  std::vector<std::vector<std::int64_t>> drawn;
  for (int i = 0; i < plans; ++i) {
    const std::vector<std::uint32_t> row = draw_rows(chances[chances.size(0) == 1 ? 0 : i].contiguous(), rng);
    drawn.emplace_back(row.begin(), row.end());
  }
  return drawn;
}

// Nodes by falling logit plus Gumbel noise: a sample of Plackett and Luce's distribution over orders.
std::vector<std::int64_t> draw_order(const Tensor& logits, Rng& rng) {
  const Tensor noisy = logits.detach().squeeze(1) + gumbel_numbers({logits.size(0)}, rng, logits.device());
  const Tensor order = noisy.argsort(0, true).to(at::kCPU).contiguous();
  return {order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + order.numel()};
}

Tensor chosen(const Tensor& logs, const Tensor& choice) {
  return logs.expand({choice.size(0), -1, -1}).gather(2, choice.unsqueeze(2)).squeeze(2);
}

}  // namespace

Tensor field_noise(const GoGraph& graph, int plans, double deviation, Rng& rng) {
  constexpr std::int64_t kWavesEach = 3;
  constexpr double kTurn = 2.0 * 3.14159265358979, kFrequency = 0.7;  // turns from one end of a graph to the other
  const at::NoGradGuard guard;
  const at::Device device = graph.nodes.device();
  const std::int64_t devices = graph.num_devices(), waves = devices * kWavesEach;
  const Tensor strength = (graph.share / graph.share.max()).sqrt() * (deviation * std::sqrt(2.0 / kWavesEach));
  std::vector<Tensor> fields;
  for (int i = 0; i < plans; ++i) {
    const Tensor frequency = normal_numbers({kCoordinates, waves}, rng, device) * (kTurn * kFrequency);
    const Tensor phase = normal_numbers({1, waves}, rng, device) * kTurn;
    const Tensor height = normal_numbers({1, devices, kWavesEach}, rng, device);
    const Tensor wave = at::cos(at::mm(graph.coordinates, frequency) + phase);
    fields.push_back((wave.reshape({-1, devices, kWavesEach}) * height).sum(2) * strength);
  }
  return at::stack(fields);
}

GoBatch::GoBatch(const GoPolicy& policy, const Sampling& sampling, Rng& rng) : policy_(policy) {
  const int plans = sampling.groupings * sampling.placements;  // there are no groupings: all samples are of one kind
  if (sampling.noise > 0.0 && policy.tasks().placement) {
    noise_ = field_noise(policy.graph(), plans, sampling.noise, rng);
    if (sampling.rising) noise_ = noise_ * at::linspace(0.0, 1.0, plans, noise_.options()).reshape({-1, 1, 1});
  }
  drawn_from_ = policy.logits();
  draw(*drawn_from_, plans, rng);
  make_plans();
}

GoBatch::GoBatch(const GoPolicy& policy, std::vector<GoPolicy::Choices> choices)
    : policy_(policy), choices_(std::move(choices)) {
  make_plans();
}

void GoBatch::draw(const GoLogits& logits, int plans, Rng& rng) {
  choices_.resize(static_cast<std::size_t>(plans));
  const auto devices = draw_columns(placement_logs(logits), plans, rng);
  for (std::size_t i = 0; i < choices_.size(); ++i) choices_[i].device = devices[i];
  const auto levels = [&](const Tensor& of) { return draw_columns(at::log_softmax(of, 1).unsqueeze(0), plans, rng); };
  if (policy_.tasks().schedule && !policy_.tasks().ordered) {
    const auto drawn = levels(logits.schedule);
    for (std::size_t i = 0; i < choices_.size(); ++i) choices_[i].schedule = drawn[i];
  }
  if (policy_.tasks().schedule && policy_.tasks().ordered) {
    for (GoPolicy::Choices& choice : choices_) choice.schedule = draw_order(logits.schedule, rng);
  }
  if (policy_.tasks().fusion) {
    const auto drawn = levels(logits.fusion);
    for (std::size_t i = 0; i < choices_.size(); ++i) choices_[i].fusion = drawn[i];
  }
}

void GoBatch::make_plans() {
  const at::Device device = policy_.graph().nodes.device();
  const auto together = [&](const auto& part) {
    std::vector<Tensor> rows;
    for (const GoPolicy::Choices& choices : choices_)
      rows.push_back(tensor_of(part(choices), {static_cast<std::int64_t>(part(choices).size())}));
    return at::stack(rows).to(device);
  };
  using Row = const std::vector<std::int64_t>&;
  device_ = together([](const GoPolicy::Choices& choices) -> Row { return choices.device; });
  schedule_ = together([](const GoPolicy::Choices& choices) -> Row { return choices.schedule; });
  fusion_ = together([](const GoPolicy::Choices& choices) -> Row { return choices.fusion; });
  for (const GoPolicy::Choices& choices : choices_) plans_.push_back(policy_.plan_of(choices));
}

Tensor GoBatch::placement_logs(const GoLogits& logits) const {
  const Tensor all = logits.placement.unsqueeze(0);
  return at::log_softmax(noise_.defined() ? all + noise_ : all, 2);
}

// log p of the i-th node of an order: its logit less the logarithm of the sum over all that were left.
Tensor GoBatch::of_order(const Tensor& logits) const {
  const Tensor ordered = logits.squeeze(1).unsqueeze(0).expand({schedule_.size(0), -1}).gather(1, schedule_);
  return ordered - ordered.flip({1}).logcumsumexp(1).flip({1});
}

void GoBatch::prepare() {
  const GoTasks& tasks = policy_.tasks();
  const GoLogits logits = drawn_from_ ? *drawn_from_ : policy_.logits();
  drawn_from_.reset();
  log_now_.clear();
  const Tensor placement = placement_logs(logits);
  log_now_.push_back(chosen(placement, device_));
  spread_ = mean_entropy(placement);
  entropies_.placing = spread_.item<double>() / static_cast<double>(placement.size(1));
  entropies_.most_placing = std::log(static_cast<double>(placement.size(2)));
  const auto add_levels = [&](const Tensor& of, const Tensor& choice) {
    const Tensor logs = at::log_softmax(of, 1).unsqueeze(0);
    log_now_.push_back(chosen(logs, choice));
    spread_ = spread_ + mean_entropy(logs);
  };
  if (tasks.schedule && tasks.ordered) {
    log_now_.push_back(of_order(logits.schedule));
    spread_ = spread_ - logits.schedule.square().sum();  // as Jeon et al. (2023) keep an order open
  } else if (tasks.schedule) {
    add_levels(logits.schedule, schedule_);
  }
  if (tasks.fusion) add_levels(logits.fusion, fusion_);
  if (!log_then_.empty()) return;
  for (const Tensor& logs : log_now_) log_then_.push_back(logs.detach());
}

Tensor GoBatch::loss(const LossTerms& terms) {
  const std::vector<float> plain(terms.weights.begin(), terms.weights.end());
  const Tensor weight = tensor_of(plain, {static_cast<std::int64_t>(plain.size()), 1}).to(device_.device());
  Tensor loss = spread_ * -terms.entropy_weight;
  for (std::size_t i = 0; i < log_now_.size(); ++i)
    loss = loss - surrogate(log_now_[i], log_then_[i], weight, terms.ratio_clip).sum();
  return loss;
}

std::vector<double> GoBatch::log_probabilities() const {
  Tensor sum = at::zeros({device_.size(0)}, log_now_.front().options());
  for (const Tensor& logs : log_now_) sum = sum + logs.sum(1);
  const std::vector<float> plain = floats_of(sum);
  return {plain.begin(), plain.end()};
}

}  // namespace berth::learn
