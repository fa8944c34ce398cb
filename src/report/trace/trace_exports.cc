// SPDX-License-Identifier: Apache-2.0
#include "report/trace/trace_exports.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "files/json/json_writer.h"
#include "files/protobuf/wire.h"
#include "files/protobuf/wire_parts.h"
#include "sim/simulator.h"

namespace berth {
namespace {

constexpr double kPicosecondsPerMicrosecond = 1e6;

double microseconds(Picoseconds time) { return static_cast<double>(time) / kPicosecondsPerMicrosecond; }

class ChromeWriter {
 public:
  explicit ChromeWriter(const Trace& trace) : trace_(trace) {}

  std::string write(std::string_view title) {
    json_.begin_object(JsonLayout::kLines).key("displayTimeUnit").value("ms");
    json_.key("otherData").begin_object().key("title").value(title).end_object();
    json_.key("traceEvents").begin_array(JsonLayout::kLines);
    for (std::size_t i = 0; i < trace_.processes.size(); ++i) name("process_name", i, 0, trace_.processes[i]);
    for (std::size_t i = 0; i < trace_.tracks.size(); ++i) {
      name("thread_name", trace_.tracks[i].process, i + 1, trace_.tracks[i].name);
    }
    for (const TraceSlice& slice : trace_.slices) add_slice(slice);
    for (std::size_t i = 0; i < trace_.flows.size(); ++i) add_flow(i);
    for (const TraceCounter& counter : trace_.counters) add_counter(counter);
    json_.end_array().end_object();
    return std::move(json_).take();
  }

 private:
  void begin(std::string_view phase, std::string_view name, std::size_t process) {
    json_.begin_object().key("ph").value(phase).key("name").value(name).key("pid").value(process);
  }

  void name(std::string_view what, std::size_t process, std::size_t track, const std::string& text) {
    begin("M", what, process);
    json_.key("tid").value(track).key("args").begin_object().key("name").value(text).end_object().end_object();
  }

  void add_slice(const TraceSlice& slice) {
    begin("X", slice.name, trace_.tracks[slice.track].process);
    json_.key("tid").value(slice.track + 1).key("cat").value(slice.category);
    json_.key("ts").value(microseconds(slice.start)).key("dur").value(microseconds(slice.end - slice.start));
    json_.key("args").begin_object();
    if (!slice.detail.empty()) json_.key("type").value(slice.detail);
    if (slice.bytes > 0) json_.key("bytes").value(slice.bytes);
    json_.end_object().end_object();
  }

  // A flow binds to the slice that holds its time: the middle is safe from rounding.
  void add_flow_end(std::string_view phase, std::size_t flow, const TraceSlice& slice) {
    begin(phase, "tensor", trace_.tracks[slice.track].process);
    json_.key("tid").value(slice.track + 1).key("cat").value("tensor").key("id").value(flow);
    if (phase == "f") json_.key("bp").value("e");
    json_.key("ts").value(microseconds(slice.start + (slice.end - slice.start) / 2)).end_object();
  }

  void add_flow(std::size_t number) {
    const TraceFlow& flow = trace_.flows[number];
    add_flow_end("s", number, trace_.slices[flow.begin]);
    for (const std::uint32_t slice : flow.between) add_flow_end("t", number, trace_.slices[slice]);
    add_flow_end("f", number, trace_.slices[flow.end]);
  }

  void add_counter(const TraceCounter& counter) {
    for (const auto& [time, bytes] : counter.values) {
      begin("C", counter.name, counter.process);
      json_.key("ts").value(microseconds(time));
      json_.key("args").begin_object().key("bytes").value(bytes).end_object().end_object();
    }
  }

  const Trace& trace_;
  JsonWriter json_;
};

// Numbers of messages and fields are those of Perfetto's public trace protocol: trace_packet.proto, track_event.proto
// and track_descriptor.proto.
constexpr std::uint64_t kSequence = 1;
constexpr Picoseconds kPicosecondsPerNanosecond = 1000;

enum PacketField : std::uint32_t { kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kTrackDescriptor = 60 };
enum TrackField : std::uint32_t { kUuid = 1, kName = 2, kProcess = 3, kParent = 5, kCounter = 8 };
enum ProcessField : std::uint32_t { kPid = 1, kProcessName = 6 };
enum EventField : std::uint32_t {
  kAnnotation = 4,
  kType = 9,
  kTrackUuid = 11,
  kCategory = 22,
  kEventName = 23,
  kCounterValue = 30,
  kFlow = 47,
  kEndingFlow = 48
};
enum AnnotationField : std::uint32_t { kInteger = 4, kText = 6, kKey = 10 };
enum EventType : std::uint64_t { kBegin = 1, kEnd = 2, kCount = 4 };
constexpr std::uint32_t kCounterUnit = 3;
constexpr std::uint64_t kUnitBytes = 3;

std::uint64_t nanoseconds(Picoseconds time) { return static_cast<std::uint64_t>(time / kPicosecondsPerNanosecond); }

std::string fixed64(std::uint32_t field, std::uint64_t number) {
  std::string bytes = wire_varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(WireType::kFixed64));
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
  return bytes;
}

class PerfettoWriter {
 public:
  explicit PerfettoWriter(const Trace& trace) : trace_(trace) {}

  std::string write() {
    describe_tracks();
    for (std::uint32_t i = 0; i < trace_.slices.size(); ++i) add_slice(i);
    for (std::size_t i = 0; i < trace_.counters.size(); ++i) add_counter(i);
    std::ranges::stable_sort(events_, {}, [](const Event& event) { return std::pair(event.time, event.phase); });
    for (const Event& event : events_) {
      add_packet(wire_number(kTimestamp, event.time) + wire_field(kTrackEvent, event.bytes));
    }
    return std::move(text_);
  }

 private:
  // Viewers take packets of one sequence in their order: at one time first what ends, then what begins, and last the
  // ends of slices that are shorter than the clock's step.
  enum Phase { kEnds, kBegins, kEndsAtOnce };
  struct Event {
    std::uint64_t time = 0;
    Phase phase = kEnds;
    std::string bytes;
  };

  // Numbers of tracks: processes, then their tracks, then counters; 0 is nobody.
  [[nodiscard]] std::uint64_t process_uuid(std::uint64_t process) const { return 1 + process; }
  [[nodiscard]] std::uint64_t track_uuid(std::uint64_t track) const { return 1 + trace_.processes.size() + track; }
  [[nodiscard]] std::uint64_t counter_uuid(std::uint64_t counter) const {
    return track_uuid(trace_.tracks.size()) + counter;
  }

  void add_packet(const std::string& fields) { text_ += wire_field(1, fields + wire_number(kSequenceId, kSequence)); }

  void describe_tracks() {
    for (std::size_t i = 0; i < trace_.processes.size(); ++i) {
      const std::string process = wire_number(kPid, i + 1) + wire_field(kProcessName, trace_.processes[i]);
      add_packet(wire_field(kTrackDescriptor, wire_number(kUuid, process_uuid(i)) + wire_field(kProcess, process)));
    }
    for (std::size_t i = 0; i < trace_.tracks.size(); ++i) {
      describe(track_uuid(i), trace_.tracks[i].process, trace_.tracks[i].name, {});
    }
    for (std::size_t i = 0; i < trace_.counters.size(); ++i) {
      describe(counter_uuid(i), trace_.counters[i].process, trace_.counters[i].name,
               wire_field(kCounter, wire_number(kCounterUnit, kUnitBytes)));
    }
  }

  void describe(std::uint64_t uuid, std::uint32_t process, const std::string& name, const std::string& more) {
    add_packet(wire_field(kTrackDescriptor, wire_number(kUuid, uuid) + wire_field(kName, name) +
                                                wire_number(kParent, process_uuid(process)) + more));
  }

  void add_slice(std::uint32_t number) {
    const TraceSlice& slice = trace_.slices[number];
    const std::string track = wire_number(kTrackUuid, track_uuid(slice.track));
    std::string begin =
        wire_number(kType, kBegin) + track + wire_field(kCategory, slice.category) + wire_field(kEventName, slice.name);
    if (!slice.detail.empty()) {
      begin += wire_field(kAnnotation, wire_field(kKey, "type") + wire_field(kText, slice.detail));
    }
    if (slice.bytes > 0) {
      begin += wire_field(kAnnotation,
                          wire_field(kKey, "bytes") + wire_number(kInteger, static_cast<std::uint64_t>(slice.bytes)));
    }
    for (const std::uint64_t flow : slice.flows) {
      begin += fixed64(trace_.flows[flow].end == number ? kEndingFlow : kFlow, flow + 1);
    }
    const std::uint64_t start = nanoseconds(slice.start), end = nanoseconds(slice.end);
    events_.push_back({start, kBegins, std::move(begin)});
    events_.push_back({end, start == end ? kEndsAtOnce : kEnds, wire_number(kType, kEnd) + track});
  }

  void add_counter(std::size_t number) {
    const std::string head = wire_number(kType, kCount) + wire_number(kTrackUuid, counter_uuid(number));
    for (const auto& [time, bytes] : trace_.counters[number].values) {
      events_.push_back(
          {nanoseconds(time), kEnds, head + wire_number(kCounterValue, static_cast<std::uint64_t>(bytes))});
    }
  }

  const Trace& trace_;
  std::vector<Event> events_;
  std::string text_;
};

constexpr std::size_t kManyEvents = 50'000;  // beyond, viewers of JSON grow slow

Result<Trace> simulated(const ExportRequest& request) {
  if (request.problem.objective() == Objective::kPipeline) {
    return bad_input("the objective 'pipeline' adds up loads and has no timeline; export with --objective step");
  }
  return make_trace(request.problem, request.plan, simulate_timeline(request.problem, request.plan));
}

Result<Exported> export_chrome(const ExportRequest& request) {
  BERTH_TRY(const Trace trace, simulated(request));
  std::vector<std::string> notes;
  if (trace.slices.size() > kManyEvents) {
    notes.push_back(fmt::format("{}: viewers of JSON grow slow beyond {}; --to perfetto is made for this",
                                counted(trace.slices.size(), "event"), group_digits(kManyEvents)));
  }
  return one_file(chrome_trace(trace, request.problem.graph().title()), std::move(notes));
}

Result<Exported> export_perfetto(const ExportRequest& request) {
  BERTH_TRY(const Trace trace, simulated(request));
  return one_file(perfetto_trace(trace));
}

}  // namespace

std::string chrome_trace(const Trace& trace, std::string_view title) { return ChromeWriter(trace).write(title); }

std::string perfetto_trace(const Trace& trace) { return PerfettoWriter(trace).write(); }

std::span<const ExportFormat> trace_exports() {
  static constexpr std::array kFormats{
      ExportFormat{"chrome", "the simulated timeline as JSON for chrome://tracing and Perfetto", false, "",
                   export_chrome},
      ExportFormat{"perfetto", "the simulated timeline for ui.perfetto.dev (.pftrace), with counters and flows", false,
                   "", export_perfetto},
  };
  return kFormats;
}

}  // namespace berth
