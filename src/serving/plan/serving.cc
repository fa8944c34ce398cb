// SPDX-License-Identifier: Apache-2.0
#include "serving/plan/serving.h"

#include <algorithm>
#include <cmath>

#include "problem/cost/cost_model.h"
#include "problem/cost/measured_costs.h"

namespace berth::llm {
namespace {

bool uses(Runtime runtime, const Device& device) {
  return device.kind == DeviceKind::kGpu || (runtime == Runtime::kVllm && device.kind == DeviceKind::kTpu);
}

struct Priced {
  std::shared_ptr<const Problem> problem;
  std::vector<Berth> berths;
};

// Times of the ops that what runs have shown says more of than the table; -1 for the others.
MeasuredCosts shown_costs(const Graph& graph, const Machine& machine, const std::vector<ServedShares>& served) {
  std::vector<int> column_of(machine.num_devices(), -1);
  std::vector<std::vector<double>> columns;
  for (const DeviceId id : machine.device_ids()) {
    if (index(id) >= served.size() || served[index(id)] == ServedShares{}) continue;
    column_of[index(id)] = static_cast<int>(columns.size());
    std::vector<double>& column = columns.emplace_back(graph.num_ops(), -1.0);
    const Device& device = machine.device(id);
    for (const OpId op : graph.ops()) {
      const OpFeatures features = features_of(graph, op);
      if (graph.role(op) != Role::kCompute || features.streamed.op == StreamedOp::kNone) continue;
      column[index(op)] = op_time_s(estimate_streamed(features, device, served[index(id)]), device);
    }
  }
  return {std::move(column_of), std::move(columns)};
}

Result<Priced> price(const Model& model, const std::shared_ptr<const Machine>& machine, const Workload& workload,
                     const std::vector<Bytes>& reserve, const std::vector<ServedShares>& served) {
  BERTH_TRY(ServingGraph built, build_serving_graph(model, workload));
  Constraints constraints;
  constraints.reserve = reserve;
  const auto graph = std::make_shared<const Graph>(std::move(built.graph));
  const bool is_as_expected = std::ranges::all_of(served, [](const ServedShares& s) { return s == ServedShares{}; });
  Result<Problem> problem =
      is_as_expected ? make_problem(graph, machine, std::move(constraints))
                     : make_problem(graph, machine, shown_costs(*graph, *machine, served), std::move(constraints));
  if (!problem) return problem.error();
  return Priced{std::make_shared<const Problem>(*std::move(problem)), std::move(built.berths)};
}

}  // namespace

std::string_view name_of(Runtime runtime) {
  switch (runtime) {
    case Runtime::kLlamaCpp:
      return "llama.cpp";
    case Runtime::kVllm:
      return "vllm";
    case Runtime::kAccelerate:
      break;
  }
  return "accelerate";
}

Bytes compute_buffer_bytes(const Config& config, const CacheSettings& cache) {
  const std::int64_t inner = std::max(config.ffn, config.experts_used * config.expert_ffn);
  const std::int64_t widest = std::max(config.vocab + config.hidden, 4 * config.hidden + 2 * inner);
  return cache.prompt_batch * (4 * widest + 2 * cache.context * cache.sequences);
}

Bytes host_buffer_bytes(const Config& config, const CacheSettings& cache) {
  const std::int64_t inner = std::max(config.ffn, config.experts_used * config.expert_ffn);
  const std::int64_t head = 4 * (config.vocab + 2 * config.hidden);
  const std::int64_t layer = 2 * cache.context * cache.sequences + 4 * (3 * inner + 4 * config.hidden);
  return cache.prompt_batch * std::max(head, layer);
}

namespace {

// Tensors of half precision that live at once while a layer handles a prompt batch: its input and residual, queries
// with keys and values, and both inner ones of the feed-forward part.
Bytes activation_bytes(const Config& config, const CacheSettings& cache) {
  const std::int64_t inner = std::max(config.ffn, config.experts_used * config.expert_ffn);
  const std::int64_t attention = config.heads * (config.key_width + config.value_width) + 2 * config.hidden;
  return 2 * cache.prompt_batch * (4 * config.hidden + attention + 2 * inner);
}

}  // namespace

std::int64_t ServingOptions::decode_depth() const {
  if (depth >= 0) return depth;
  if (mix.prompt <= 0.0 || mix.generated <= 0.0) return -1;
  return std::min(cache.context, static_cast<std::int64_t>(std::min(1e15, mix.prompt + mix.generated / 2.0)));
}

std::int64_t ServingOptions::prefill_depth() const {
  if (depth >= 0) return depth;
  if (mix.prompt <= 0.0) return 0;
  const double before = (mix.prompt - static_cast<double>(cache.prompt_batch)) / 2.0;
  return static_cast<std::int64_t>(std::clamp(before, 0.0, static_cast<double>(cache.context)));
}

std::int64_t ServingOptions::batches_in_a_row() const {
  constexpr double kLogicalBatch = 2048.0;
  const auto physical = static_cast<double>(cache.prompt_batch);
  const double tokens = std::min(std::max(mix.prompt, 1.0), std::max(kLogicalBatch, physical));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(tokens / physical)));
}

bool better(const Verdict& a, const Verdict& b) {
  if (a.unpinned != b.unpinned) return a.unpinned < b.unpinned;
  if (a.fits != b.fits) return a.fits;
  if (!a.fits && a.over != b.over) return a.over < b.over;
  return a.request_s < b.request_s;
}

Result<Serving> Serving::make(std::shared_ptr<const Model> model, std::shared_ptr<const Machine> machine,
                              const ServingOptions& options) {
  Serving serving;
  serving.model_ = std::move(model);
  serving.machine_ = std::move(machine);
  serving.options_ = options;
  const Machine& where = *serving.machine_;
  const auto cpu = where.first_of(DeviceKind::kCpu);
  if (!cpu) return bad_input("machine {} has no CPU, which holds the words of a language model", where.name());
  serving.cpu_ = *cpu;
  const Bytes buffer = compute_buffer_bytes(serving.model_->config, options.cache);
  serving.reserve_ = options.reserve.empty() ? std::vector<Bytes>(where.num_devices(), 0) : options.reserve;
  serving.reserve_[index(serving.cpu_)] += options.host_bytes;
  for (const DeviceId id : where.device_ids()) {
    const bool excluded = (options.excluded & device_bit(id)) != 0;
    if (excluded || !uses(options.runtime, where.device(id))) continue;
    serving.accelerators_.push_back(id);
    serving.reserve_[index(id)] += options.context_bytes + buffer + serving.margin(id);
  }
  if (serving.accelerators_.empty()) {
    serving.reserve_[index(serving.cpu_)] += host_buffer_bytes(serving.model_->config, options.cache);
  }
  if (serving.accelerators_.empty() && options.runtime == Runtime::kVllm) {
    return bad_input("machine {} has no GPU that may be used, and vLLM puts nothing on a CPU", where.name());
  }
  BERTH_TRY(Priced decode,
            price(*serving.model_, serving.machine_, {Phase::kDecode, options.cache, options.decode_depth()},
                  serving.reserve_, options.served));
  BERTH_TRY(Priced prefill,
            price(*serving.model_, serving.machine_, {Phase::kPrefill, options.cache, options.prefill_depth()},
                  serving.reserve_, options.served));
  serving.decode_ = std::move(decode.problem);
  serving.prefill_ = std::move(prefill.problem);
  serving.decode_berths_ = std::move(decode.berths);
  serving.prefill_berths_ = std::move(prefill.berths);
  serving.decode_simulator_ = std::make_unique<Simulator>(*serving.decode_);
  serving.prefill_simulator_ = std::make_unique<Simulator>(*serving.prefill_);
  serving.add_sizes();
  return serving;
}

void Serving::add_sizes() {
  activations_ = activation_bytes(model_->config, options_.cache);
  const auto count = static_cast<std::size_t>(layers());
  layer_bytes_.assign(count, {});
  cache_bytes_.assign(count, 0);
  const Graph& graph = decode_->graph();
  for (const OpId op : graph.ops()) {
    const Berth& berth = decode_berths_[index(op)];
    const Bytes bytes = graph.resident_bytes(op);
    if (bytes == 0) continue;
    if (berth.part == Part::kOutput) {
      output_bytes_ += bytes;
      if (berth.tensor < 0) tied_bytes_ += bytes;
    } else if (berth.part == Part::kTower) {
      tower_bytes_ += bytes;
    } else if (berth.layer < 0) {
      input_bytes_ += bytes;
    } else if (graph.role(op) == Role::kBuffer) {
      cache_bytes_[static_cast<std::size_t>(berth.layer)] += bytes;
    } else {
      const std::size_t slot = is_movable(berth.part) ? 1 + static_cast<std::size_t>(movable_index(berth.part)) : 0;
      layer_bytes_[static_cast<std::size_t>(berth.layer)][slot] += bytes;
    }
  }
}

Bytes Serving::margin(DeviceId device) const {
  const bool is_used = std::ranges::find(accelerators_, device) != accelerators_.end();
  return is_used && !options_.margin.empty() ? options_.margin[index(device)] : 0;
}

ServedShares Serving::served(DeviceId device) const {
  return index(device) < options_.served.size() ? options_.served[index(device)] : ServedShares{};
}

Bytes Serving::capacity(DeviceId device) const {
  const Bytes limit = machine_->device(device).pool_limit;
  const Bytes all = decode_->capacity(device);
  return room(limit > 0 ? std::min(all, std::max<Bytes>(0, limit - reserve_[index(device)])) : all);
}

bool Serving::shares_words(const Placement& placement) const {
  return tied_bytes_ > 0 && options_.runtime != Runtime::kVllm && placement.input == placement.output &&
         placement.input == cpu_;
}

DeviceId Serving::fullest(const Placement& placement) const {
  const std::vector<Load> sums = loads(placement);
  DeviceId worst = kNoDevice;
  Bytes most = 0;
  for (const DeviceId id : machine_->device_ids()) {
    const Bytes over = sums[index(id)].sum() - capacity(id);
    if (over <= most) continue;
    worst = id;
    most = over;
  }
  return worst;
}

DeviceId Serving::tower_device(DeviceId input) const {
  const bool on_first = options_.runtime == Runtime::kLlamaCpp && !accelerators_.empty();
  return on_first ? accelerators_.front() : input;
}

Plan Serving::plan_of(const Placement& placement, Phase phase) const {
  const Graph& graph = problem(phase).graph();
  const std::vector<Berth>& berths = phase == Phase::kDecode ? decode_berths_ : prefill_berths_;
  // Accelerate keeps weights on the CPU but computes with copies on the first GPU.
  const bool streams = options_.runtime == Runtime::kAccelerate && !accelerators_.empty();
  Plan plan;
  plan.device_of.reserve(graph.num_ops());
  for (const OpId op : graph.ops()) {
    const Berth& berth = berths[index(op)];
    DeviceId device = placement.device_of(berth.layer, berth.part);
    if (graph.role(op) == Role::kInput) device = cpu_;
    if (streams && device == cpu_ && (graph.role(op) == Role::kCompute || graph.role(op) == Role::kBuffer)) {
      device = accelerators_.front();
    }
    plan.device_of.push_back(device);
  }
  return plan;
}

// llama.cpp computes batches of at least 32 tokens on the first of its GPUs, copying the weights (op offload).
constexpr std::int64_t kLeastCopiedBatch = 32;

DeviceId Serving::borrower(const Placement& placement, Phase phase) const {
  if (accelerators_.empty()) return kNoDevice;
  if (options_.runtime == Runtime::kAccelerate) return accelerators_.front();
  const bool copies = options_.runtime == Runtime::kLlamaCpp && phase == Phase::kPrefill &&
                      options_.cache.prompt_batch >= kLeastCopiedBatch;
  const auto first = std::ranges::find_if(placement.home, [&](DeviceId home) { return home != cpu_; });
  return copies && first != placement.home.end() ? *first : kNoDevice;
}

// llama.cpp has one tensor on its way at a time, accelerate a layer.
Bytes Serving::copy_room(const Placement& placement) const {
  Bytes largest = 0;
  for (std::size_t i = 0; i < placement.home.size(); ++i) {
    const bool at_home = placement.home[i] == cpu_;
    Bytes layer = at_home ? layer_bytes_[i][0] : 0, tensor = layer;
    for (std::size_t part = 0; part < kMovableParts; ++part) {
      if (placement.moved[i][part] != cpu_) continue;
      layer += layer_bytes_[i][part + 1];
      tensor = std::max(tensor, layer_bytes_[i][part + 1]);
    }
    largest = std::max(largest, options_.runtime == Runtime::kAccelerate ? layer : tensor);
  }
  return largest;
}

// Of a mixture llama.cpp copies only the experts that a batch needs.
double Serving::copied_share(const Berth& berth, Phase phase) const {
  const Config& config = model_->config;
  const bool chosen = options_.runtime == Runtime::kLlamaCpp && berth.tensor >= 0 && config.experts > 0 &&
                      model_->tensors[static_cast<std::size_t>(berth.tensor)].experts;
  if (!chosen) return 1.0;
  const std::int64_t tokens = phase == Phase::kDecode ? options_.cache.sequences : options_.cache.prompt_batch;
  return expected_experts(config.experts, config.experts_used, tokens) / static_cast<double>(config.experts);
}

double Serving::move_copied(Plan& plan, Phase phase, DeviceId gpu) const {
  const Graph& graph = problem(phase).graph();
  const std::vector<Berth>& berths = phase == Phase::kDecode ? decode_berths_ : prefill_berths_;
  const bool all = options_.runtime == Runtime::kAccelerate;
  double bytes = 0.0;
  for (const OpId op : graph.ops()) {
    const Berth& berth = berths[index(op)];
    const Role role = graph.role(op);
    const bool stays = role == Role::kInput || role == Role::kBuffer || (!all && berth.layer < 0);
    // Attention is computed where its cache is.
    const bool attends = !all && graph.type(op) == "cached_attention";
    if (plan.device_of[index(op)] != cpu_ || stays || attends) continue;
    plan.device_of[index(op)] = gpu;
    if (role == Role::kParameter) {
      bytes += copied_share(berth, phase) * static_cast<double>(graph.resident_bytes(op));
    }
  }
  return bytes;
}

double Serving::copy_rate(DeviceId gpu) const {
  double rate = machine_->device(cpu_).bytes_per_s / 2.0;  // read once, written once
  for (const std::uint16_t channel : machine_->route(cpu_, gpu)) {
    rate = std::min(rate, machine_->channels()[channel].bytes_per_s);
  }
  return rate * served(gpu).copies;
}

// Copies are not hidden behind products: neither runtime begins with the next before the last is used.
Serving::Timed Serving::time(const Placement& placement, Phase phase) {
  Simulator& simulator = phase == Phase::kDecode ? *decode_simulator_ : *prefill_simulator_;
  Plan plan = plan_of(placement, phase);
  const DeviceId gpu = borrower(placement, phase);
  const double copied = gpu == kNoDevice ? 0.0 : move_copied(plan, phase, gpu);
  ++simulations_;
  Timed timed{.score = simulator.run(plan)};
  timed.seconds = to_seconds(timed.score.step_time);
  const Bytes over = overflow(placement);
  if (copied > 0.0) {
    timed.copies_s = copied / copy_rate(gpu);
    timed.seconds += timed.copies_s;
  }
  // The plan that was simulated holds all copies at once and the words twice, which nobody does; and knows nothing of
  // what a device may use of a pool.
  const bool has_limits = std::ranges::any_of(machine_->devices(), [](const Device& d) { return d.pool_limit > 0; });
  const bool knows_less = copied > 0.0 || has_limits || shares_words(placement);
  if (!knows_less) return timed;
  timed.score.feasible = over == 0;
  timed.score.overflow.reset();
  if (over > 0) timed.score.overflow = Overflow{.device = fullest(placement), .over = over};
  return timed;
}

// llama.cpp pipelines batches of a prompt over GPUs if all layers are there and no tensor is overridden (-ot, -ncmoe).
bool Serving::is_pipelined(const Placement& placement) const {
  if (options_.runtime != Runtime::kLlamaCpp || options_.batches_in_a_row() < 2) return false;
  bool several = false;
  for (std::size_t i = 0; i < placement.home.size(); ++i) {
    if (placement.home[i] == cpu_) return false;
    for (const DeviceId moved : placement.moved[i]) {
      if (moved != placement.home[i]) return false;
    }
    several = several || placement.home[i] != placement.home.front();
  }
  return several;
}

// The first batch goes through all stages; each of the others is done one turn of the slowest stage later.
double Serving::in_a_row_s(const Placement& placement, const Timed& prefill) const {
  if (!is_pipelined(placement)) return prefill.seconds;
  double slowest = 0.0;
  for (const DeviceUse& use : prefill.score.devices) slowest = std::max(slowest, to_seconds(use.busy));
  for (const QueueUse& queue : prefill.score.queues) slowest = std::max(slowest, to_seconds(queue.busy));
  const auto count = static_cast<double>(options_.batches_in_a_row());
  return (prefill.seconds + (count - 1.0) * std::min(slowest, prefill.seconds)) / count;
}

Verdict Serving::judge(const Placement& placement) {
  Verdict verdict;
  for (std::size_t i = 0; i < options_.pinned.size(); ++i) {
    if (options_.pinned[i] != kNoDevice && options_.pinned[i] != placement.home[i]) ++verdict.unpinned;
  }
  Timed decode = time(placement, Phase::kDecode), prefill = time(placement, Phase::kPrefill);
  verdict.decode_s = decode.seconds;
  verdict.prefill_s = prefill.seconds;
  verdict.decode_copies_s = decode.copies_s;
  verdict.prefill_copies_s = prefill.copies_s;
  verdict.prompt_s = in_a_row_s(placement, prefill);
  verdict.pipelined = is_pipelined(placement);
  verdict.decode = std::move(decode.score);
  verdict.prefill = std::move(prefill.score);
  verdict.fits = verdict.decode.feasible && verdict.prefill.feasible;
  if (!verdict.fits) {
    verdict.over = overflow(placement);
    for (const Score* score : {&verdict.decode, &verdict.prefill}) {  // knows more of activations, of one device
      if (score->overflow) verdict.over = std::max(verdict.over, score->overflow->over);
    }
    verdict.over_on = fullest(placement);
    if (verdict.over_on == kNoDevice && verdict.decode.overflow) verdict.over_on = verdict.decode.overflow->device;
  }
  const double prompt_token_s = verdict.prompt_s / static_cast<double>(options_.cache.prompt_batch);
  verdict.request_s = options_.mix.prompt * prompt_token_s + options_.mix.generated * verdict.decode_s;
  return verdict;
}

std::vector<Serving::Load> Serving::loads(const Placement& placement) const {
  std::vector<Load> loads(machine_->num_devices());
  loads[index(placement.input)].weights += input_bytes_;
  loads[index(placement.output)].weights += output_bytes_ - (shares_words(placement) ? tied_bytes_ : 0);
  loads[index(placement.tower)].weights += tower_bytes_;
  const bool streams = options_.runtime == Runtime::kAccelerate && !accelerators_.empty();
  for (std::int64_t layer = 0; layer < layers(); ++layer) {
    const auto i = static_cast<std::size_t>(layer);
    const DeviceId home = placement.home[i];
    loads[index(home)].weights += layer_bytes_[i][0];
    loads[index(streams && home == cpu_ ? accelerators_.front() : home)].cache += cache_bytes_[i];
    for (std::size_t part = 0; part < kMovableParts; ++part) {
      loads[index(placement.moved[i][part])].weights += layer_bytes_[i][part + 1];
    }
  }
  const DeviceId gpu = borrower(placement, Phase::kPrefill);
  if (gpu != kNoDevice) loads[index(gpu)].copies = copy_room(placement);
  return loads;
}

Bytes Serving::layer_bytes(std::int64_t layer) const {
  const auto& sizes = layer_bytes_[static_cast<std::size_t>(layer)];
  return sizes[0] + sizes[1] + sizes[2] + sizes[3] + cache_bytes_[static_cast<std::size_t>(layer)];
}

Bytes Serving::part_bytes(std::int64_t layer, Part part) const {
  return layer_bytes_[static_cast<std::size_t>(layer)][1 + static_cast<std::size_t>(movable_index(part))];
}

Bytes Serving::overflow(const Placement& placement) const {
  const std::vector<Load> sums = loads(placement);
  std::vector<Bytes> pools(machine_->pools().size(), 0);
  Bytes over = 0;
  for (const DeviceId id : machine_->device_ids()) {
    const Bytes load = sums[index(id)].sum();
    const int pool = machine_->pool_of(id);
    if (pool >= 0) pools[static_cast<std::size_t>(pool)] += load;
    const bool is_limited = pool < 0 || machine_->device(id).pool_limit > 0;
    if (is_limited) over += std::max<Bytes>(0, load - capacity(id));
  }
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    over += std::max<Bytes>(0, pools[pool] - room(decode_->pool_capacity(static_cast<int>(pool))));
  }
  return over;
}

}  // namespace berth::llm
