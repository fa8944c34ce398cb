// SPDX-License-Identifier: Apache-2.0
#include "learn/methods.h"

#include <ATen/Parallel.h>
#include <malloc.h>

#include <array>
#include <exception>
#include <limits>

#include "learn/guarded.h"

namespace berth::learn {
namespace {

template <typename... Method>
auto rows_of(MethodList<Method...>) {
  return std::array{Method::learned()...};
}

const auto& rows() {
  static const auto kRows = rows_of(LearnedMethods());
  return kRows;
}

// "cpu", "cuda", "cuda:1"; an error if it is not there.
Result<at::Device> device_named(const std::string& name) {
  try {
    const at::Device device(name);
    if (device.is_cpu()) return device;
    if (!device.is_cuda()) return bad_input("no policy device '{}'; it is cpu or cuda", name);
    if (!at::hasCUDA()) return bad_input("no policy device '{}': this libtorch sees no CUDA device", name);
    (void)at::zeros({1}, device);  // says now whether that one is there
    return device;
  } catch (const std::exception&) {
    return bad_input("no policy device '{}'; it is cpu, cuda or cuda:N for a GPU that is there", name);
  }
}

// Tensors of an update come back in the next: what is freed is kept, in one store for all threads. Otherwise glibc
// gives the large ones back to the system each time, and fetching their pages anew took a third of the time of a
// training run.
void keep_freed_tensors() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // before 2.35 glibc refuses more than 32 MiB, and all stays as it was
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace

std::unique_ptr<Learner> make_trainer(std::unique_ptr<Policy> policy, Environments environments,
                                      const SamplingOptions& options, const Setup& setup, Communicator& communicator) {
  std::vector<Lesson> lessons(1);
  lessons[0] = {std::move(policy), std::move(environments.front())};
  return std::make_unique<Trainer>(std::move(lessons), options, setup.seed, communicator);
}

Status set_trained_values(Parameters& parameters, std::span<const float> values) {
  if (parameters.count() == 0) return bad_input("nothing is to be decided in this problem");
  if (static_cast<std::size_t>(parameters.count()) != values.size()) {
    return bad_input("the policy in it has another size; it comes from another version of berth");
  }
  parameters.set_values(values);
  return {};
}

std::span<const LearnedMethod> learned_methods() { return rows(); }

const LearnedMethod& learned_method_of(const Options& options) { return rows()[options.index()]; }

Result<std::unique_ptr<Learner>> make_learner(Environments environments, const Options& options, std::uint64_t seed,
                                              const std::string& policy_device, Communicator& communicator) {
  const LearnedMethod& method = learned_method_of(options);
  if (environments.size() > 1 && !method.info.is_general()) {
    return bad_input("{} learns one graph on one machine; {} learn from several", method.info.name, general_methods());
  }
  const TrainingOptions& training = training_of(options);
  if (training.epochs > 1 && training.ratio_clip <= 0.0) {
    return bad_input("epochs={} needs a ratio-clip, such as 0.2: without it the same plans may be followed only once",
                     training.epochs);
  }
  BERTH_TRY(const at::Device device, device_named(policy_device));
  at::set_num_threads(1);  // results must not depend on how many cores there are
  keep_freed_tensors();
  return guarded([&] { return method.make_learner(std::move(environments), options, {seed, device}, communicator); });
}

Result<Beliefs> beliefs_of(const Problem& problem, const Options& options, std::uint64_t seed,
                           const std::string& policy_device, std::span<const float> values) {
  BERTH_TRY(const at::Device device, device_named(policy_device));
  at::set_num_threads(1);  // the same everywhere, as in training
  return guarded([&] { return learned_method_of(options).beliefs(problem, options, {seed, device}, values); });
}

}  // namespace berth::learn
