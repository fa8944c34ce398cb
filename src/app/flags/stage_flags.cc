// SPDX-License-Identifier: Apache-2.0
#include "app/flags/stage_flags.h"

#include <CLI/CLI.hpp>

namespace berth::app {
namespace {

// Rows of fusion_methods() or schedule_methods().
template <typename Rows>
std::string stage_help(std::string_view what, const Rows& rows) {
  std::string text(what);
  for (const auto& row : rows) text += fmt::format("\n{}: {}", row.name, row.summary);
  return text;
}

}  // namespace

std::string_view StageFlags::given() const {
  if (!fusion.empty()) return "--fusion";
  if (!schedule.empty()) return "--schedule";
  return placement.empty() ? "" : "--placement";
}

CLI::Option* add_stage_flags(CLI::App& command, StageFlags& flags) {
  command
      .add_option("--fusion", flags.fusion,
                  stage_help("who decides which ops run as one; default: keep", fusion_methods()))
      ->type_name("METHOD");
  command
      .add_option("--schedule", flags.schedule,
                  stage_help("who decides the order of the ops of a device; default: keep", schedule_methods()))
      ->type_name("METHOD");
  return command
      .add_option("--placement", flags.placement,
                  "plan file whose devices stay as they are: only --fusion and --schedule are decided")
      ->type_name("PLAN");
}

Result<StageRequest> request_of(const StageFlags& flags) {
  BERTH_TRY(StageRequest request, find_stages(flags.fusion, flags.schedule));
  if (flags.placement.empty() || request.any()) return request;
  return bad_input(
      "--placement leaves nothing to decide; add --fusion or --schedule (berth score judges a plan as it is)");
}

}  // namespace berth::app
