// SPDX-License-Identifier: Apache-2.0
// The page that shows a report: web/ as the build has bundled it.
#pragma once

#include <string_view>

namespace berth::report {

struct Page {
  std::string_view html, style, script;  // html has the marks {{title}} {{style}} {{report}} {{data}} {{script}}
};

Page page();  // empty in builds without it

}  // namespace berth::report
