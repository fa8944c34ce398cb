// SPDX-License-Identifier: Apache-2.0
// Numbers of messages and fields are those of Perfetto's public trace protocol: trace_packet.proto, track_event.proto
// and track_descriptor.proto.
#include <algorithm>

#include "files/protobuf/wire.h"
#include "files/protobuf/wire_parts.h"
#include "report/trace/trace_exports.h"

namespace berth {
namespace {

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

}  // namespace

std::string perfetto_trace(const Trace& trace) { return PerfettoWriter(trace).write(); }

}  // namespace berth
