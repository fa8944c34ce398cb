// SPDX-License-Identifier: Apache-2.0
// CSV: one line per op in the order of the graph, for spreadsheets and pandas. The columns `op`, `device`, `priority`
// and `fusion` are the plan, which is read back from them (import/plans/csv_plan.cc).
#include <algorithm>

#include "export/formats.h"
#include "files/quoting.h"
#include "problem/flat_tables.h"

namespace berth {
Result<Exported> export_csv(const ExportRequest& request) {
  const Problem& problem = request.problem;
  const Graph& graph = problem.graph();
  std::vector<int> fusion_of(graph.num_ops(), -1);
  for (std::size_t i = 0; i < request.plan.fusions.size(); ++i) {
    for (const OpId op : request.plan.fusions[i]) fusion_of[index(op)] = static_cast<int>(i);
  }
  std::string text = "op,device,priority,fusion,type,role,module,seconds,flops,output_bytes,resident_bytes\n";
  for (const OpId op : graph.ops()) {
    const DeviceId device = request.plan.device(op);
    const int fusion = fusion_of[index(op)];
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(graph.name(op)),
                        csv_cell(problem.machine().device(device).name), request.plan.priority_of(op),
                        fusion >= 0 ? fmt::format("{}", fusion) : "", csv_cell(graph.type(op)), name_of(graph.role(op)),
                        csv_cell(graph.module(op)), to_seconds(problem.duration(op, device)), graph.flops(op),
                        bytes_of_outputs(graph, op), problem.resident_bytes(op));
  }
  return one_file(std::move(text));
}

}  // namespace berth
