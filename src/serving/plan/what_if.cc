// SPDX-License-Identifier: Apache-2.0
#include "serving/plan/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "problem/what_if/machine_draft.h"
#include "serving/ggml_type.h"

namespace berth::llm {
namespace {

constexpr Bytes kMore = Bytes{1} << 30;
constexpr double kFaster = 4.0;  // lanes of x16 against x4
constexpr std::uint64_t kJudgements = 150;

std::shared_ptr<const Machine> shared_machine(const MachineDraft& draft) {
  auto machine = draft.make();
  return machine ? std::make_shared<const Machine>(*std::move(machine)) : nullptr;
}

std::shared_ptr<const Machine> with_memory(const Machine& machine, DeviceId device) {
  MachineDraft parts(machine);
  const int pool = machine.pool_of(device);
  (pool >= 0 ? parts.pools[static_cast<std::size_t>(pool)].memory : parts.devices[index(device)].memory) += kMore;
  return shared_machine(parts);
}

// A second card of the kind, on links of its own like those of the first.
std::shared_ptr<const Machine> with_twin(const Machine& machine, DeviceId device) {
  MachineDraft parts(machine);
  const std::string name = machine.device(device).name, twin = name + "+";
  Device copy = machine.device(device);
  copy.name = twin;
  parts.devices.push_back(std::move(copy));
  for (const Link& link : machine.links()) {
    if (link.from != name && link.to != name) continue;
    Link added = link;
    if (added.from == name) added.from = twin;
    if (added.to == name) added.to = twin;
    if (!added.bus.empty() && link.from == name) added.bus += "+";
    parts.links.push_back(std::move(added));
  }
  return shared_machine(parts);
}

struct FasterSlot {
  std::shared_ptr<const Machine> machine;
  std::string device;
};

// The GPU behind the slowest link to the CPU, with four times its bandwidth.
std::optional<FasterSlot> with_faster_slot(const Serving& serving) {
  const Machine& machine = serving.machine();
  DeviceId slowest = kNoDevice;
  double least = 0.0;
  for (const DeviceId gpu : serving.accelerators()) {
    const auto route = machine.route(serving.cpu(), gpu);
    if (route.empty() || machine.pool_of(gpu) >= 0) continue;
    const double rate = machine.channels()[route.back()].bytes_per_s;
    if (slowest == kNoDevice || rate < least) {
      slowest = gpu;
      least = rate;
    }
  }
  if (slowest == kNoDevice) return std::nullopt;
  MachineDraft parts(machine);
  const std::string& name = machine.device(slowest).name;
  for (Link& link : parts.links) {
    if (link.from == name || link.to == name) link.bytes_per_s *= kFaster;
  }
  return FasterSlot{shared_machine(parts), name};
}

class Questions {
 public:
  // `twin`: what a second card like the fastest is taken to reach.
  Questions(const std::shared_ptr<const Model>& model, ServingOptions options, const Placement& ours,
            const ServedShares& twin)
      : model_(model), options_(std::move(options)), ours_(ours), twin_(twin) {}

  void ask(std::string change, const std::shared_ptr<const Machine>& machine) {
    ask(std::move(change), machine, options_);
  }
  void ask(std::string change, const std::shared_ptr<const Machine>& machine, ServingOptions options) {
    if (machine == nullptr) return;
    if (!options.reserve.empty()) options.reserve.resize(machine->num_devices(), 0);
    if (!options.margin.empty()) options.margin.resize(machine->num_devices(), std::ranges::max(options.margin));
    if (!options.served.empty()) options.served.resize(machine->num_devices(), twin_);
    Result<Serving> made = Serving::make(model_, machine, options);
    if (!made) return;
    auto serving = std::make_shared<Serving>(*std::move(made));
    const PlacementSearch found = find_placement(*serving, {kJudgements});
    const Verdict kept = serving->judge(ours_);
    const bool stays = better(kept, found.best.verdict);
    const Verdict& verdict = stays ? kept : found.best.verdict;
    answers_.push_back({std::move(change), verdict.fits, verdict.over, verdict.decode_s, verdict.prompt_s,
                        verdict.request_s, std::move(serving), stays ? ours_ : found.best.placement});
  }
  std::vector<WhatIf> answers() && { return std::move(answers_); }

 private:
  std::shared_ptr<const Model> model_;
  ServingOptions options_;
  const Placement& ours_;
  ServedShares twin_;
  std::vector<WhatIf> answers_;
};

}  // namespace

std::vector<WhatIf> ask_what_ifs(const std::shared_ptr<const Model>& model,
                                 const std::shared_ptr<const Machine>& machine, const ServingOptions& options,
                                 const Placement& ours) {
  const auto serving = Serving::make(model, machine, options);
  if (!serving) return {};
  DeviceId fastest = kNoDevice;
  for (const DeviceId gpu : serving->accelerators()) {
    const double rate = machine->device(gpu).bytes_per_s;
    if (fastest == kNoDevice || rate > machine->device(fastest).bytes_per_s) fastest = gpu;
  }
  Questions questions(model, options, ours, fastest == kNoDevice ? ServedShares{} : serving->served(fastest));
  if (fastest != kNoDevice) {
    const std::string& name = machine->device(fastest).name;
    questions.ask(fmt::format("1 GiB more on {}", name), with_memory(*machine, fastest));
    if (machine->pool_of(fastest) < 0) {
      questions.ask(fmt::format("a second {} like {}", machine->device(fastest).model, name),
                    with_twin(*machine, fastest));
    }
  }
  if (const auto faster = with_faster_slot(*serving)) {
    questions.ask(fmt::format("a slot four times as fast for {}", faster->device), faster->machine);
  }
  if (options.cache.key_type->name == "f16" && options.runtime == Runtime::kLlamaCpp) {
    ServingOptions smaller = options;
    smaller.cache.key_type = smaller.cache.value_type = find_ggml_type("q8_0");
    questions.ask("a cache of type q8_0", machine, smaller);
  }
  return std::move(questions).answers();
}

}  // namespace berth::llm
