// SPDX-License-Identifier: Apache-2.0
#include "format/problem_file.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "files/json/json_reader.h"
#include "import/problems/problem_readers.h"
#include "import/problems/public_problem.h"
#include "sim/simulator.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

TEST(ProblemFile, IsReadable) {
  const Problem problem =
      toy_problem("x:input:4B -> v:view:4B -> b:2/5:compute=1:8B:out; w:param:16B -> b; u:1/-:update=w; b => u",
                  "device cpu memory=64B sync launch=1 rate=8; device gpu pool=p lanes=2 rate=4; pool p 128B; "
                  "link cpu gpu latency=1 rate=2");
  std::string expected = R"({
  "format": "berth-problem/1",
  "objective": "step",
  "devices": [
    {"name": "cpu", "kind": "cpu", "memory_bytes": 64, "pool": null, "lanes": 1, "launch_s": 1, "async": false, "bytes_per_s": CPU_RATE},
    {"name": "gpu", "kind": "gpu", "memory_bytes": 128, "pool": "p", "lanes": 2, "launch_s": 0, "async": true, "bytes_per_s": GPU_RATE}
  ],
  "links": [
    {"name": "cpu>gpu", "from": "cpu", "to": "gpu", "latency_s": 1, "bytes_per_s": 2, "queue": "cpu>gpu"},
    {"name": "gpu>cpu", "from": "gpu", "to": "cpu", "latency_s": 1, "bytes_per_s": 2, "queue": "gpu>cpu"}
  ],
  "routes": [
    {"from": "cpu", "to": "gpu", "links": ["cpu>gpu"]},
    {"from": "gpu", "to": "cpu", "links": ["gpu>cpu"]}
  ],
  "ops": [
    {"name": "x", "role": "input", "inputs": [], "control": [], "outputs": [4], "resident_bytes": 0, "alias_of": null, "colocate": null, "allowed": ["cpu", "gpu"], "time_s": [0, 0], "compute_s": [0, 0]},
    {"name": "v", "role": "view", "inputs": [[0, 0]], "control": [], "outputs": [4], "resident_bytes": 0, "alias_of": [0, 0], "colocate": null, "allowed": ["cpu", "gpu"], "time_s": [0, 0], "compute_s": [0, 0]},
    {"name": "b", "role": "compute", "inputs": [[1, 0], [3, 0]], "control": [], "outputs": [8], "resident_bytes": 0, "alias_of": null, "colocate": null, "allowed": ["cpu", "gpu"], "time_s": [2, 5], "compute_s": [1, 1]},
    {"name": "w", "role": "parameter", "inputs": [], "control": [], "outputs": [16], "resident_bytes": 16, "alias_of": null, "colocate": "w", "allowed": ["cpu"], "time_s": [0, null], "compute_s": [0, null]},
    {"name": "u", "role": "compute", "inputs": [], "control": [2], "outputs": [1], "resident_bytes": 0, "alias_of": null, "colocate": "w", "allowed": ["cpu"], "time_s": [1, null], "compute_s": [1, null]}
  ],
  "outputs": [[2, 0]]
}
)";
  const auto fill_in = [&](std::string_view place, DeviceId device) {  // comes from the fitted cost table
    expected.replace(expected.find(place), place.size(), fmt::format("{}", problem.streaming_bytes_per_s(device)));
  };
  fill_in("CPU_RATE", DeviceId{0});
  fill_in("GPU_RATE", DeviceId{1});
  EXPECT_EQ(write_problem_json(problem), expected);
}

TEST(ProblemFile, CarriesMachinesWithoutOverlap) {
  const Problem problem = toy_problem("a:2 -> b:3", "2 devices, 1 s per edge; no overlap, 4");
  const std::string text = write_problem_json(problem);
  EXPECT_NE(text.find("  \"overlap\": false,\n  \"region_cost_s\": 4,\n"), std::string::npos);
  auto document = JsonDocument::open(text);
  ASSERT_TRUE(document);
  const Result<Problem> back = read_berth_problem(std::move(*document), "back", {});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->machine().execution(), problem.machine().execution());
  const Plan plan = toy_plan(problem, "b@1");
  EXPECT_EQ(simulate(*back, plan), simulate(problem, plan));
}

constexpr std::array<std::string_view, 7> kRoot{"format", "objective", "devices", "links", "routes", "ops", "outputs"};
constexpr std::array<std::string_view, 8> kDevice{"name",  "kind",     "memory_bytes", "pool",
                                                  "lanes", "launch_s", "async",        "bytes_per_s"};
constexpr std::array<std::string_view, 6> kLink{"name", "from", "to", "latency_s", "bytes_per_s", "queue"};
constexpr std::array<std::string_view, 3> kRoute{"from", "to", "links"};
constexpr std::array<std::string_view, 11> kOp{"name",    "role",           "inputs",   "control",
                                               "outputs", "resident_bytes", "alias_of", "colocate",
                                               "allowed", "time_s",         "compute_s"};

// Exactly these members, each once.
void expect_members(const JsonValue& value, std::span<const std::string_view> names) {
  const auto seen = value.fields(names, UnknownFields::kRefuse, [](std::size_t, const JsonValue&) { return Status(); });
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(*seen, (1U << names.size()) - 1) << value.path();
}

std::vector<std::string> strings(const JsonValue& list) {
  std::vector<std::string> texts;
  EXPECT_TRUE(list.for_each([&](const JsonValue& item) { return texts.emplace_back(*item.string()), Status(); }));
  return texts;
}

// What a program of somebody else would check before it trusts a file.
class SchemaCheck {
 public:
  explicit SchemaCheck(const Problem& problem) : problem_(problem), text_(write_problem_json(problem)) {}

  void run() {
    auto opened = JsonDocument::open(text_);
    ASSERT_TRUE(opened) << opened.error().message;
    JsonDocument document = std::move(*opened);
    ASSERT_TRUE(document.check_members(kRoot));
    ASSERT_TRUE(check_format(document, "berth-problem/1"));
    visit(document, "devices", [&](const JsonValue& device) { check_device(device); });
    visit(document, "links", [&](const JsonValue& link) { check_link(link); });
    visit(document, "routes", [&](const JsonValue& route) { check_route(route); });
    visit(document, "ops", [&](const JsonValue& op) { check_op(op); });
    EXPECT_EQ(num_ops_, problem_.graph().num_ops());
    EXPECT_EQ(num_routes_, devices_.size() * (devices_.size() - 1));
    visit(document, "outputs", [&](const JsonValue& output) { check_ref(output); });
  }

 private:
  template <typename Check>
  static void visit(JsonDocument& document, std::string_view key, Check check) {
    const Status status = document.for_each(key, [&](const JsonValue& value) { return check(value), Status(); });
    EXPECT_TRUE(status) << status.error().message;
  }

  void check_device(const JsonValue& device) {
    expect_members(device, kDevice);
    devices_.emplace_back(*device.find("name")->string());
    EXPECT_TRUE(device.find("memory_bytes")->integer());
    EXPECT_TRUE(device.find("lanes")->integer(1));
    EXPECT_TRUE(device.find("launch_s")->number());
    EXPECT_TRUE(device.find("async")->boolean());
    EXPECT_TRUE(device.find("bytes_per_s")->number());
    EXPECT_TRUE(device.find("pool")->is_null() || device.find("pool")->string());
  }

  void check_link(const JsonValue& link) {
    expect_members(link, kLink);
    const auto [name, is_new] = links_.emplace(*link.find("name")->string());
    EXPECT_TRUE(is_new) << *name << " is there twice";
    EXPECT_TRUE(link.find("from")->string() && link.find("to")->string());
    EXPECT_TRUE(link.find("latency_s")->number());
    EXPECT_TRUE(link.find("bytes_per_s")->number());
    EXPECT_TRUE(link.find("queue")->is_null() || link.find("queue")->string());
  }

  void check_route(const JsonValue& route) {
    expect_members(route, kRoute);
    ++num_routes_;
    for (const std::string& link : strings(*route.find("links"))) EXPECT_TRUE(links_.contains(link)) << link;
  }

  void check_ref(const JsonValue& ref) const {
    ASSERT_EQ(ref.size(), 2U);
    const auto op = static_cast<OpId>(*ref.at(0)->integer(0, std::ssize(problem_.graph().ops()) - 1));
    EXPECT_TRUE(ref.at(1)->integer(0, static_cast<std::int64_t>(problem_.graph().outputs(op).size()) - 1));
  }

  void check_op(const JsonValue& op) {
    expect_members(op, kOp);
    const OpId id{static_cast<std::uint32_t>(num_ops_++)};
    EXPECT_EQ(*op.find("name")->string(), problem_.graph().name(id));
    const bool is_view = *op.find("role")->string() == "view";
    EXPECT_EQ(op.find("alias_of")->is_null(), !is_view);
    const JsonValue inputs = *op.find("inputs");
    EXPECT_TRUE(inputs.for_each([&](const JsonValue& ref) { return check_ref(ref), Status(); }));
    check_times(id, *op.find("time_s"), strings(*op.find("allowed")),
                [&](DeviceId d) { return problem_.duration(id, d); });
    check_times(id, *op.find("compute_s"), strings(*op.find("allowed")),
                [&](DeviceId d) { return problem_.compute_part(id, d); });
    check_group(id, *op.find("colocate"));
  }

  template <typename TimeOn>
  void check_times(OpId, const JsonValue& times, const std::vector<std::string>& allowed, TimeOn time_on) const {
    ASSERT_EQ(times.size(), devices_.size());
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      const JsonValue time = *times.at(device);
      const bool may_run = std::find(allowed.begin(), allowed.end(), devices_[device]) != allowed.end();
      EXPECT_EQ(time.is_null(), !may_run);
      if (may_run) {
        EXPECT_EQ(std::llround(*time.number() * 1e12), time_on(DeviceId(device)));
      }
    }
  }

  // Equal names exactly where ops must share a device.
  void check_group(OpId id, const JsonValue& group) {
    if (group.is_null()) {
      EXPECT_EQ(problem_.unit_ops(problem_.unit(id)).size(), 1U);
      return;
    }
    const auto [known, is_new] = unit_of_group_.emplace(*group.string(), problem_.unit(id));
    EXPECT_EQ(known->second, problem_.unit(id)) << "one name for two sets";
  }

  const Problem& problem_;
  std::string text_;
  std::vector<std::string> devices_;
  std::set<std::string> links_;
  std::map<std::string, std::uint32_t> unit_of_group_;
  std::size_t num_ops_ = 0, num_routes_ = 0;
};

TEST(ProblemFile, FollowsItsSchema) {
  Rng rng(9);
  for (int i = 0; i < 100; ++i) {
    const Problem problem = random_problem(rng, 1 + rng.below(50));
    SchemaCheck(problem).run();
    if (HasFailure()) return;
  }
}

TEST(ProblemFile, LongTimesAreExact) {
  const Problem problem = toy_problem("a:2251.790123456789; b:0.000000000001", "1 devices");
  SchemaCheck(problem).run();
}

// What is read back simulates to the same picosecond and byte; fusions aside, whose rates are not in the file.
TEST(ProblemFile, ReadingGivesTheSameScores) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Rng rng(seed);
    const Problem problem = random_problem(rng, 5 + seed % 40);
    const Result<Problem> read = parse_public_problem(write_problem_json(problem), "problem.json");
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message;
    for (int i = 0; i < 3; ++i) {
      Plan plan = random_plan(problem, rng);
      plan.fusions.clear();
      const auto broken = verify(*read, plan);
      ASSERT_FALSE(broken) << "seed " << seed << ": " << broken->message;
      const Score ours = simulate(*read, plan), original = simulate(problem, plan);
      EXPECT_EQ(ours.step_time, original.step_time) << "seed " << seed;
      EXPECT_EQ(ours.feasible, original.feasible) << "seed " << seed;
      EXPECT_TRUE(ours.devices == original.devices) << "seed " << seed;
    }
  }
}

// Links are called as the file likes.
TEST(ProblemFile, LinksHaveAnyName) {
  const auto read = [](const std::string& first, const std::string& route) {
    std::string text = write_problem_json(toy_problem("a:1 -> b:1", "device cpu; device gpu; link cpu gpu latency=1"));
    const auto replace = [&](const std::string& from, const std::string& to) {
      ASSERT_NE(text.find(from), std::string::npos) << text;
      text.replace(text.find(from), from.size(), to);
    };
    replace("\"name\": \"cpu>gpu\"", "\"name\": \"" + first + "\"");
    replace("\"links\": [\"cpu>gpu\"]", "\"links\": [\"" + route + "\"]");
    const auto problem = parse_public_problem(text, "problem.json");
    return problem ? "" : problem.error().message;
  };
  EXPECT_EQ(read("c>g", "c>g"), "");
  EXPECT_EQ(read("c>g", "cpu>gpu"), "problem.json: routes[0]: the fastest route is by c>g");
  EXPECT_EQ(read("gpu>cpu", "gpu>cpu"), "problem.json: links[1]: its name is taken");
}

}  // namespace
}  // namespace berth
