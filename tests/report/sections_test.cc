// SPDX-License-Identifier: Apache-2.0
// What a report carries, number by number: the blob that holds arrays, the section of graph and machine, and those of
// plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "graph/builder.h"
#include "report/graph_section.h"
#include "report/layout.h"
#include "report/moves.h"
#include "report/plan_section.h"
#include "report/unpacked.h"
#include "sim/memory_timeline.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth::report {
namespace {

using Whole = std::vector<std::uint32_t>;
using Small = std::vector<int>;
using Real = std::vector<float>;

TEST(Blob, EveryArrayReadsBackAsItWas) {
  const Whole numbers{5, 3, 0, std::numeric_limits<std::uint32_t>::max(), 256, 65536, 1U << 24};
  const std::vector<std::uint8_t> bytes{0, 255, 7};
  const Real reals{1.5F, -0.25F, 1e30F};
  const Unpacked page = Unpacked::of([&](JsonWriter&, Blob& blob) {
    blob.add("bytes", bytes);
    blob.add("numbers", numbers);
    blob.add("nothing", std::vector<std::uint32_t>());
    blob.add_text("text", "caf\xc3\xa9");
    blob.add("reals", reals);
    blob.add("no reals", Real());
  });
  EXPECT_EQ(page.small("bytes"), (Small{0, 255, 7}));
  EXPECT_EQ(page.whole("numbers"), numbers) << "differences wrap around where numbers fall";
  EXPECT_EQ(page.whole("nothing"), Whole());
  EXPECT_EQ(page.letters("text"), "caf\xc3\xa9");
  EXPECT_EQ(page.real("reals"), reals);
  EXPECT_EQ(page.real("no reals"), Real());
}

Unpacked graph_of(const Problem& problem) {
  return Unpacked::of([&](JsonWriter& json, Blob& blob) {
    write_machine(json, problem);
    write_graph(json, blob, problem);
  });
}

TEST(GraphSection, HasEveryOpWithItsTensors) {
  const Unpacked page =
      graph_of(toy_problem("x:input:4B -> a:2:4B:6B -> b:3/5; a.1 -> b", "device cpu; device g; link cpu g"));
  EXPECT_EQ(page.number("ops"), 3);
  EXPECT_EQ(page.number("edges"), 3);
  EXPECT_EQ(page.letters("names"), "xab");
  EXPECT_EQ(page.whole("name_length"), (Whole{1, 1, 1}));
  EXPECT_EQ(page.small("role"), (Small{static_cast<int>(Role::kInput), static_cast<int>(Role::kCompute),
                                       static_cast<int>(Role::kCompute)}));
  EXPECT_EQ(page.whole("output_count"), (Whole{1, 2, 1}));
  EXPECT_EQ(page.whole("input_count"), (Whole{0, 1, 2}));
  EXPECT_EQ(page.whole("input_tensor"), (Whole{0, 1, 2}));
  EXPECT_EQ(page.real("tensor_bytes"), (Real{4, 4, 6, 1}));
  EXPECT_EQ(page.real("time0"), (Real{0, 2, 3}));
  EXPECT_EQ(page.real("time1"), (Real{0, 2, 5}));
}

// Texts and sets stand once, however many ops have them, in the order of their first use.
TEST(GraphSection, TextsStandOnce) {
  GraphBuilder builder("named");
  const auto add = [&](const char* name, const char* module, const char* attributes) {
    builder.add(
        {.name = name, .type = "Relu", .outputs = {{DType::kF32, {2, 3}}}, .module = module, .attributes = attributes});
  };
  add("a", "encoder", "k = 1");
  add("b", "decoder", "");
  add("c", "encoder", "k = 1");
  const Problem problem =
      make_problem(std::make_shared<const Graph>(std::move(builder).build().value()), toy_machine("2 devices")).value();
  const Unpacked page = graph_of(problem);
  EXPECT_EQ(page.json("modules"), R"(["encoder","decoder"])");
  EXPECT_EQ(page.whole("module"), (Whole{0, 1, 0}));
  EXPECT_EQ(page.json("attributes"), R"(["k = 1",""])");
  EXPECT_EQ(page.whole("attributes"), (Whole{0, 1, 0}));
  EXPECT_EQ(page.json("types"), R"(["Relu"])");
  EXPECT_EQ(page.json("forms"), R"(["f32 [2, 3]"])");
  EXPECT_EQ(page.whole("tensor_form"), (Whole{0, 0, 0}));
  EXPECT_EQ(page.json("allowed"), "[[0,1]]");
  const std::vector<int> classes = page.small("class");
  EXPECT_EQ(page.text("classes." + std::to_string(classes[0])), "elementwise");
}

TEST(GraphSection, SaysWhereOpsMayBeAndWhichMoveAsOne) {
  const Unpacked page =
      graph_of(toy_problem("w:param:8B; a:1; b:-/1/1; c:1:group=g; d:1:group=g; u:1:update=w", "3 devices"));
  EXPECT_EQ(page.json("allowed"), "[[0,1,2],[1,2]]");
  EXPECT_EQ(page.whole("allowed"), (Whole{0, 0, 1, 0, 0, 0}));
  const Whole units = page.whole("unit");
  EXPECT_EQ(units[3], units[4]);
  EXPECT_EQ(units[0], units[5]) << "an update is with its parameter";
  EXPECT_NE(units[1], units[2]);
  EXPECT_EQ(page.real("resident")[0], 8.0F);
  EXPECT_EQ(page.number("parameter_bytes"), 8);
}

TEST(GraphSection, HasTheLayoutOfTheGraph) {
  const ToyGraph toy = toy_graph("a/x:1 -> a/y:1 -> b/z:1; a/x -> b/z");
  const Problem problem = toy_problem("a/x:1 -> a/y:1 -> b/z:1; a/x -> b/z", "2 devices");
  const Unpacked page = graph_of(problem);
  const Layout layout = lay_out(*toy.graph);
  EXPECT_EQ(page.whole("column"), layout.column);
  EXPECT_EQ(page.whole("lane"), layout.lane_of);
  EXPECT_EQ(page.real("column_x"), layout.column_x);
  EXPECT_EQ(page.real("top"), layout.top);
  EXPECT_EQ(page.real("height"), layout.height);
  EXPECT_EQ(page.number("columns"), 3);
  EXPECT_FLOAT_EQ(static_cast<float>(page.number("rows")), layout.rows);
  EXPECT_EQ(page.text("lanes.0.name"), "a");
  EXPECT_EQ(page.text("lanes.1.name"), "b");
  EXPECT_FLOAT_EQ(static_cast<float>(page.number("lanes.1.top")), layout.lanes[1].top);
}

// Memory without a limit has no capacity that could be shown as full.
TEST(MachineSection, HasDevicesPoolsAndLinks) {
  const Problem problem =
      toy_problem("a:1",
                  "pool p 64B; device cpu memory=1152921504606846976B; device g pool=p; device h pool=p lanes=3; "
                  "link cpu g rate=1; link cpu h rate=1 free; link g h rate=1 bus=nv");
  const Unpacked page = graph_of(problem);
  EXPECT_EQ(page.text("machine.name"), "toy");
  EXPECT_TRUE(page.at("devices.0.capacity").is_null());
  EXPECT_EQ(page.number("devices.0.pool"), -1);
  EXPECT_EQ(page.text("devices.0.kind"), "cpu");
  EXPECT_EQ(page.text("devices.2.name"), "h");
  EXPECT_EQ(page.text("devices.2.kind"), "gpu");
  EXPECT_EQ(page.number("devices.2.pool"), 0);
  EXPECT_EQ(page.number("devices.2.lanes"), 3);
  EXPECT_EQ(page.json("pools"), R"([{"name":"p","capacity":64}])");
  EXPECT_EQ(page.json("queues"), R"(["cpu>g","g>cpu","nv"])");
  EXPECT_EQ(page.json("channels.2"), R"({"name":"cpu>h","queue":-1})");
  EXPECT_EQ(page.json("channels.4"), R"({"name":"g>h","queue":2})");
}

Unpacked plan_of(const Problem& problem, const ReportedPlan& plan) {
  return Unpacked::of([&](JsonWriter& json, Blob& blob) {
    json.key("plan");
    write_plan(json, blob, problem, plan, "p.");
  });
}

// a runs 0-2 on device 0, is sent 2-3, c runs 3-6 on device 1; b runs 2-5 on device 0.
class PlanSection : public ::testing::Test {
 protected:
  Problem problem_ = toy_problem("a:2:4B -> b:3; a -> c:3", "2 devices, 1 s per edge");
  ReportedPlan reported_{"by hand", "a note", toy_plan(problem_, "a@0 b@0 c@1"), to_picoseconds(5.0)};
};

TEST_F(PlanSection, BeginsWithWhatIsKnownOfThePlan) {
  reported_.search_s = 1.5;
  reported_.evaluations = 7;
  reported_.seed = 3;
  reported_.interrupted = true;
  reported_.convergence = {{0.25, 2, 9.0}, {0.5, 4, 6.0}};
  const Unpacked page = plan_of(problem_, reported_);
  EXPECT_EQ(page.text("plan.name"), "by hand");
  EXPECT_EQ(page.text("plan.note"), "a note");
  EXPECT_EQ(page.number("plan.step_s"), 6);
  EXPECT_EQ(page.number("plan.bound_s"), 5);
  EXPECT_EQ(page.number("plan.search_s"), 1.5);
  EXPECT_EQ(page.json("plan.evaluations"), "7");
  EXPECT_EQ(page.json("plan.seed"), "3");
  EXPECT_EQ(page.json("plan.interrupted"), "true");
  EXPECT_EQ(page.json("plan.feasible"), "true");
  EXPECT_EQ(page.json("plan.convergence"), "[[0.25,2,9],[0.5,4,6]]");
  EXPECT_FALSE(page.has("plan.overflow"));
  EXPECT_FALSE(page.has("plan.pipeline"));
}

TEST_F(PlanSection, SumsUpDevicesLinksAndTraffic) {
  const Unpacked page = plan_of(problem_, reported_);
  EXPECT_EQ(page.json("plan.path"), R"({"compute_s":5,"transfer_s":1,"for_data_s":6,"for_device_s":0,"for_link_s":0})");
  EXPECT_EQ(page.number("plan.devices.0.busy_s"), 5);
  EXPECT_EQ(page.number("plan.devices.0.ops"), 2);
  EXPECT_EQ(page.number("plan.devices.0.critical_s"), 2);
  EXPECT_EQ(page.number("plan.devices.1.busy_s"), 3);
  EXPECT_EQ(page.number("plan.devices.1.critical_s"), 3);
  EXPECT_EQ(page.json("plan.queues"), R"([{"busy_s":1,"bytes":4},{"busy_s":0,"bytes":0}])");
  EXPECT_EQ(page.json("plan.traffic"), "[0,4,0,0]") << "from 0 to 1 alone";
  EXPECT_EQ(page.json("plan.crossings"), "[0,1,0,0]");
}

TEST_F(PlanSection, HasTheTimelineInTicks) {
  const Unpacked page = plan_of(problem_, reported_);
  const double tick_s = page.number("plan.tick_s");
  const auto seconds = [&](const std::string& name) {
    std::vector<int> rounded;
    for (const std::uint32_t ticks : page.whole(name)) {
      rounded.push_back(static_cast<int>(1000.0 * tick_s * ticks + 0.5));
    }
    return rounded;
  };
  EXPECT_EQ(page.small("p.device"), (Small{0, 0, 1}));
  EXPECT_EQ(seconds("p.start"), (Small{0, 2000, 3000}));
  EXPECT_EQ(seconds("p.duration"), (Small{2000, 3000, 3000}));
  EXPECT_EQ(page.whole("p.sent_op"), Whole{0});
  EXPECT_EQ(page.small("p.sent_from"), Small{0});
  EXPECT_EQ(page.small("p.sent_to"), Small{1});
  EXPECT_EQ(seconds("p.sent_start"), Small{2000});
  EXPECT_EQ(seconds("p.sent_duration"), Small{1000});
  EXPECT_EQ(page.real("p.sent_bytes"), Real{4});
  EXPECT_EQ(page.whole("p.path"), (Whole{0, 0x80000000U, 2})) << "a, its transfer, c";
  EXPECT_EQ(page.small("p.path_why"), (Small{0, 1, 1}));
  EXPECT_EQ(page.whole("p.fused"), Whole());
}

// A day has more picoseconds than 32 bits can count: the clock ticks slower, and nothing is shorter than a tick.
TEST_F(PlanSection, LongStepsTickSlower) {
  const Problem problem = toy_problem("a:86400 -> b:0.000000001", "2 devices");
  const Unpacked page = plan_of(problem, {"long", "", toy_plan(problem, "a@0")});
  const double tick_s = page.number("plan.tick_s");
  EXPECT_NEAR(tick_s * page.whole("p.duration")[0], 86400.0, 2 * tick_s);
  EXPECT_LT(page.whole("p.duration")[0], 0x80000000U);
  EXPECT_EQ(page.whole("p.duration")[1], 1U);
}

// c alone moves to 0 (8 s); with a on 1 b waits for it (6 s); b is not on the path. The longest op comes first.
TEST_F(PlanSection, HasMovesOfThePathThatAreSimulated) {
  const Unpacked page = plan_of(problem_, reported_);
  EXPECT_EQ(page.json("plan.moves"), R"([{"op":2,"to":[[0,8,true]]},{"op":0,"to":[[1,6,true]]}])");
}

TEST_F(PlanSection, OpsThatAreFusedStandUnderTheLowest) {
  const Problem problem = toy_problem("a:2 -> b:3 -> c:1", "2 devices");
  const Unpacked page = plan_of(problem, {"fused", "", toy_plan(problem, "{b a}")});
  EXPECT_EQ(page.whole("p.fused"), (Whole{1, 0, 0, 0}));
  EXPECT_EQ(page.whole("p.duration")[1], 0U);
  EXPECT_GT(page.whole("p.duration")[0], 0U);
}

TEST_F(PlanSection, SaysWhereMemoryRunsOut) {
  const Problem problem = toy_problem("w:param:8B -> a:2:16B -> b:1", "device 0 memory=20B; device 1; link 0 1");
  const Unpacked page = plan_of(problem, {"full", "", toy_plan(problem, "a@0")});
  EXPECT_EQ(page.json("plan.feasible"), "false");
  EXPECT_EQ(page.number("plan.overflow.device"), 0);
  const Score score = simulate(problem, toy_plan(problem, "a@0"));
  EXPECT_EQ(page.number("plan.overflow.over"), static_cast<double>(score.overflow->over));
  EXPECT_EQ(page.number("plan.overflow.op"), static_cast<double>(index(score.overflow->op)));
}

// Samples that stream through have loads, and no timeline, path or memory over time.
TEST_F(PlanSection, OfAPipelineHasNoTimeline) {
  const Problem problem = as_pipeline(toy_problem("a:2:4B -> b:3", "2 devices, 1 s per edge"));
  const Unpacked page = plan_of(problem, {"stream", "", toy_plan(problem, "a@0 b@1")});
  EXPECT_EQ(page.whole("p.start"), (Whole{0, 0}));
  EXPECT_GT(page.whole("p.duration")[1], page.whole("p.duration")[0]);
  EXPECT_EQ(page.whole("p.path"), Whole());
  EXPECT_EQ(page.whole("p.sent_op"), Whole());
  EXPECT_EQ(page.real("p.memory"), Real());
  EXPECT_EQ(page.number("plan.pipeline.limiting_device"), 1);
  EXPECT_FALSE(page.has("plan.pipeline.limiting_queue"));
}

// Whatever the plan: the most of a device's bins is its peak, and moves are what simulations of the moved plan say.
TEST(PlanSections, AgreeWithSimulations) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 25);
    const Plan plan = random_plan(problem, rng);
    const Unpacked page = plan_of(problem, {"random", "", plan});
    const Score score = simulate(problem, plan);
    const Real memory = page.real("p.memory");
    const auto bins = static_cast<std::ptrdiff_t>(page.number("plan.memory_bins"));
    ASSERT_EQ(std::ssize(memory), bins * std::ssize(score.devices));
    for (std::ptrdiff_t device = 0; device < std::ssize(score.devices); ++device) {
      const auto first = memory.begin() + device * bins;
      EXPECT_EQ(*std::max_element(first, first + bins),
                static_cast<float>(score.devices[static_cast<std::size_t>(device)].peak));
    }
    Mover mover(problem, plan);
    for (const simdjson::dom::element item : page.at("plan.moves").get_array()) {
      const std::array<OpId, 1> ops{static_cast<OpId>(item["op"].get_uint64().value())};
      for (const simdjson::dom::element to : item["to"].get_array()) {
        const auto device = static_cast<DeviceId>(to.at(0).get_uint64().value());
        EXPECT_NE(device, plan.device(ops[0]));
        const Score moved = simulate(problem, mover.placed(ops, device).value());
        EXPECT_EQ(to.at(1).get_double().value(), to_seconds(moved.step_time));
        EXPECT_EQ(to.at(2).get_bool().value(), moved.feasible);
      }
    }
  }
}

// An op holds its output from its start on, and its inputs until its end: 4 B, then 4 + 8, then 8 + 1.
TEST(PlanSections, MemoryIsTheMostOfEveryBin) {
  const Problem problem = toy_problem("a:2:4B -> b:2:8B -> c:4:1B", "1 devices");
  const Plan plan = toy_plan(problem, "");
  const Unpacked page = plan_of(problem, {"memory", "", plan});
  const Real memory = page.real("p.memory");
  const auto bin_at = [&](double time_s) { return static_cast<std::size_t>(time_s / 8.0 * 2048.0); };
  for (const MemoryEvent& event : memory_timeline(problem, plan)) {
    EXPECT_GE(memory[bin_at(to_seconds(event.time))], static_cast<float>(event.held)) << to_seconds(event.time);
  }
  EXPECT_EQ(memory[bin_at(1.0)], 4.0F);
  EXPECT_EQ(memory[bin_at(3.0)], 12.0F);
  EXPECT_EQ(memory[bin_at(5.0)], 9.0F);
  EXPECT_EQ(memory.back(), 9.0F);
}

}  // namespace
}  // namespace berth::report
