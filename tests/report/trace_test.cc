// SPDX-License-Identifier: Apache-2.0
// The timeline of a plan as a trace, and what the formats of viewers make of it.
#include "report/trace/trace.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <set>

#include "files/protobuf/wire.h"
#include "report/trace/trace_exports.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {
namespace {

Trace trace_of(const Problem& problem, const Plan& plan) {
  return make_trace(problem, plan, simulate_timeline(problem, plan));
}

// "0/compute: a 0-2, b 2-5 | ...": the slices of every track.
std::string tracks_text(const Trace& trace) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
    std::vector<std::string> slices;
    for (const TraceSlice& slice : trace.slices) {
      if (slice.track != i) continue;
      slices.push_back(fmt::format("{} {:g}-{:g}", slice.name, to_seconds(slice.start), to_seconds(slice.end)));
    }
    words.push_back(fmt::format("{}/{}: {}", trace.processes[trace.tracks[i].process], trace.tracks[i].name,
                                fmt::join(slices, ", ")));
  }
  return fmt::format("{}", fmt::join(words, " | "));
}

// "a>a>c": the slices that a flow goes through.
std::string flows_text(const Trace& trace) {
  std::vector<std::string> words;
  for (const TraceFlow& flow : trace.flows) {
    std::string text(trace.slices[flow.begin].name);
    for (const std::uint32_t slice : flow.between) text += fmt::format(">{}", trace.slices[slice].name);
    words.push_back(fmt::format("{}>{}", text, trace.slices[flow.end].name));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string counter_text(const Trace& trace, std::uint32_t process, std::string_view name) {
  for (const TraceCounter& counter : trace.counters) {
    if (counter.process != process || counter.name != name) continue;
    std::vector<std::string> words;
    for (const auto& [time, bytes] : counter.values) words.push_back(fmt::format("{:g}:{}", to_seconds(time), bytes));
    return fmt::format("{}", fmt::join(words, " "));
  }
  return "none";
}

struct ForkedTrace {
  Problem problem = toy_problem("a:2:4B -> b:3; a -> c:3", "2 devices, 1 s per edge");
  Plan plan = toy_plan(problem, "a@0 b@0 c@1");
  Trace trace = trace_of(problem, plan);
};

TEST(Trace, HasATrackForEveryDeviceAndLink) {
  const ForkedTrace fork;
  EXPECT_EQ(fork.trace.processes, (std::vector<std::string>{"0", "1", "links"}));
  EXPECT_EQ(tracks_text(fork.trace), "0/compute: a 0-2, b 2-5 | 1/compute: c 3-6 | links/0>1: a 2-3");
  EXPECT_EQ(flows_text(fork.trace), "a>a>c") << "from the op over the link to its reader";
  for (const TraceSlice& slice : fork.trace.slices) {
    EXPECT_EQ(slice.bytes, slice.category == "transfer" ? 4 : 0);
    EXPECT_EQ(slice.detail, slice.category == "op" ? "toy" : "");
  }
}

TEST(Trace, CountsBytesHeldAndUnderWay) {
  const ForkedTrace fork;
  EXPECT_EQ(counter_text(fork.trace, 2, "0>1 under way"), "2:4 3:0");
  EXPECT_EQ(counter_text(fork.trace, 2, "1>0 under way"), "none") << "nothing goes that way";
  EXPECT_EQ(counter_text(fork.trace, 0, "memory").substr(0, 3), "0:4");
  EXPECT_NE(counter_text(fork.trace, 1, "memory"), "none");
}

TEST(Trace, LanesOfADeviceAreTracks) {
  const Problem problem = toy_problem("a:2; b:2; c:1", "device cpu lanes=2");
  EXPECT_EQ(tracks_text(trace_of(problem, toy_plan(problem, "a@cpu"))), "cpu/lane 0: a 0-2, c 2-3 | cpu/lane 1: b 0-2");
}

// Three at once on a link without a queue: each on a track of its own; the fourth takes the first that is free.
TEST(Trace, TransfersAtOnceHaveTracksOfTheirOwn) {
  const Problem problem = toy_problem("a:1:4B -> e:1; b:1:2B -> e; c:1:9B -> e; d:5:1B -> e",
                                      "device cpu lanes=4; device g; link cpu g rate=1 free");
  EXPECT_EQ(tracks_text(trace_of(problem, toy_plan(problem, "a@cpu e@g"))),
            "cpu/lane 0: a 0-1 | cpu/lane 1: b 0-1 | cpu/lane 2: c 0-1 | cpu/lane 3: d 0-5 | g/compute: e 10-11 | "
            "links/cpu>g: a 1-5, d 5-6 | links/cpu>g (2): b 1-3 | links/cpu>g (3): c 1-10");
}

// A weight has no slice: its way begins on the link. Where the first reader of a tensor is, its way ends.
TEST(Trace, FlowsBeginAndEndWithWhatTakesTime) {
  const Problem problem =
      toy_problem("w:param:2B -> b:1; a:1:2B -> v:view:2B -> c:1; a -> d:3 -> c", "2 devices, 1 s per byte");
  const Plan plan = toy_plan(problem, "w@0 a@0 b@1 v@1 d@1 c@1");
  const Trace trace = trace_of(problem, plan);
  EXPECT_EQ(flows_text(trace), "w>b a>a>d");
  for (std::uint64_t i = 0; i < trace.flows.size(); ++i) {
    EXPECT_EQ(trace.slices[trace.flows[i].begin].flows, std::vector<std::uint64_t>{i});
    EXPECT_EQ(trace.slices[trace.flows[i].end].flows, std::vector<std::uint64_t>{i});
  }
}

// Two hops, both between the op and its reader.
TEST(Trace, FlowsGoOverEveryLink) {
  const Problem problem =
      toy_problem("a:1:4B -> c:1", "device cpu; device g; device h; link g cpu rate=1; link cpu h rate=1");
  EXPECT_EQ(flows_text(trace_of(problem, toy_plan(problem, "a@g c@h"))), "a>a>a>c");
}

TEST(Trace, AFusedGroupSendsFromItsSlice) {
  const Problem problem = toy_problem("a:1:4B -> b:1:4B -> c:1", "2 devices, 1 s per edge");
  const Trace trace = trace_of(problem, toy_plan(problem, "a@0 b@0 c@1 {a b}"));
  EXPECT_EQ(flows_text(trace), "a>b>c") << "the slice is the group's, under the name of a";
}

TEST(Trace, SlicesOfATrackNeverOverlap) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_problem(rng, 40);
    const Trace trace = trace_of(problem, random_plan(problem, rng));
    std::map<std::uint32_t, Picoseconds> end;
    std::vector<TraceSlice> slices = trace.slices;
    std::ranges::stable_sort(slices, {}, &TraceSlice::start);
    for (const TraceSlice& slice : slices) {
      EXPECT_GE(slice.start, end[slice.track]) << trace.tracks[slice.track].name;
      end[slice.track] = slice.end;
    }
    for (const TraceCounter& counter : trace.counters) {
      const bool is_link = counter.process + 1 == trace.processes.size();
      EXPECT_TRUE(!is_link || counter.values.back().second == 0) << counter.name << ": nothing is under way at the end";
    }
  }
}

TEST(ChromeTrace, IsJsonWithEverySliceInMicroseconds) {
  const ForkedTrace fork;
  simdjson::dom::parser parser;
  const simdjson::padded_string text(chrome_trace(fork.trace, "a \"title\""));
  const simdjson::dom::element root = parser.parse(text);
  EXPECT_EQ(root["otherData"]["title"].get_string().value(), "a \"title\"");
  std::map<std::string, int> phases;
  std::vector<std::string> slices, flows;
  for (const simdjson::dom::element event : root["traceEvents"].get_array()) {
    const std::string phase(event["ph"].get_string().value());
    ++phases[phase];
    if (phase == "X") {
      slices.push_back(fmt::format("{}:{}:{:g}+{:g}", event["pid"].get_int64().value(),
                                   event["name"].get_string().value(), event["ts"].get_double().value(),
                                   event["dur"].get_double().value()));
    }
    if (phase == "s" || phase == "t" || phase == "f") {
      flows.push_back(
          fmt::format("{}{}@{:g}", phase, event["tid"].get_int64().value(), event["ts"].get_double().value()));
    }
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(slices, " ")), "0:a:0+2e+06 0:b:2e+06+3e+06 1:c:3e+06+3e+06 2:a:2e+06+1e+06");
  EXPECT_EQ(fmt::format("{}", fmt::join(flows, " ")), "s1@1e+06 t3@2.5e+06 f2@4.5e+06") << "in the middle of slices";
  EXPECT_EQ(phases["M"], 3 + 3) << "names of processes and tracks";
  EXPECT_EQ(phases["X"], 4);
  EXPECT_GT(phases["C"], 0);
}

struct Packet {
  std::uint64_t time = 0, type = 0, track = 0, flow = 0, ending_flow = 0;
  std::string name;
};

// The events of a trace of Perfetto, in their order.
std::vector<Packet> packets_of(std::string_view bytes, std::size_t& descriptors) {
  std::vector<Packet> packets;
  for (WireReader packet(bytes); packet.next();) {
    EXPECT_TRUE(packet.is(1, WireType::kBytes));
    Packet found;
    bool is_event = false;
    for (WireReader field(packet.bytes()); field.next();) {
      if (field.is(8, WireType::kVarint)) found.time = field.varint();
      if (field.is(60, WireType::kBytes)) ++descriptors;
      if (!field.is(11, WireType::kBytes)) continue;
      is_event = true;
      for (WireReader part(field.bytes()); part.next();) {
        if (part.field() == 9) found.type = part.varint();
        if (part.field() == 11) found.track = part.varint();
        if (part.field() == 23) found.name = part.bytes();
        if (part.field() == 47) found.flow = part.fixed64();
        if (part.field() == 48) found.ending_flow = part.fixed64();
      }
    }
    if (is_event) packets.push_back(found);
  }
  return packets;
}

TEST(PerfettoTrace, HasEverySliceInNanoseconds) {
  const ForkedTrace fork;
  std::size_t descriptors = 0;
  std::vector<std::string> words;
  for (const Packet& packet : packets_of(perfetto_trace(fork.trace), descriptors)) {
    if (packet.type == 1) words.push_back(fmt::format("{}+{}@{:g}", packet.name, packet.track, double(packet.time)));
    if (packet.type == 2) words.push_back(fmt::format("-{}@{:g}", packet.track, double(packet.time)));
    if (packet.flow != 0) words.push_back(fmt::format("flow{}", packet.flow));
    if (packet.ending_flow != 0) words.push_back(fmt::format("end{}", packet.ending_flow));
  }
  // Numbers 1 to 3 are the processes, 4 to 6 the tracks.
  EXPECT_EQ(fmt::format("{}", fmt::join(words, " ")),
            "a+4@0 flow1 -4@2e+09 b+4@2e+09 a+6@2e+09 flow1 -6@3e+09 c+5@3e+09 end1 -4@5e+09 -5@6e+09");
  EXPECT_EQ(descriptors, 3 + 3 + fork.trace.counters.size());
}

// What is shorter than a nanosecond begins before it ends, and after what ends at that time.
TEST(PerfettoTrace, ShortSlicesEndAfterTheyBegin) {
  const Problem problem = toy_problem("a:0.000000002 -> b:0.0000000001 -> c:0.000000002", "1 devices");
  std::size_t descriptors = 0;
  std::string order;
  for (const Packet& packet : packets_of(perfetto_trace(trace_of(problem, toy_plan(problem, "a@0"))), descriptors)) {
    if (packet.type == 1) order += packet.name;
    if (packet.type == 2) order += '-';
  }
  EXPECT_EQ(order, "a-bc--");
}

TEST(TraceExports, AreSortedAndMadeOfTheSimulation) {
  const ForkedTrace fork;
  const auto formats = trace_exports();
  ASSERT_EQ(formats.size(), 2U);
  EXPECT_EQ(formats[0].name, "chrome");
  EXPECT_EQ(formats[1].name, "perfetto");
  const ExportRequest request{.problem = fork.problem, .plan = fork.plan, .source = ""};
  const Exported chrome = formats[0].make(request).value();
  ASSERT_EQ(chrome.files.size(), 1U);
  EXPECT_EQ(chrome.files[0].text, chrome_trace(fork.trace, fork.problem.graph().title()));
  EXPECT_TRUE(chrome.notes.empty());
  EXPECT_EQ(formats[1].make(request).value().files[0].text, perfetto_trace(fork.trace));
}

TEST(TraceExports, OfAPipelineAreRefusedWithTheWayOut) {
  const Problem problem = as_pipeline(toy_problem("a:2 -> b:3", "2 devices"));
  const Plan plan = toy_plan(problem, "a@0 b@1");
  for (const ExportFormat& format : trace_exports()) {
    const auto exported = format.make({.problem = problem, .plan = plan, .source = ""});
    ASSERT_FALSE(exported.ok());
    EXPECT_NE(exported.error().message.find("export with --objective step"), std::string::npos);
  }
}

TEST(TraceExports, ManyEventsAreNotedForViewersOfJson) {
  std::string text;
  for (int i = 0; i < 50'001; ++i) text += fmt::format("o{}:1;", i);
  const Problem problem = toy_problem(text, "1 devices");
  const Plan plan{.device_of = std::vector<DeviceId>(50'001), .priority = {}, .fusions = {}};
  const ExportRequest request{.problem = problem, .plan = plan, .source = ""};
  EXPECT_EQ(trace_exports()[0].make(request).value().notes,
            std::vector<std::string>{
                "50,001 events: viewers of JSON grow slow beyond 50,000; --to perfetto is made for this"});
  EXPECT_TRUE(trace_exports()[1].make(request).value().notes.empty());
}

}  // namespace
}  // namespace berth
