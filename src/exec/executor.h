// SPDX-License-Identifier: Apache-2.0
// Executor: runs the steps of a program as a plan says, on devices that it opens: CPU cores, GPUs, and parts of a GPU
// (exec/devices/gpu_parts.h), which are devices like others. It puts parameters, buffers and inputs in place; the step
// itself is run by the threads of a StepRunner.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "exec/program/program.h"
#include "exec/step_runner.h"
#include "measure/device_spec.h"

namespace berth::exec {

class Executor {
 public:
  // Graph and program must outlive it. An error if a device is not there.
  static Result<std::unique_ptr<Executor>> make(const Graph& graph, const Program& program,
                                                std::vector<DeviceSpec> devices);

  // Puts parameters, buffers and inputs where the plan has them. Those that stay where they are keep their values,
  // unless `fresh`. May throw what ATen throws.
  void prepare(const Plan& plan, bool fresh = true);
  // One step of the prepared plan. After an error the executor is of no use any more.
  Result<Step> step(bool with_times);
  // The graph's outputs after a step, on the CPU.
  [[nodiscard]] std::vector<at::Tensor> outputs() const;

  [[nodiscard]] Bytes peak(std::size_t device) const;
  void reset_peaks();

 private:
  Executor(const Graph& graph, const Program& program) : graph_(graph), program_(program) {}
  Status open_devices(std::vector<DeviceSpec> devices);
  Status open_gpu_parts();
  void mark_pinned(const Plan& plan);
  void note_largest_calls(const Plan& plan);
  void lay_out_stored();
  void note_workspaces();

  const Graph& graph_;
  const Program& program_;
  std::vector<std::unique_ptr<DeviceState>> devices_;
  std::vector<at::Tensor> stored_;       // by op; inputs are kept aside, each step gets a copy
  std::vector<std::int16_t> stored_on_;  // by op: device, -1 if nowhere
  std::vector<std::uint8_t> pinned_;     // by op: a GPU reads what it makes
  std::unique_ptr<StepRunner> runner_;   // none while devices are opened
};

}  // namespace berth::exec
