// SPDX-License-Identifier: Apache-2.0
#include "report/trace/trace_exports.h"

#include <array>

#include "base/text.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr std::size_t kManyEvents = 50'000;  // beyond, viewers of JSON grow slow

Result<Trace> simulated(const ExportRequest& request) {
  if (request.problem.objective() == Objective::kPipeline) {
    return bad_input("the objective 'pipeline' adds up loads and has no timeline; export with --objective step");
  }
  return make_trace(request.problem, request.plan, simulate_timeline(request.problem, request.plan));
}

Result<Exported> export_chrome(const ExportRequest& request) {
  BERTH_TRY(const Trace trace, simulated(request));
  std::vector<std::string> notes;
  if (trace.slices.size() > kManyEvents) {
    notes.push_back(fmt::format("{}: viewers of JSON grow slow beyond {}; --to perfetto is made for this",
                                counted(trace.slices.size(), "event"), group_digits(kManyEvents)));
  }
  return one_file(chrome_trace(trace, request.problem.graph().title()), std::move(notes));
}

Result<Exported> export_perfetto(const ExportRequest& request) {
  BERTH_TRY(const Trace trace, simulated(request));
  return one_file(perfetto_trace(trace));
}

}  // namespace

std::span<const ExportFormat> trace_exports() {
  static constexpr std::array kFormats{
      ExportFormat{"chrome", "the simulated timeline as JSON for chrome://tracing and Perfetto", false, "",
                   export_chrome},
      ExportFormat{"perfetto", "the simulated timeline for ui.perfetto.dev (.pftrace), with counters and flows", false,
                   "", export_perfetto},
  };
  return kFormats;
}

}  // namespace berth
