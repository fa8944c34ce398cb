// SPDX-License-Identifier: Apache-2.0
#include "measure/device_spec.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"

namespace berth {
namespace {

constexpr std::string_view kForm =
    "write for example cpu, cpu:0-3, cpu:0-1+4, cuda:0 or cuda:0/64, each with =16GiB as a limit";
constexpr int kCoresToKeepTwoFree = 8, kCoresBesideGpus = 2;

Result<int> number_of(std::string_view text, std::string_view item) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  return bad_input("--devices: '{}' in '{}' is no number; {}", text, item, kForm);
}

// "0-3+8"
Result<std::vector<int>> cores_of(std::string_view text, std::string_view item, int here) {
  std::set<int> cores;
  for (const std::string_view part : split(text, '+')) {
    const std::size_t dash = part.find('-');
    BERTH_TRY(const int first, number_of(part.substr(0, dash), item));
    int last = first;
    if (dash != std::string_view::npos) {
      BERTH_TRY(last, number_of(part.substr(dash + 1), item));
    }
    if (last < first || last >= here) {
      return bad_input("--devices: '{}': this computer has the cores 0 to {}", item, here - 1);
    }
    for (int core = first; core <= last; ++core) cores.insert(core);
  }
  return std::vector<int>(cores.begin(), cores.end());
}

std::vector<int> range(int first, int count) {
  std::vector<int> cores;
  for (int i = 0; i < count; ++i) cores.push_back(first + i);
  return cores;
}

DeviceSpec cpu_spec(int first, int count) {
  std::string text = count == 1 ? fmt::format("cpu:{}", first) : fmt::format("cpu:{}-{}", first, first + count - 1);
  return {.text = std::move(text), .cores = range(first, count)};
}

Result<DeviceSpec> parse_one(std::string_view item, int here) {
  DeviceSpec spec;
  const std::size_t equals = item.find('=');
  if (equals != std::string_view::npos) {
    const Result<Bytes> limit = parse_bytes(item.substr(equals + 1));
    if (!limit || *limit <= 0) {
      return bad_input("--devices: '{}' in '{}' is no size; {}", item.substr(equals + 1), item, kForm);
    }
    spec.memory = *limit;
  }
  const std::string_view where = item.substr(0, equals);
  spec.text = std::string(where);
  if (where == "cpu") {
    spec.cores = range(0, here);
  } else if (where.starts_with("cpu:")) {
    BERTH_TRY(spec.cores, cores_of(where.substr(4), item, here));
  } else if (where == "cuda" || where.starts_with("cuda:")) {
    spec.is_cuda = true;
    const std::size_t slash = std::min(where.find('/'), where.size());
    if (where.size() > 5) {
      BERTH_TRY(spec.number, number_of(where.substr(5, slash - 5), item));
    }
    if (slash < where.size()) {
      BERTH_TRY(spec.multiprocessors, number_of(where.substr(slash + 1), item));
      if (spec.multiprocessors == 0) return bad_input("--devices: '{}' has no multiprocessors; {}", item, kForm);
    }
  } else {
    return bad_input("--devices: '{}' is no device; {}", item, kForm);
  }
  return spec;
}

bool overlap(const DeviceSpec& a, const DeviceSpec& b) {
  if (a.is_cuda != b.is_cuda) return false;
  if (a.is_cuda) return a.number == b.number && (a.multiprocessors == 0 || b.multiprocessors == 0);
  return std::ranges::any_of(a.cores, [&](int core) { return std::ranges::binary_search(b.cores, core); });
}

}  // namespace

int cores_here() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(CPU_COUNT(&set), 1);
}

Result<std::vector<DeviceSpec>> parse_device_specs(std::string_view list, int here) {
  std::vector<DeviceSpec> specs;
  for (const std::string_view item : split(list, ',')) {
    BERTH_TRY(DeviceSpec spec, parse_one(trim(item), here));
    for (const DeviceSpec& other : specs) {
      if (overlap(spec, other)) {
        return bad_input("--devices: '{}' and '{}' share {}", other.text, spec.text,
                         spec.is_cuda ? "a GPU; give each a part of it, such as cuda:0/64,cuda:0/32"
                                      : "cores; give each CPU cores of its own, such as cpu:0,cpu:1");
      }
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

Result<std::vector<DeviceSpec>> default_device_specs(const Machine& machine, int here) {
  int cpus = 0;
  for (const Device& device : machine.devices()) cpus += device.kind == DeviceKind::kCpu ? 1 : 0;
  const bool has_gpus = std::ssize(machine.devices()) > cpus;
  const int usable = has_gpus && here >= kCoresToKeepTwoFree ? here - kCoresBesideGpus : here;
  if (cpus > usable) {
    return bad_input("{} has {} CPUs, but this computer has {} cores for them; say --devices, or use another machine",
                     machine.name(), cpus, usable);
  }
  std::vector<DeviceSpec> specs;
  int gpus = 0, cpu = 0;
  for (const DeviceId id : machine.device_ids()) {
    const Device& device = machine.device(id);
    if (device.kind == DeviceKind::kCpu) {
      const int first = usable * cpu / cpus, next = usable * (cpu + 1) / cpus;
      specs.push_back(cpu_spec(first, next - first));
      ++cpu;
    } else if (device.kind == DeviceKind::kGpu) {
      specs.push_back(
          {.text = fmt::format("cuda:{}", gpus), .is_cuda = true, .number = gpus, .memory = machine.capacity(id)});
      ++gpus;
    } else {
      return bad_input("device {} of {} is a {}; only CPUs and CUDA GPUs can run a graph here", device.name,
                       machine.name(), name_of(device.kind));
    }
  }
  return specs;
}

Status check_device_specs(const std::vector<DeviceSpec>& specs, const Machine& machine) {
  if (specs.size() != machine.num_devices()) {
    return bad_input("--devices names {}, but {} has {}: {}", counted(specs.size(), "device"), machine.name(),
                     machine.num_devices(), [&] {
                       std::vector<std::string> names;
                       for (const Device& device : machine.devices()) names.push_back(device.name);
                       return join(names, ", ");
                     }());
  }
  for (const DeviceId id : machine.device_ids()) {
    const Device& device = machine.device(id);
    const DeviceSpec& spec = specs[index(id)];
    if (spec.is_cuda == (device.kind == DeviceKind::kGpu)) continue;
    return bad_input("--devices: {} stands for {} of {}, which is a {}; give them in the machine's order", spec.text,
                     device.name, machine.name(), name_of(device.kind));
  }
  return {};
}

}  // namespace berth
