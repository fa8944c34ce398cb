// SPDX-License-Identifier: Apache-2.0
// The Placer of the papers: a bidirectional LSTM reads the groups, an LSTM emits a device for each in turn, is fed the
// embedding of the device before, and looks back at the groups by content-based attention (Bahdanau et al., 2015).
//
// The context of attention enters the logits alone, so once the choices are known the whole sequence is one pass: the
// loss costs a few large products instead of one small step per group.
#include "learn/hierarchical/lstm_placer.h"

#include <array>
#include <cmath>

#include "learn/nn/logits.h"
#include "learn/nn/random.h"

namespace berth::learn {
namespace {

// Of every device while groups are placed: the share of this group's neighbours (by bytes) that are there, the work and
// the memory that are there already, and the work that this group would add. Their weights begin so that a group goes
// to its neighbours and away from full devices, and are learned.
constexpr std::int64_t kPlaced = 4;
constexpr std::array<float, kPlaced> kPlacedStart{3.0F, -1.0F, -1.0F, -1.0F};

struct Cell {  // gates in the order of libtorch: in, forget, new, out
  Tensor input, hidden, input_bias, hidden_bias;
  [[nodiscard]] std::vector<Tensor> list() const { return {input, hidden, input_bias, hidden_bias}; }
};

Cell make_cell(const std::string& name, std::int64_t inputs, std::int64_t size, Parameters& parameters, Rng& rng) {
  std::vector<float> bias(static_cast<std::size_t>(4 * size));
  for (std::int64_t i = size; i < 2 * size; ++i) bias[static_cast<std::size_t>(i)] = 1.0F;  // remembers at the start
  Cell cell;
  cell.input = parameters.glorot(name + ".input", 4 * size, inputs, rng);
  cell.hidden = parameters.glorot(name + ".hidden", 4 * size, size, rng);
  cell.input_bias = parameters.from(name + ".input_bias", bias, {4 * size});
  cell.hidden_bias = parameters.constant(name + ".hidden_bias", {4 * size}, 0.0);
  return cell;
}

// Keeps count of what is on every device while a sequence is decoded step by step.
class Count {
 public:
  Count(const GroupInput& groups, std::int64_t rows, std::int64_t devices) : groups_(groups) {
    if (!groups.neighbours.defined()) return;
    on_ = at::zeros({rows, groups.neighbours.size(1), devices}, groups.neighbours.options());
    work_ = at::zeros({rows, devices}, on_.options());
    bytes_ = at::zeros({rows, devices}, on_.options());
  }
  [[nodiscard]] Tensor seen(std::int64_t step) const {  // [rows, devices, kPlaced]
    const Tensor near = at::bmm(groups_.neighbours.select(1, step).unsqueeze(1), on_).squeeze(1);
    return at::stack({near, work_, bytes_, groups_.time.select(1, step)}, 2);
  }
  void place(std::int64_t step, const Tensor& device) {
    on_.select(1, step).scatter_(1, device.unsqueeze(1), 1.0);
    const Tensor here = on_.select(1, step);
    work_ = work_ + here * groups_.time.select(1, step);
    bytes_ = bytes_ + here * groups_.memory.select(1, step);
  }

 private:
  GroupInput groups_;
  Tensor on_, work_, bytes_;
};

// The same for all steps at once, when the choices are known: [rows, steps, devices, kPlaced].
Tensor seen_at_all_steps(const GroupInput& groups, const Tensor& chosen, std::int64_t devices) {
  const Tensor on = at::one_hot(chosen, devices).to(groups.time.scalar_type());
  const Tensor near = at::bmm(groups.neighbours.tril(-1), on);
  const Tensor work = on * groups.time, bytes = on * groups.memory;
  return at::stack({near, work.cumsum(1) - work, bytes.cumsum(1) - bytes, groups.time}, 3);
}

class LstmPlacer : public Placer {
 public:
  LstmPlacer(const PlacerShape& shape, const PlacementOptions& options, Parameters& parameters, Rng& rng);
  Placements draw(const GroupInput& groups, int placements, double noise, Rng& rng) const override;
  [[nodiscard]] Tensor log_probabilities(const GroupInput& groups, const Placements& drawn) const override;
  [[nodiscard]] Tensor greedy(const GroupInput& groups) const override;
  [[nodiscard]] Tensor attention(const GroupInput& groups, const Tensor& devices) const override;

 private:
  struct Memory {
    Tensor states;        // [m, groups, size]
    Tensor keys;          // [m, groups, attention], also what attention gives back
    Tensor hidden, cell;  // [m, size]: where the decoder begins
    GroupInput groups;
  };
  [[nodiscard]] Memory read(const GroupInput& groups) const;
  [[nodiscard]] Memory repeated(const Memory& memory, std::int64_t times) const;
  [[nodiscard]] Tensor device_table() const;  // [devices + 1, size]; the last row begins a sequence
  // States of the decoder when the choices are known [b, steps, size].
  [[nodiscard]] Tensor decoded(const Memory& memory, const Tensor& chosen) const;
  [[nodiscard]] Tensor weights_of(const Tensor& hidden, const Tensor& keys) const;
  [[nodiscard]] Tensor logits(const Tensor& hidden, const Tensor& keys) const;
  // What the devices hold by now adds to the logits: `seen` [b, steps, devices, kPlaced].
  [[nodiscard]] Tensor placed_logits(const Tensor& hidden, const Tensor& seen) const;
  // Decodes step by step; `pick` chooses from the logits of step t [m k, devices].
  template <typename Pick>
  Tensor decode(const Memory& memory, Pick&& pick) const;

  PlacementOptions options_;
  std::int64_t size_, devices_;
  Cell forward_, backward_, decoder_;
  Tensor table_, feature_weights_, device_features_;
  Tensor keys_, queries_, scores_, out_, out_bias_;
  Tensor placed_, placed_bias_;  // weights of what is placed so far, by the state of the decoder
};

LstmPlacer::LstmPlacer(const PlacerShape& shape, const PlacementOptions& options, Parameters& parameters, Rng& rng)
    : options_(options), size_(options.hidden + options.hidden % 2), devices_(shape.devices) {
  const std::int64_t attention = options.attention;
  forward_ = make_cell("placer.forward", shape.width, size_ / 2, parameters, rng);
  backward_ = make_cell("placer.backward", shape.width, size_ / 2, parameters, rng);
  decoder_ = make_cell("placer.decoder", options.aligned ? 2 * size_ : size_, size_, parameters, rng);
  table_ = parameters.glorot("placer.devices", devices_ + 1, size_, rng);
  if (shape.device_features.width > 0) {
    const auto width = static_cast<std::int64_t>(shape.device_features.width);
    device_features_ = tensor_of(shape.device_features.values, {devices_, width}).to(parameters.device());
    feature_weights_ = parameters.glorot("placer.device_features", width, size_, rng);
  }
  keys_ = parameters.glorot("placer.keys", size_, attention, rng);
  queries_ = parameters.glorot("placer.queries", size_, attention, rng);
  scores_ = parameters.glorot("placer.scores", attention, 1, rng);
  out_ = parameters.glorot("placer.out", size_ + attention, devices_, rng);
  std::vector<float> bias = shape.start_logits;
  bias.resize(static_cast<std::size_t>(devices_));
  out_bias_ = parameters.from("placer.out_bias", bias, {devices_});
  if (!options.placed_features) return;
  placed_ = parameters.constant("placer.placed", {size_, kPlaced}, 0.0);
  placed_bias_ = parameters.from("placer.placed_bias", kPlacedStart, {kPlaced});
}

LstmPlacer::Memory LstmPlacer::read(const GroupInput& groups) const {
  const Tensor& input = groups.embedding;
  const Tensor zero = at::zeros({2, input.size(0), size_ / 2}, input.options());
  std::vector<Tensor> weights = forward_.list();
  for (const Tensor& weight : backward_.list()) weights.push_back(weight);
  const auto [states, hidden, cell] = at::lstm(input, {zero, zero}, weights, true, 1, 0.0, true, true, true);
  return {states, at::matmul(states, keys_), at::cat({hidden[0], hidden[1]}, 1), at::cat({cell[0], cell[1]}, 1),
          groups};
}

LstmPlacer::Memory LstmPlacer::repeated(const Memory& memory, std::int64_t times) const {
  if (times == 1) return memory;
  const auto repeat = [times](const Tensor& tensor) {
    return tensor.defined() ? tensor.repeat_interleave(times, 0) : tensor;
  };
  const GroupInput& groups = memory.groups;
  return {repeat(memory.states),
          repeat(memory.keys),
          repeat(memory.hidden),
          repeat(memory.cell),
          {Tensor(), repeat(groups.neighbours), repeat(groups.time), repeat(groups.memory)}};
}

Tensor LstmPlacer::device_table() const {
  if (!device_features_.defined()) return table_;
  const Tensor extra = at::matmul(device_features_, feature_weights_);
  return table_ + at::cat({extra, at::zeros({1, size_}, extra.options())}, 0);
}

// hidden [b, steps, size], keys [b, groups, attention] -> [b, steps, groups]
Tensor LstmPlacer::weights_of(const Tensor& hidden, const Tensor& keys) const {
  const Tensor queries = at::matmul(hidden, queries_);
  const Tensor sums = at::tanh(queries.unsqueeze(2) + keys.unsqueeze(1));  // [b, steps, groups, attention]
  return at::softmax(at::matmul(sums, scores_).squeeze(-1), 2);
}

// As above -> [b, steps, devices]
Tensor LstmPlacer::logits(const Tensor& hidden, const Tensor& keys) const {
  const Tensor context = at::bmm(weights_of(hidden, keys), keys);
  return bounded(at::matmul(at::cat({hidden, context}, 2), out_) + out_bias_, options_);
}

Tensor LstmPlacer::placed_logits(const Tensor& hidden, const Tensor& seen) const {
  const Tensor weights = at::matmul(hidden, placed_) + placed_bias_;  // [b, steps, kPlaced]
  return at::matmul(seen, weights.unsqueeze(3)).squeeze(3);
}

template <typename Pick>
Tensor LstmPlacer::decode(const Memory& memory, Pick&& pick) const {
  // What a step adds up to its gates, computed for all steps and devices at once.
  const Tensor by_device = at::matmul(device_table(), decoder_.input.slice(1, 0, size_).t());
  Tensor by_step =
      (decoder_.input_bias + decoder_.hidden_bias).expand({memory.states.size(0), memory.states.size(1), -1});
  if (options_.aligned) by_step = by_step + at::matmul(memory.states, decoder_.input.slice(1, size_, 2 * size_).t());
  const Tensor recurrent = decoder_.hidden.t();
  Tensor hidden = memory.hidden, cell = memory.cell;
  Tensor device = at::full({hidden.size(0)}, devices_, hidden.options().dtype(at::kLong));
  std::vector<Tensor> chosen;
  Count count(memory.groups, memory.states.size(0), devices_);
  for (std::int64_t step = 0; step < memory.states.size(1); ++step) {
    const Tensor gates = at::addmm(by_step.select(1, step) + by_device.index_select(0, device), hidden, recurrent);
    const std::vector<Tensor> parts = gates.chunk(4, 1);
    cell = at::sigmoid(parts[1]) * cell + at::sigmoid(parts[0]) * at::tanh(parts[2]);
    hidden = at::sigmoid(parts[3]) * at::tanh(cell);
    Tensor now = logits(hidden.unsqueeze(1), memory.keys);
    if (placed_.defined()) now = now + placed_logits(hidden.unsqueeze(1), count.seen(step).unsqueeze(1));
    device = pick(step, now.squeeze(1));
    if (placed_.defined()) count.place(step, device);
    chosen.push_back(device);
  }
  return at::stack(chosen, 1);
}

Placements LstmPlacer::draw(const GroupInput& groups, int placements, double noise, Rng& rng) const {
  const at::NoGradGuard guard;
  const Memory memory = repeated(read(groups), placements);
  const std::int64_t rows = memory.states.size(0), steps = memory.states.size(1);
  const at::Device device = memory.states.device();
  const Tensor gumbel = gumbel_numbers({steps, rows, devices_}, rng, device);
  Placements drawn;
  if (noise > 0.0) drawn.noise = normal_numbers({rows, steps, devices_}, rng, device) * noise;
  drawn.devices = decode(memory, [&](std::int64_t step, const Tensor& logits) {
    const Tensor step_noise = drawn.noise.defined() ? drawn.noise.select(1, step) : Tensor();
    return (with_noise(logits, step_noise) + gumbel[step]).argmax(1);
  });
  return drawn;
}

Tensor LstmPlacer::decoded(const Memory& memory, const Tensor& chosen) const {
  const Tensor begin = at::full({chosen.size(0), 1}, devices_, chosen.options());
  const Tensor before = at::cat({begin, chosen.slice(1, 0, chosen.size(1) - 1)}, 1);
  Tensor input = at::embedding(device_table(), before);
  if (options_.aligned) input = at::cat({input, memory.states}, 2);
  const auto [hidden, last, cell] = at::lstm(input, {memory.hidden.unsqueeze(0), memory.cell.unsqueeze(0)},
                                             decoder_.list(), true, 1, 0.0, true, false, true);
  return hidden;
}

Tensor LstmPlacer::log_probabilities(const GroupInput& groups, const Placements& drawn) const {
  const Memory memory = repeated(read(groups), drawn.devices.size(0) / groups.embedding.size(0));
  const Tensor hidden = decoded(memory, drawn.devices);
  Tensor all = logits(hidden, memory.keys);
  if (placed_.defined()) all = all + placed_logits(hidden, seen_at_all_steps(memory.groups, drawn.devices, devices_));
  return at::log_softmax(with_noise(all, drawn.noise), 2);
}

Tensor LstmPlacer::greedy(const GroupInput& groups) const {
  const at::NoGradGuard guard;
  return decode(read(groups), [](std::int64_t, const Tensor& logits) { return logits.argmax(1); });
}

Tensor LstmPlacer::attention(const GroupInput& groups, const Tensor& devices) const {
  const at::NoGradGuard guard;
  const Memory memory = read(groups);
  return weights_of(decoded(memory, devices), memory.keys);
}

}  // namespace

std::unique_ptr<Placer> make_lstm_placer(const PlacerShape& shape, const PlacementOptions& options,
                                         Parameters& parameters, Rng& rng) {
  return std::make_unique<LstmPlacer>(shape, options, parameters, rng);
}

}  // namespace berth::learn
