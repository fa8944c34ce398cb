// SPDX-License-Identifier: Apache-2.0
#include "fit_costs/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "import/graph_file.h"

namespace berth::fit {
namespace {

// "data/gpt2.train.json.gz" -> "gpt2.train"
std::string graph_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".json"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

std::string twin_text(const std::string& type, const OpFeatures& f) {
  return fmt::format("{} {} {} {} {} {} {}", type, f.flops, f.bytes, f.products, f.channels, f.slices, f.rows);
}

void add_samples(const Graph& graph, const MeasuredTimes& times, SampleSet& set) {
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute || times.seconds[index(op)] <= 0.0F) continue;
    const OpFeatures features = features_of(graph, op);
    if (features.cost_class == CostClass::kNothing) continue;
    set.samples.push_back({features, static_cast<double>(times.seconds[index(op)]), set.graphs.size() - 1,
                           twin_text(graph.type(op), features)});
  }
}

}  // namespace

Result<SampleSet> load_samples(std::span<const std::string> paths, const std::string& device_model) {
  SampleSet set;
  for (const std::string& path : paths) {
    BERTH_TRY(const Graph graph, load_graph_file(path));
    const auto times = std::find_if(graph.measured().begin(), graph.measured().end(),
                                    [&](const MeasuredTimes& m) { return m.device_model == device_model; });
    if (times == graph.measured().end()) return bad_input("{}: has no times measured on '{}'", path, device_model);
    set.graphs.push_back(graph_name(path));
    add_samples(graph, *times, set);
  }
  return set;
}

std::vector<Sample> training_samples(const SampleSet& set, std::span<const std::size_t> held_out, Twins twins) {
  const auto is_held_out = [&](const Sample& sample) {
    return std::find(held_out.begin(), held_out.end(), sample.graph) != held_out.end();
  };
  std::unordered_set<std::string> hidden;
  for (const Sample& sample : set.samples) {
    if (is_held_out(sample)) hidden.insert(sample.twin);
  }
  std::vector<Sample> rest;
  std::copy_if(set.samples.begin(), set.samples.end(), std::back_inserter(rest), [&](const Sample& sample) {
    return twins == Twins::kDrop ? !hidden.contains(sample.twin) : !is_held_out(sample);
  });
  return rest;
}

}  // namespace berth::fit
