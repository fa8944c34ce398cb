// SPDX-License-Identifier: Apache-2.0
// Formats of traces, for the table of exports.
#pragma once

#include "export/exporter.h"
#include "report/trace/trace.h"

namespace berth {

std::span<const ExportFormat> trace_exports();  // sorted by name

// Trace Event Format, JSON: chrome://tracing and Perfetto read it.
std::string chrome_trace(const Trace& trace, std::string_view title);
// Perfetto's own format, TrackEvent in protobuf.
std::string perfetto_trace(const Trace& trace);

}  // namespace berth
