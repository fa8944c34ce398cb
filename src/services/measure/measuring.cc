// SPDX-License-Identifier: Apache-2.0
#include "services/measure/measuring.h"

#include "measure/session.h"

namespace berth {

Result<std::unique_ptr<MeasureSession>> open_session(const std::string& graph, const Problem& problem,
                                                     const MeasuringRequest& request, const Caller& caller) {
  if (graph.starts_with("zoo:")) {
    return bad_input(
        "{}: only captures (aten-graph/1) can be run; python -m berth.capture makes one of a PyTorch model", graph);
  }
  MeasureOptions options;
  options.program = request.program;
  options.capture = graph;
  if (request.devices.empty()) {
    BERTH_TRY(options.devices, default_device_specs(problem.machine(), cores_here()));
  } else {
    BERTH_TRY(options.devices, parse_device_specs(request.devices, cores_here()));
  }
  options.limit_s = request.limit_s;
  options.enough_s = request.enough_s;
  options.resident = request.memory_limit;
  options.runs = request.runs;
  options.profiles = request.profiles;
  options.stop = caller.stop_flag();
  return MeasureSession::open(problem, std::move(options));
}

}  // namespace berth
