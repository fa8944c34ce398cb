// SPDX-License-Identifier: Apache-2.0
// app/learned.h in `berth-learned`: the learned planners, and graphs run for real. train_here.cc and
// explain_policy_here.cc have the rest.
#include "app/learned.h"

#include "app/flags/env_flags.h"
#include "app/output/table.h"
#include "app/output/terminal.h"
#include "base/units.h"
#include "exec/probe/probe.h"
#include "exec/server.h"
#include "files/files.h"
#include "files/json/json_writer.h"
#include "format/machine_toml.h"
#include "learn/run/trained_policy.h"
#include "runs/new_run.h"

namespace berth::app {
namespace {

std::string probe_json(const exec::Probed& probed, const std::string& path) {
  return json_document([&](JsonWriter& json) {
    json.members("machine", probed.machine.name(), "description", probed.machine.description(), "file", path);
    json.objects("points", probed.points, [&](const exec::ProbePoint& point) {
      json.members("device", point.device, "what", point.what, "size", point.size, "value", point.value, "unit",
                   point.unit);
    });
    json.list("notes", probed.notes, JsonLayout::kLines).members("toml", write_machine_toml(probed.machine));
  });
}

std::string size_text(const exec::ProbePoint& point) {
  if (point.what.starts_with("product")) return fmt::format("{0:.0f} x {0:.0f}", point.size);
  return format_bytes(static_cast<Bytes>(point.size));
}

std::string value_text(const exec::ProbePoint& point) {
  if (point.unit == "FLOP/s") return format_flops_rate(point.value);
  return point.unit == "B/s" ? format_rate(point.value) : format_seconds(point.value);
}

std::string probe_text(const exec::Probed& probed, const std::string& path) {
  using enum Table::Align;
  Table table({kLeft, kLeft, kRight, kRight});
  table.add({"device", "what", "size", "measured"});
  for (const exec::ProbePoint& point : probed.points) {
    table.add({point.device, point.what, size_text(point), value_text(point)});
  }
  return fmt::format("{}\n\n{}\nmachine written to {}\n", probed.machine.description(), table.text(), path);
}

}  // namespace

bool has_learned_planners() { return true; }

std::string_view learned_remedy() { return ""; }

Result<ChosenPlanner> choose_learned(std::string_view name, const LearnedFlags& flags) {
  BERTH_TRY(const learn::Options options,
            learn::options_of(name, flags.preset.empty() ? "default" : flags.preset, flags.options));
  const std::string device = flags.policy_device.empty() ? "cpu" : flags.policy_device;
  return learn::choose_learned(options, device, flags.judged_by_search);
}

Result<ChosenPlanner> choose_trained(const PolicyFlags& policy, const LearnedFlags& flags) {
  if (!flags.preset.empty() || !flags.options.empty()) {
    return bad_input("{} cannot be changed by --policy: the policy was trained with what {}/config.json says",
                     flags.given(), policy.run);
  }
  return learn::choose_trained({.run = policy.run,
                                .zero_shot = policy.zero_shot,
                                .plain_samples = policy.plain_samples,
                                .finetune = policy.finetune,
                                .is_start = policy.is_start,
                                .policy_device = flags.policy_device});
}

Result<std::string> worker_program() { return own_program(); }

Result<Exit> measure_worker(const std::string& capture, const std::string& devices) {
  BERTH_RETURN_IF_ERROR(exec::serve(capture, devices));
  return Exit::kDone;
}

Result<Exit> probe(const ProbeFlags& flags) {
  BERTH_TRY(const exec::Probed probed, exec::probe({.parts = static_cast<int>(flags.split),
                                                    .gpu_parts = static_cast<int>(flags.split_gpus),
                                                    .thorough = flags.thorough}));
  for (const std::string& note : probed.notes) print_note("note: " + note);
  const std::string toml = write_machine_toml(probed.machine);
  if (!flags.output.empty()) BERTH_RETURN_IF_ERROR(write_file_atomically(flags.output, toml));
  if (flags.json) {
    BERTH_RETURN_IF_ERROR(print(probe_json(probed, flags.output)));
  } else {
    BERTH_RETURN_IF_ERROR(print(flags.output.empty() ? toml : probe_text(probed, flags.output)));
  }
  return Exit::kDone;
}

}  // namespace berth::app
