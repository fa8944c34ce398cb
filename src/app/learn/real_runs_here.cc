// SPDX-License-Identifier: Apache-2.0
// app/real_runs.h in `berth-learned`.
#include "app/flags/env_flags.h"
#include "app/output/output.h"
#include "app/output/terminal.h"
#include "app/real_runs.h"
#include "exec/probe/probe.h"
#include "exec/server.h"
#include "files/files.h"
#include "files/json/json_writer.h"
#include "format/machine_toml.h"

namespace berth::app {
namespace {

std::string probe_json(const exec::Probed& probed, const std::string& path) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("machine").value(probed.machine.name());
  json.key("description").value(probed.machine.description()).key("file").value(path);
  json.key("points").begin_array(JsonLayout::kLines);
  for (const exec::ProbePoint& point : probed.points) {
    json.begin_object().key("device").value(point.device).key("what").value(point.what);
    json.key("size").value(point.size).key("value").value(point.value).key("unit").value(point.unit).end_object();
  }
  json.end_array().key("notes").begin_array(JsonLayout::kLines);
  for (const std::string& note : probed.notes) json.value(note);
  json.end_array().key("toml").value(write_machine_toml(probed.machine)).end_object();
  return std::move(json).take();
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
