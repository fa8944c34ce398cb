// SPDX-License-Identifier: Apache-2.0
#include "problem/cost/measured_costs.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "machine/device_set.h"
#include "problem/cost/cost_model.h"
#include "problem/demands/device_words.h"
#include "problem/demands/op_index.h"

namespace berth {
namespace {

constexpr std::size_t kMostShown = 5;

// A time of one op on the devices of a word.
struct Sample {
  OpId op = kNoOp;
  DeviceWord where = {};
  double seconds = 0.0;
};

bool are_same(const Sample& a, const Sample& b) { return a.op == b.op && a.where == b.where; }

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

// One file against graph and machine.
class FileMatcher {
 public:
  FileMatcher(const Graph& graph, const Machine& machine, const OpNames& op_names, const CostsFile& file)
      : graph_(graph), machine_(machine), op_names_(op_names), file_(file) {}

  // Appends one sample for every op and word that the file has times of.
  Result<CostsReport> run(std::vector<Sample>& samples) {
    if (!file_.device.empty()) {
      stated_ = devices_of_word(machine_, file_.device);
      if (stated_->devices == 0) return no_such_device();
    }
    for (const Measurement& time : file_.times) BERTH_RETURN_IF_ERROR(add(time));
    match_calls();
    CostsReport report = make_report();
    if (samples_.empty()) return nothing_fits(report);
    merge_into(samples);
    return report;
  }

 private:
  struct Name {
    OpId op = kNoOp;
    bool is_call = false;              // its times went to the ops that the call makes
    std::vector<Sample> samples = {};  // of a name that is no op's, in order; without ops
  };

  Status add(const Measurement& time) {
    const bool says_where = !time.device.empty() || stated_;
    const DeviceWord where = says_where ? devices_of(time) : DeviceWord{};
    if (says_where && where.devices == 0) ++other_devices_;
    std::vector<OpId> ops;
    for (const std::string& text : time.ops) {
      const auto [entry, is_new] = names_.try_emplace(text);
      Name& name = entry->second;
      if (is_new) {
        name.op = op_names_.find(text);
        order_.push_back(entry->first);
      }
      if (name.op == kNoOp) {
        if (time.ops.size() == 1 && says_where) name.samples.push_back({kNoOp, where, time.seconds});
      } else if (graph_.role(name.op) == Role::kCompute) {
        ops.push_back(name.op);
      }
    }
    if (!says_where && !ops.empty()) return does_not_say_where(graph_.name(ops.front()));
    if (where.devices != 0) share(ops, where, time.seconds);
    return {};
  }

  DeviceWord devices_of(const Measurement& time) {
    if (time.device.empty()) return *stated_;
    const auto [entry, is_new] = words_.try_emplace(time.device);
    if (is_new) {
      entry->second = devices_of_word(machine_, time.device);
      const bool is_wider = stated_ && (stated_->devices & ~entry->second.devices) == 0;
      if (is_wider && device_kind_from_name(time.device)) entry->second = *stated_;
    }
    return entry->second;
  }

  // In proportion to what the cost model says of them on the first of the devices.
  void share(const std::vector<OpId>& ops, const DeviceWord& where, double seconds) {
    if (ops.size() == 1) samples_.push_back({ops.front(), where, seconds});
    if (ops.size() < 2) return;
    const Device& device = machine_.device(lowest_device(where.devices));
    std::vector<double> weights;
    double sum = 0.0;
    for (const OpId op : ops) {
      weights.push_back(op_time_s(price(graph_, op, device), device));
      sum += weights.back();
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const double part = sum > 0.0 ? weights[i] / sum : 1.0 / static_cast<double>(ops.size());
      samples_.push_back({ops[i], where, seconds * part});
    }
  }

  void match_calls() {
    for (auto& [text, name] : names_) {
      if (name.op != kNoOp || name.samples.empty()) continue;
      const std::span<const OpId> ops = op_names_.made_by(text);
      if (ops.empty() || name.samples.size() % ops.size() != 0) continue;
      name.is_call = true;
      for (std::size_t i = 0; i < name.samples.size(); ++i) {
        const Sample& sample = name.samples[i];
        if (sample.where.devices != 0) samples_.push_back({ops[i % ops.size()], sample.where, sample.seconds});
      }
    }
  }

  [[nodiscard]] CostsReport make_report() const {
    CostsReport report{.path = file_.path, .names = names_.size(), .other_devices = other_devices_};
    for (const std::string_view text : order_) {
      const Name& name = names_.at(text);
      if (name.op != kNoOp || name.is_call) {
        ++report.matched;
        if (name.op != kNoOp && graph_.role(name.op) != Role::kCompute) ++report.timeless;
      } else if (report.unmatched.size() < kMostShown) {
        report.unmatched.emplace_back(text);
      }
    }
    return report;
  }

  // Several times of one op on the same devices become one.
  void merge_into(std::vector<Sample>& merged) {
    std::ranges::stable_sort(samples_, [](const Sample& a, const Sample& b) {
      if (a.op != b.op) return a.op < b.op;
      if (a.where.breadth != b.where.breadth) return a.where.breadth < b.where.breadth;
      return a.where.devices < b.where.devices;
    });
    std::vector<double> values;
    for (std::size_t begin = 0, end = 0; begin < samples_.size(); begin = end) {
      values.clear();
      double sum = 0.0;
      for (end = begin; end < samples_.size() && are_same(samples_[begin], samples_[end]); ++end) {
        values.push_back(samples_[end].seconds);
        sum += samples_[end].seconds;
      }
      merged.push_back(
          {samples_[begin].op, samples_[begin].where, file_.repeats == Repeats::kSum ? sum : median(values)});
    }
  }

  [[nodiscard]] Error does_not_say_where(std::string_view op) const {
    return bad_input("{}: it does not say on which device '{}' took its time; write {}@DEVICE, with one of: {}",
                     file_.path, op, file_.path, known_device_words(machine_));
  }

  [[nodiscard]] Error no_such_device() const {
    return bad_input("{}@{}: machine '{}' has no such device; there are: {}", file_.path, file_.device, machine_.name(),
                     known_device_words(machine_));
  }

  [[nodiscard]] Error nothing_fits(const CostsReport& report) const {
    if (names_.empty()) return bad_input("{}: there are no times in it", file_.path);
    if (report.matched == 0) {
      const std::string example =
          graph_.num_ops() > 0 ? fmt::format("; ops of '{}' are called like '{}'", graph_.title(), example_name()) : "";
      return bad_input("{}: none of its {} names is an op of the graph, for example '{}'{}", file_.path, report.names,
                       report.unmatched.front(), example);
    }
    if (other_devices_ > 0) {
      return bad_input("{}: its times are for devices that machine '{}' does not have; there are: {}", file_.path,
                       machine_.name(), known_device_words(machine_));
    }
    return bad_input("{}: the ops it names are views, parameters, constants or inputs, which take no time", file_.path);
  }

  [[nodiscard]] std::string_view example_name() const {
    for (const OpId op : graph_.ops()) {
      if (graph_.role(op) == Role::kCompute) return graph_.name(op);
    }
    return graph_.name(OpId{0});
  }

  const Graph& graph_;
  const Machine& machine_;
  const OpNames& op_names_;
  const CostsFile& file_;
  std::optional<DeviceWord> stated_;                   // by the user
  std::unordered_map<std::string, DeviceWord> words_;  // of the file
  std::unordered_map<std::string_view, Name> names_;   // point into the file
  std::vector<std::string_view> order_;                // of the names, as they come
  std::vector<Sample> samples_;
  std::size_t other_devices_ = 0;
};

// Narrow words and later files overwrite what came before: `samples` are in the order of the files.
MeasuredCosts assemble(const Graph& graph, const Machine& machine, std::vector<Sample> samples) {
  std::ranges::stable_sort(samples, {}, [](const Sample& sample) { return sample.where.breadth; });
  std::vector<int> column_of;
  std::vector<std::vector<double>> columns;
  for (const DeviceId device : machine.device_ids()) {
    std::vector<double> column(graph.num_ops(), -1.0);
    bool has_times = false;
    for (const Sample& sample : samples) {
      if ((sample.where.devices & device_bit(device)) == 0) continue;
      column[index(sample.op)] = sample.seconds;
      has_times = true;
    }
    if (!has_times) {
      column_of.push_back(-1);
      continue;
    }
    const auto same = std::ranges::find(columns, column);
    column_of.push_back(static_cast<int>(same - columns.begin()));
    if (same == columns.end()) columns.push_back(std::move(column));
  }
  return {std::move(column_of), std::move(columns)};
}

}  // namespace

std::size_t MeasuredCosts::num_ops() const {
  std::size_t count = 0;
  const std::size_t ops = columns_.empty() ? 0 : columns_.front().size();
  for (std::size_t op = 0; op < ops; ++op) {
    if (std::ranges::any_of(columns_, [&](const auto& column) { return column[op] >= 0.0; })) ++count;
  }
  return count;
}

Result<MatchedCosts> match_costs(const Graph& graph, const Machine& machine, std::span<const CostsFile> files) {
  const OpNames op_names(graph);
  std::vector<Sample> samples;
  std::vector<CostsReport> reports;
  for (const CostsFile& file : files) {
    BERTH_TRY(CostsReport report, FileMatcher(graph, machine, op_names, file).run(samples));
    reports.push_back(std::move(report));
  }
  return MatchedCosts{assemble(graph, machine, std::move(samples)), std::move(reports)};
}

}  // namespace berth
