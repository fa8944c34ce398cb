// SPDX-License-Identifier: Apache-2.0
#include "services/export/export_formats.h"

#include <algorithm>

#include "base/text.h"
#include "report/trace/trace_exports.h"

namespace berth {

std::vector<ExportFormat> export_formats() {
  std::vector<ExportFormat> formats(plan_exports().begin(), plan_exports().end());
  formats.insert(formats.end(), trace_exports().begin(), trace_exports().end());
  std::ranges::sort(formats, {}, &ExportFormat::name);
  return formats;
}

Result<ExportFormat> find_export_format(std::string_view name) {
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  return bad_input("no export format named '{}'; there are: {}{}", name, join(names, ", "),
                   did_you_mean(name, std::span<const std::string>(names)));
}

}  // namespace berth
