// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "import/parts.h"
#include "import/problems/public_problem.h"
#include "machine/library.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// Three nodes: 5 -> 7 -> 6, where 6 is backward and goes with 5.
std::string toy(const std::string& nodes, const std::string& edges, int cpus = 1) {
  return fmt::format(R"({{"maxSizePerFPGA": 100.0, "maxFPGAs": 2, "maxCPUs": {}, "nodes": [{}], "edges": [{}]}})", cpus,
                     nodes, edges);
}
std::string msr_node(int id, double cpu, double accelerator, int size, const std::string& more = "") {
  return fmt::format(R"({{"id": {}, "supportedOnFpga": 1, "cpuLatency": {}, "fpgaLatency": {}, "size": {}.0{}}})", id,
                     cpu, accelerator, size, more);
}
std::string edge(int from, int to, double cost) {
  return fmt::format(R"({{"sourceId": {}, "destId": {}, "cost": {}, "size": 7}})", from, to, cost);
}
const std::string kNodes = msr_node(5, 40, 4, 60, R"(, "colorClass": 3, "isBackwardNode": 0)") + "," +
                           msr_node(7, 20, 2, 50) + "," +
                           msr_node(6, 10, 1, 30, R"(, "colorClass": 3, "isBackwardNode": true, "name": "back")");
const std::string kMsrEdges = edge(5, 7, 0.5) + "," + edge(7, 6, 0.25);

Result<Problem> parse_msr(const std::string& text, const ProblemOverrides& request = {}) {
  const TemporaryFolder folder;
  write_bytes(folder.file("toy.json"), text);
  return load_public_problem(folder.file("toy.json"), request);
}

std::string msr_error(const std::string& text, const ProblemOverrides& request = {}) {
  const auto problem = parse_msr(text, request);
  if (problem) return "";
  const std::string& message = problem.error().message;
  return message.substr(message.find("toy.json: ") + 10);
}

TEST(Msr, ReadsDevicesAndClasses) {
  const auto problem = parse_msr(toy(kNodes, kMsrEdges, 2));
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->objective(), Objective::kPipeline);
  const Machine& machine = problem->machine();
  ASSERT_EQ(machine.num_devices(), 4U);
  EXPECT_EQ(machine.device(DeviceId{1}).name, "cpu1");
  EXPECT_EQ(machine.device(DeviceId{3}).name, "acc1");
  EXPECT_EQ(problem->capacity(DeviceId{3}), 100);
  const Graph& graph = problem->graph();
  EXPECT_EQ(graph.name(OpId{0}), "node5");
  EXPECT_EQ(graph.name(OpId{2}), "back");
  EXPECT_EQ(graph.forward_of(OpId{2}), OpId{0});
  EXPECT_EQ(problem->unit(OpId{0}), problem->unit(OpId{2}));
  EXPECT_NE(problem->unit(OpId{0}), problem->unit(OpId{1}));
}

// Loads by hand. Devices: cpu0, acc0, acc1. Both tensors cross the border of whichever device is apart.
TEST(Msr, LoadsAreThoseOfTheFormat) {
  const Problem problem = *parse_msr(toy(kNodes, kMsrEdges));
  const auto score_of = [&](int ac, int b) {
    return simulate(problem, Plan{{DeviceId(ac), DeviceId(b), DeviceId(ac)}, {}, {}});
  };
  EXPECT_DOUBLE_EQ(to_seconds(score_of(0, 0).step_time), 70e-3);
  EXPECT_DOUBLE_EQ(to_seconds(score_of(1, 2).step_time), (4 + 1 + 0.75) * 1e-3);
  EXPECT_DOUBLE_EQ(to_seconds(score_of(1, 0).step_time), 20e-3);
  EXPECT_DOUBLE_EQ(to_seconds(score_of(0, 1).step_time), 50e-3);
  EXPECT_TRUE(score_of(1, 2).feasible);
  EXPECT_FALSE(score_of(1, 1).feasible) << "140 bytes on an accelerator of 100";
  EXPECT_EQ(score_of(1, 2).devices[1].peak, 90);
}

TEST(Msr, NodesMayBeKeptOffAccelerators) {
  std::string nodes = kNodes;
  nodes.replace(nodes.find("\"supportedOnFpga\": 1"), 20, "\"supportedOnFpga\": false");
  const Problem problem = *parse_msr(toy(nodes, kMsrEdges));
  EXPECT_EQ(problem.allowed(OpId{0}), device_bit(DeviceId{0}));
  EXPECT_EQ(problem.allowed(OpId{2}), device_bit(DeviceId{0})) << "it goes with its class";
  EXPECT_NE(problem.allowed(OpId{1}), device_bit(DeviceId{0}));
}

TEST(Msr, WithoutCoresTheHostRunsNothing) {
  const Problem problem = *parse_msr(toy(kNodes, kMsrEdges, 0));
  EXPECT_EQ(problem.allowed(OpId{1}), device_bit(DeviceId{1}) | device_bit(DeviceId{2}));
}

TEST(Msr, MistakesAreNamed) {
  EXPECT_EQ(msr_error(toy(kNodes, edge(5, 9, 1))), "edges[0].destId: there is no node with the id 9");
  EXPECT_EQ(msr_error(toy(kNodes + "," + msr_node(7, 1, 1, 1), "")), "nodes[3]: there is another node with the id 7");
  EXPECT_EQ(msr_error(toy(kNodes, edge(5, 7, 1) + "," + edge(5, 6, 2))),
            "edges[1]: moving the output of node 5 costs 2 here and 1 in another edge; a node has one output");
  EXPECT_EQ(msr_error(toy(kNodes, edge(5, 7, -1))), "edges[0].cost: expected a number that is not negative, found -1");
  EXPECT_EQ(msr_error(toy(R"({"id": 1})", "")), "nodes[0]: \"cpuLatency\" is missing");
  EXPECT_NE(msr_error(toy(kNodes, edge(5, 7, 1) + "," + edge(7, 5, 1))).find("cycle"), std::string::npos);
  EXPECT_NE(msr_error(toy(kNodes, edge(5, 7, 1e300))).find("beyond the clock"), std::string::npos);
  EXPECT_NE(msr_error(toy(msr_node(1, 1e300, 1, 1), "")).find("can be simulated"), std::string::npos);
  EXPECT_NE(msr_error(toy(msr_node(1, 1, 1, 1, R"(, "isBackwardNode": 2)"), "")).find("isBackwardNode"),
            std::string::npos);
  EXPECT_EQ(msr_error(R"({"maxFPGAs": 65, "maxCPUs": 1, "maxSizePerFPGA": 1, "nodes": [], "edges": []})"),
            "maxFPGAs: expected an integer from 0 to 64, found 65");
  EXPECT_EQ(msr_error(R"({"maxFPGAs": 1, "maxCPUs": 1, "nodes": [], "edges": []})"), "\"maxSizePerFPGA\" is missing");
  const std::string whole = toy(kNodes, kMsrEdges);
  EXPECT_NE(msr_error(whole.substr(0, whole.size() - 30)), "");
}

TEST(Msr, MachineAndObjectiveAreItsOwn) {
  const std::string text = toy(kNodes, kMsrEdges);
  const auto machine = std::make_shared<const Machine>(*builtin_machine("k40x2"));
  EXPECT_EQ(msr_error(text, {.machine = machine}),
            "the machine 'k40x2' does not suit it: an MSR problem brings its devices; leave --machine out");
  EXPECT_EQ(msr_error(text, {.objective = Objective::kStep}),
            "the objective 'step' does not suit it: an MSR problem asks for the largest load of a pipeline; leave"
            " --objective out or say pipeline");
}

// The published splits: {"cpus": [{"nodes": [ids]}], "fpgas": [...]}.
using Ids = std::vector<std::int64_t>;
struct Split {
  std::vector<Ids> cpus, accelerators;
};

Split read_split(const std::string& path) {
  JsonDocument document = *JsonDocument::open(*read_file(path));
  const auto read_devices = [&](std::string_view key) {
    std::vector<Ids> devices;
    const Status status = document.for_each(key, [&](const JsonValue& device) -> Status {
      Ids& ids = devices.emplace_back();
      return device.find("nodes")->for_each([&](const JsonValue& id) -> Status {
        ids.push_back(*id.integer());
        return {};
      });
    });
    EXPECT_TRUE(status.ok());
    return devices;
  };
  return {read_devices("cpus"), read_devices("fpgas")};
}

// The op of every id, in the order of the file, which is that of the ops.
std::map<std::int64_t, OpId> ops_of_ids(const std::string& path) {
  JsonDocument document = *JsonDocument::open(*read_file(path));
  std::map<std::int64_t, OpId> ops;
  const Status status = document.for_each("nodes", [&](const JsonValue& entry) -> Status {
    ops.emplace(*entry.find("id")->integer(), OpId(ops.size()));
    return {};
  });
  EXPECT_TRUE(status.ok());
  return ops;
}

// A backward node that the split leaves out goes with its class.
Plan plan_of(const Problem& problem, const Split& split, const std::map<std::int64_t, OpId>& ops) {
  Plan plan;
  plan.device_of.assign(problem.graph().num_ops(), kNoDevice);
  const auto place = [&](const std::vector<Ids>& devices, std::string_view prefix) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      for (const std::int64_t id : devices[i])
        plan.device_of[index(ops.at(id))] = *problem.machine().find_device(fmt::format("{}{}", prefix, i));
    }
  };
  place(split.cpus, "cpu");
  place(split.accelerators, "acc");
  for (const OpId op : problem.graph().ops()) {
    for (const OpId other : problem.unit_ops(problem.unit(op))) {
      if (plan.device(op) == kNoDevice) plan.device_of[index(op)] = plan.device(other);
    }
  }
  return plan;
}

// The largest load, from the file's own numbers in double precision and without anything of the simulator.
double largest_load_ms(const std::string& path, const Plan& plan, const Machine& machine) {
  JsonDocument document = *JsonDocument::open(*read_file(path));
  const std::map<std::int64_t, OpId> ops = ops_of_ids(path);
  std::vector<double> load(machine.num_devices());
  const auto is_cpu = [&](DeviceId device) { return machine.device(device).kind == DeviceKind::kCpu; };
  Status status = document.for_each("nodes", [&](const JsonValue& entry) -> Status {
    const DeviceId device = plan.device(ops.at(*entry.find("id")->integer()));
    load[index(device)] += *entry.find(is_cpu(device) ? "cpuLatency" : "fpgaLatency")->number();
    return {};
  });
  std::set<std::pair<std::int64_t, DeviceId>> paid;
  status = document.for_each("edges", [&](const JsonValue& entry) -> Status {
    const std::int64_t source = *entry.find("sourceId")->integer();
    const DeviceId from = plan.device(ops.at(source)), to = plan.device(ops.at(*entry.find("destId")->integer()));
    if (from == to) return {};
    for (const DeviceId device : {from, to}) {
      if (!is_cpu(device) && paid.emplace(source, device).second) load[index(device)] += *entry.find("cost")->number();
    }
    return {};
  });
  return *std::max_element(load.begin(), load.end());
}

// A workload's row of recomputed/table.csv by column name.
std::map<std::string, std::string> table_row(const std::string& table, const std::string& workload) {
  const std::string text = *read_file(table);
  const auto lines = split(text, '\n');
  const auto names = split(trim(lines.front()), ',');
  std::map<std::string, std::string> row;
  for (const std::string_view line : lines) {
    const auto cells = split(trim(line), ',');
    for (std::size_t i = 0; cells.front() == workload && i < std::min(cells.size(), names.size()); ++i) {
      row.emplace(names[i], cells[i]);
    }
  }
  return row;
}

class MsrData : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto tables = data_files("msr-dnn-partitioning/recomputed", "table.csv");
    if (tables.empty()) GTEST_SKIP() << "no msr-dnn-partitioning in the data folder (BERTH_DATA)";
    table_ = tables.front();
    root_ = std::filesystem::path(table_).parent_path().parent_path();
  }

  // The split's score equals the table, which has four decimals, and to 1e-6 what the file's own numbers give.
  void expect_score(const std::string& workload, const std::string& split_file, const std::string& column) {
    SCOPED_TRACE(workload + " with " + split_file);
    const std::string path = root_ / "throughput-inputs" / (workload + ".json");
    const auto problem = load_public_problem(path);
    ASSERT_TRUE(problem) << problem.error().message;
    const Plan plan = plan_of(*problem, read_split(root_ / split_file), ops_of_ids(path));
    ASSERT_EQ(verify(*problem, plan), std::nullopt);
    const Score score = simulate(*problem, plan);
    const double load_ms = to_seconds(score.step_time) * 1e3;
    EXPECT_NEAR(load_ms, std::stod(table_row(table_, workload).at(column)), 5.0001e-5);
    EXPECT_NEAR(load_ms, largest_load_ms(path, plan, problem->machine()), 1e-6);
    EXPECT_TRUE(score.feasible);
    ++scored_;
  }

  std::string table_;
  std::filesystem::path root_;
  int scored_ = 0;
};

TEST_F(MsrData, ExpertSplitsScoreAsInTheTable) {
  for (const std::string mode : {"inference", "training"}) {
    for (const std::string model : {"bert24", "gnmt", "inceptionv3", "resnet50"}) {
      const bool own = std::filesystem::exists(root_ / fmt::format("human-experts/{}_{}_expert.json", model, mode));
      expect_score(fmt::format("LayerGraphs/{}_{}", model, mode),
                   fmt::format("human-experts/{}_{}_expert.json", model, own ? mode : "inference"),
                   "authors_expert_split_ms");
    }
  }
  EXPECT_EQ(scored_, 8);
}

TEST_F(MsrData, OptimalSplitsScoreAsInTheTable) {
  for (const auto& entry : std::filesystem::directory_iterator(root_ / "recomputed/dp_splits")) {
    std::string workload = entry.path().stem();
    workload[workload.find('_')] = '/';
    expect_score(workload, "recomputed/dp_splits" / entry.path().filename(), "contiguous_optimum_ms_own_dp");
  }
  EXPECT_EQ(scored_, 8);
}

TEST_F(MsrData, LatencyInputsAreReadToo) {
  const auto files = data_files("msr-dnn-partitioning/latency-inputs/LayerGraphs", ".json");
  EXPECT_EQ(files.size(), 4U);
  for (const std::string& file : files) {
    const auto problem = load_public_problem(file);
    EXPECT_TRUE(problem) << problem.error().message;
  }
}

}  // namespace
}  // namespace berth
