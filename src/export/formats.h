// SPDX-License-Identifier: Apache-2.0
// The formats, one file each: export_dot() is in dot.cc, and so on; exporter.cc has their table. What each holds, and
// what it cannot express, is in docs/exports.md.
#pragma once

#include "export/exporter.h"

namespace berth {

Result<Exported> export_accelerate(const ExportRequest& request);
Result<Exported> export_csv(const ExportRequest& request);
Result<Exported> export_dot(const ExportRequest& request);
Result<Exported> export_model_explorer(const ExportRequest& request);
Result<Exported> export_openvino(const ExportRequest& request);
Result<Exported> export_ort(const ExportRequest& request);
Result<Exported> export_ort_stages(const ExportRequest& request);
Result<Exported> export_tensorflow(const ExportRequest& request);

}  // namespace berth
