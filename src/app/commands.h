// SPDX-License-Identifier: Apache-2.0
// The commands, one file each (x.cc has add_x_command and needs no header of its own; help/ has help and completion).
// Each adds itself to the command line; when it is chosen it runs and says how it ended.
#pragma once

#include "app/output/terminal.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace berth::app {

void add_place_command(CLI::App& app, Exit& exit);
void add_compare_command(CLI::App& app, Exit& exit);
void add_bench_command(CLI::App& app, Exit& exit);
void add_score_command(CLI::App& app, Exit& exit);
void add_explain_command(CLI::App& app, Exit& exit);
void add_diff_command(CLI::App& app, Exit& exit);
void add_report_command(CLI::App& app, Exit& exit);
void add_sweep_command(CLI::App& app, Exit& exit);
void add_export_command(CLI::App& app, Exit& exit);
void add_train_command(CLI::App& app, Exit& exit);
void add_measure_command(CLI::App& app, Exit& exit);
void add_calibrate_command(CLI::App& app, Exit& exit);
void add_probe_command(CLI::App& app, Exit& exit);
void add_worker_command(CLI::App& app, Exit& exit);  // hidden
void add_graph_command(CLI::App& app, Exit& exit);
void add_planners_command(CLI::App& app, Exit& exit);
void add_pipeline_command(CLI::App& app, Exit& exit);
void add_llm_command(CLI::App& app, Exit& exit);
void add_machines_command(CLI::App& app, Exit& exit);
void add_models_command(CLI::App& app, Exit& exit);
void add_demo_command(CLI::App& app, Exit& exit);
void add_help_command(CLI::App& app, Exit& exit);
void add_completion_command(CLI::App& app, Exit& exit);
void add_share_command(CLI::App& app, Exit& exit);

// Prints the error of a failed command; the exit code of either.
Exit finish(const Result<Exit>& result);

}  // namespace berth::app
