// SPDX-License-Identifier: Apache-2.0
// With BERTH_REPORT the build writes page() itself (cmake/BerthWeb.cmake).
#include "report/page.h"

#if !BERTH_REPORT

namespace berth::report {

Page page() { return {}; }

}  // namespace berth::report

#endif
