// SPDX-License-Identifier: Apache-2.0
#include "serving/plan/search.h"

#include <algorithm>
#include <array>

namespace berth::llm {
namespace {

constexpr std::size_t kMostPermuted = 3;  // GPUs of which every order is tried
constexpr std::size_t kClimbs = 3;        // starts that are improved
constexpr double kTie = 0.03;             // of the time of a request: nobody chooses a plan for less
constexpr std::array<std::int64_t, 7> kSteps{32, 16, 8, 4, 2, 1, 1};

// Orders of the GPUs worth a try: all of all subsets for few; else by speed, fastest first and last, and their
// beginnings. Of equal GPUs only the first ones count.
class Orders {
 public:
  explicit Orders(const Serving& serving) : serving_(serving) {}

  std::vector<std::vector<DeviceId>> all() {
    const std::vector<DeviceId>& gpus = serving_.accelerators();
    if (gpus.size() <= kMostPermuted) {
      std::vector<DeviceId> chosen;
      extend(chosen);
      return std::move(orders_);
    }
    std::vector<DeviceId> fastest = gpus;
    std::ranges::stable_sort(fastest, [&](DeviceId a, DeviceId b) { return speed(a) > speed(b); });
    for (std::size_t count = 1; count <= fastest.size(); ++count) {
      std::vector<DeviceId> order(fastest.begin(), fastest.begin() + static_cast<std::ptrdiff_t>(count));
      orders_.push_back(order);
      std::ranges::reverse(order);
      orders_.push_back(std::move(order));
    }
    orders_.push_back(gpus);
    return std::move(orders_);
  }

 private:
  [[nodiscard]] double speed(DeviceId device) const { return serving_.machine().device(device).bytes_per_s; }

  // Whether an equal GPU with a lower number is still free: then that one stands for both.
  [[nodiscard]] bool has_free_twin(DeviceId device, const std::vector<DeviceId>& chosen) const {
    const Problem& problem = serving_.problem(Phase::kDecode);
    return std::ranges::any_of(serving_.accelerators(), [&](DeviceId other) {
      return other < device && problem.device_class(other) == problem.device_class(device) &&
             serving_.capacity(other) == serving_.capacity(device) && same_links(other, device) &&
             std::ranges::find(chosen, other) == chosen.end();
    });
  }
  [[nodiscard]] bool same_links(DeviceId a, DeviceId b) const {
    const Machine& machine = serving_.machine();
    const auto rate = [&](DeviceId device) {
      double slowest = 1e30;
      for (const std::uint16_t channel : machine.route(serving_.cpu(), device)) {
        slowest = std::min(slowest, machine.channels()[channel].bytes_per_s);
      }
      return slowest;
    };
    return rate(a) == rate(b);
  }

  void extend(std::vector<DeviceId>& chosen) {
    for (const DeviceId device : serving_.accelerators()) {
      if (std::ranges::find(chosen, device) != chosen.end() || has_free_twin(device, chosen)) continue;
      chosen.push_back(device);
      orders_.push_back(chosen);
      extend(chosen);
      chosen.pop_back();
    }
  }

  const Serving& serving_;
  std::vector<std::vector<DeviceId>> orders_;
};

Judged judged(Serving& serving, Shape shape) {
  Placement placement = placement_of(shape, serving);
  Verdict verdict = serving.judge(placement);
  return {std::move(shape), std::move(placement), std::move(verdict)};
}

// Hill climbing over the numbers of a shape, large steps first.
class Climb {
 public:
  Climb(Serving& serving, Judged start, std::uint64_t judgements)
      : serving_(serving), best_(std::move(start)), left_(judgements) {}

  Judged run() {
    for (const std::int64_t step : kSteps) {
      while (improve(step) && left_ > 0) {
      }
    }
    return std::move(best_);
  }

 private:
  bool improve(std::int64_t step) {
    bool improved = false;
    const std::size_t blocks = best_.shape.blocks.size();
    for (std::size_t i = 0; i < blocks && left_ > 0; ++i) {
      for (const std::int64_t signed_step : {step, -step}) {
        improved = attempt_moved(i, signed_step) || improved;
        improved = attempt_cpu(i, signed_step) || improved;
        for (std::size_t j = 0; j < i; ++j) improved = attempt_shift(i, j, signed_step) || improved;
      }
    }
    return improved;
  }

  // More or fewer tensors of a block on the CPU.
  bool attempt_moved(std::size_t i, std::int64_t step) {
    if (serving_.options().runtime != Runtime::kLlamaCpp) return false;
    Shape shape = best_.shape;
    Block& block = shape.blocks[i];
    block.moved = std::clamp<std::int64_t>(block.moved + step, 0, kMovableParts * block.layers);
    return attempt(std::move(shape));
  }
  // Layers between a block and the CPU.
  bool attempt_cpu(std::size_t i, std::int64_t step) {
    if (serving_.options().runtime == Runtime::kVllm) return false;
    Shape shape = best_.shape;
    Block& block = shape.blocks[i];
    const std::int64_t moved = std::clamp(step, -block.layers, shape.cpu_layers);
    block.layers += moved;
    shape.cpu_layers -= moved;
    return attempt(std::move(shape));
  }
  // Layers between two blocks.
  bool attempt_shift(std::size_t i, std::size_t j, std::int64_t step) {
    Shape shape = best_.shape;
    const std::int64_t moved = std::clamp(step, -shape.blocks[i].layers, shape.blocks[j].layers);
    shape.blocks[i].layers += moved;
    shape.blocks[j].layers -= moved;
    return attempt(std::move(shape));
  }

  bool attempt(Shape shape) {
    for (Block& block : shape.blocks) block.moved = std::min(block.moved, kMovableParts * block.layers);
    std::erase_if(shape.blocks, [](const Block& block) { return block.layers == 0; });
    if (shape == best_.shape || left_ == 0) return false;
    if (shape.blocks.size() < best_.shape.blocks.size()) return false;  // fewer GPUs are a start of their own
    const Bytes over = serving_.overflow(placement_of(shape, serving_));
    if (best_.verdict.fits && over > 0) return false;
    --left_;
    Judged next = judged(serving_, std::move(shape));
    if (!better(next.verdict, best_.verdict)) return false;
    best_ = std::move(next);
    return true;
  }

  Serving& serving_;
  Judged best_;
  std::uint64_t left_;
};

std::vector<Shape> starts(const Serving& serving) {
  std::vector<Shape> shapes;
  for (const std::vector<DeviceId>& order : Orders(serving).all()) {
    shapes.push_back(filled(serving, order));
    shapes.push_back(proportional(serving, order));
    if (serving.options().runtime == Runtime::kLlamaCpp) shapes.push_back(with_moved(serving, order, false));
  }
  return shapes;
}

// Of several single devices the best alone is of interest.
void keep_best_single(std::vector<JudgedRival>& rivals) {
  const auto is_single = [](const JudgedRival& rival) { return rival.name == "one device"; };
  const JudgedRival* best = nullptr;
  for (const JudgedRival& rival : rivals) {
    if (is_single(rival) && (best == nullptr || better(rival.verdict, best->verdict))) best = &rival;
  }
  if (best == nullptr) return;
  const JudgedRival kept = *best;
  std::erase_if(rivals, is_single);
  rivals.push_back(kept);
}

// How much there is to a placement: patterns of tensors to move, then blocks of layers.
std::size_t complexity(const Shape& shape) {
  const auto moving = std::ranges::count_if(shape.blocks, [](const Block& block) { return block.moved > 0; });
  return 10 * static_cast<std::size_t>(moving) + shape.blocks.size() + (shape.cpu_layers > 0 ? 1 : 0);
}

// Of those that are as good as the best the simplest, and of equally simple ones that with the faster prompt: nobody
// wants patterns for a gain that no clock shows, or waits long for a first word to have the last one a little sooner.
Judged simplest(const std::vector<Judged>& found, const Judged& best) {
  const auto rank = [](const Judged& judged) { return std::pair(complexity(judged.shape), judged.verdict.prompt_s); };
  const Judged* chosen = &best;
  for (const Judged& other : found) {
    const bool as_good = other.verdict.fits && other.verdict.unpinned == best.verdict.unpinned &&
                         other.verdict.request_s <= best.verdict.request_s * (1.0 + kTie);
    if (as_good && rank(other) < rank(*chosen)) chosen = &other;
  }
  return *chosen;
}

}  // namespace

PlacementSearch find_placement(Serving& serving, const SearchLimits& limits) {
  PlacementSearch result;
  std::vector<Judged> found;
  for (Rival& rival : rivals(serving)) {
    Judged judgement = judged(serving, std::move(rival.shape));
    result.rivals.push_back({rival.name, std::move(rival.note), judgement.placement, judgement.verdict});
    found.push_back(std::move(judgement));
  }
  for (Shape& shape : starts(serving)) {
    if (std::ranges::any_of(found, [&](const Judged& other) { return other.shape == shape; })) continue;
    found.push_back(judged(serving, std::move(shape)));
  }
  keep_best_single(result.rivals);
  std::ranges::stable_sort(found, [](const Judged& a, const Judged& b) { return better(a.verdict, b.verdict); });
  result.best = found.front();
  const std::size_t climbs = std::min(kClimbs, found.size());
  for (std::size_t i = 0; i < climbs; ++i) {
    Judged climbed = Climb(serving, found[i], limits.judgements / climbs).run();
    if (better(climbed.verdict, result.best.verdict)) result.best = std::move(climbed);
  }
  if (result.best.verdict.fits) result.best = simplest(found, result.best);
  std::erase_if(found, [](const Judged& judged) { return !judged.verdict.fits; });
  result.found = std::move(found);
  result.simulations = serving.simulations();
  return result;
}

namespace {

bool fits(const Serving& serving, bool on_gpus) {
  for (const std::vector<DeviceId>& order : Orders(serving).all()) {
    const Shape shape = filled(serving, order);
    if (on_gpus && shape.cpu_layers > 0) continue;
    if (serving.overflow(placement_of(shape, serving)) == 0) return true;
    if (on_gpus || serving.options().runtime != Runtime::kLlamaCpp) continue;
    if (serving.overflow(placement_of(with_moved(serving, order, false), serving)) == 0) return true;
  }
  if (on_gpus || serving.options().runtime == Runtime::kVllm) return false;
  return serving.overflow(placement_of({.cpu_layers = serving.layers(), .blocks = {}}, serving)) == 0;
}

}  // namespace

Result<std::int64_t> largest_context(const std::shared_ptr<const Model>& model,
                                     const std::shared_ptr<const Machine>& machine, ServingOptions options,
                                     bool on_gpus, std::int64_t most) {
  std::int64_t low = 0,
               high = most / kCellPadding;  // in multiples of the padding: low fits, above high nothing is asked
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    options.cache.context = middle * kCellPadding;
    BERTH_TRY(const Serving serving, Serving::make(model, machine, options));
    if (fits(serving, on_gpus)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low * kCellPadding;
}

}  // namespace berth::llm
