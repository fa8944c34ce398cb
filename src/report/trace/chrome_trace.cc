// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "files/json/json_writer.h"
#include "report/trace/trace_exports.h"

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

}  // namespace

std::string chrome_trace(const Trace& trace, std::string_view title) { return ChromeWriter(trace).write(title); }

}  // namespace berth
