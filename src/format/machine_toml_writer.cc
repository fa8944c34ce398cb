// SPDX-License-Identifier: Apache-2.0
// Machine files as format/machine_toml.h writes them: every number in the unit that people read, and back to the bit.
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files/toml.h"
#include "format/machine_toml.h"

namespace berth {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 5> kRates{
    {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1.0}}};
constexpr std::array<std::pair<std::string_view, double>, 5> kTimes{
    {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}}};
constexpr std::array<std::pair<std::string_view, double>, 4> kSpeeds{
    {{"TFLOP/s", 1e12}, {"GFLOP/s", 1e9}, {"MFLOP/s", 1e6}, {"FLOP/s", 1.0}}};
constexpr std::array<std::pair<std::string_view, double>, 1> kPowers{{{"W", 1.0}}};

// The shortest quoted text, in the largest unit that leaves at least 1 of it, that reads back to exactly this number.
std::string exact(double value, std::span<const std::pair<std::string_view, double>> units,
                  Result<double> (*parse)(std::string_view)) {
  for (const auto& [unit, factor] : units) {
    if (value < factor && factor != units.back().second) continue;
    for (int digits = 1; digits <= 15; ++digits) {
      const std::string cut = fmt::format("{:.{}e}", value / factor, digits - 1);
      double rounded = 0.0;
      std::from_chars(cut.data(), cut.data() + cut.size(), rounded);
      const std::string text = fmt::format("{} {}", rounded, unit);
      if (const auto back = parse(text); back.ok() && *back == value) return toml_string(text);
    }
  }
  return fmt::format("{}", value);  // a plain number is in the base unit
}

std::string rate(double value) { return exact(value, kRates, parse_bytes_per_second); }
std::string duration(double value) { return value == 0 ? "\"0 s\"" : exact(value, kTimes, parse_seconds); }
std::string speed(double value) { return exact(value, kSpeeds, parse_flops_per_second); }
std::string power(double value) { return exact(value, kPowers, parse_watts); }

class Writer {
 public:
  std::string write(const Machine& machine) {
    text_ = "# A machine for berth: change what differs on yours, save it, and give the file to --machine.\n";
    line("format", toml_string(kMachineFormat));
    line("name", toml_string(machine.name()));
    line("description", toml_string(machine.description()));
    if (!machine.overlap()) {
      line("overlap", "false", "regions of ops run one after the other, as in OpenVINO's HETERO");
      line("region_cost", duration(machine.execution().region_cost_s), "paid before every region");
    }
    if (const auto& accuracy = machine.accuracy()) {
      line("accuracy", fmt::format("[{}, {}]", accuracy->low, accuracy->high),
           "90 % of real steps took between these times the prediction");
    }
    if (!machine.switches().empty()) line("switches", array(machine.switches()));
    for (const MemoryPool& pool : machine.pools()) write_pool(pool);
    for (const Device& device : machine.devices()) write_device(device);
    write_links(machine.links());
    return std::move(text_);
  }

 private:
  void line(std::string_view key, std::string_view value) { text_ += fmt::format("{} = {}\n", key, value); }
  // With a comment, the first time that section is written.
  void line(std::string_view key, std::string_view value, std::string_view comment) {
    text_ += explained_ ? fmt::format("{} = {}\n", key, value)
                        : fmt::format("{:<39} # {}\n", fmt::format("{} = {}", key, value), comment);
  }
  void section(std::string_view name, bool& seen) {
    text_ += fmt::format("\n[[{}]]\n", name);
    explained_ = std::exchange(seen, true);
  }

  static std::string array(std::span<const std::string> items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + toml_string(item);
    return "[" + text + "]";
  }

  void write_pool(const MemoryPool& pool) {
    section("pools", pools_seen_);
    line("name", toml_string(pool.name), "memory that several devices share");
    line("memory", toml_string(format_exact_bytes(pool.memory)));
  }

  void write_device(const Device& device) {
    section("devices", devices_seen_);
    line("name", toml_string(device.name));
    line("model", toml_string(device.model), "selects measured times; a known model's figures may be left out below");
    line("kind", toml_string(name_of(device.kind)), "cpu, gpu, tpu, npu or fpga");
    if (device.pool.empty()) {
      line("memory", toml_string(format_exact_bytes(device.memory)));
    } else {
      line("pool", toml_string(device.pool), "in place of memory of its own");
      if (device.pool_limit > 0) {
        line("pool_limit", toml_string(format_exact_bytes(device.pool_limit)), "what it may use of the pool");
      }
    }
    std::string peaks;
    for (const auto& [dtype, peak] : device.flops_per_s) {
      peaks += fmt::format("{}{} = {}", peaks.empty() ? "" : ", ", name_of(dtype), speed(peak));
    }
    line("flops", "{ " + peaks + " }", "peak; types not named run at the f32 peak");
    line("bandwidth", rate(device.bytes_per_s), "of its memory");
    line("launch", duration(device.launch_s), "overhead of starting one op");
    line("async", device.async ? "true" : "false", "true: an op takes max(launch, work); false: launch + work");
    line("lanes", fmt::format("{}", device.lanes), "ops that run at the same time");
    line("watts", power(device.watts), "while busy");
    line("idle_watts", power(device.idle_watts));
  }

  // Neighbours that differ in their end alone become one entry.
  void write_links(std::span<const Link> links) {
    for (std::size_t first = 0; first < links.size();) {
      std::vector<std::string> ends{links[first].to};
      std::size_t next = first + 1;
      for (; next < links.size() && same_but_end(links[first], links[next]); ++next) ends.push_back(links[next].to);
      write_link(links[first], ends);
      first = next;
    }
  }

  static bool same_but_end(const Link& a, const Link& b) {
    return a.from == b.from && a.bytes_per_s == b.bytes_per_s && a.latency_s == b.latency_s && a.duplex == b.duplex &&
           a.bus == b.bus && a.contended == b.contended;
  }

  void write_link(const Link& link, std::span<const std::string> ends) {
    section("links", links_seen_);
    line("from", toml_string(link.from));
    const std::string to = ends.size() == 1 ? toml_string(ends[0]) : array(ends);
    line("to", to, "a device or switch, several in [ ], or \"*\": every other device");
    line("bandwidth", rate(link.bytes_per_s), "what one copy achieves");
    line("latency", duration(link.latency_s));
    constexpr std::array<std::string_view, 3> kDuplex{"full", "half", "one-way"};
    line("duplex", toml_string(kDuplex[static_cast<std::size_t>(link.duplex)]), "full, half or one-way");
    if (!link.bus.empty()) line("bus", toml_string(link.bus), "links of one bus wait in one queue");
    if (!link.contended) line("contended", "false", "any number of transfers at once");
  }

  std::string text_;
  bool pools_seen_ = false, devices_seen_ = false, links_seen_ = false;
  bool explained_ = false;
};

}  // namespace

std::string write_machine_toml(const Machine& machine) { return Writer().write(machine); }

}  // namespace berth
