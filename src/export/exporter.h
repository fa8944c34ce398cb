// SPDX-License-Identifier: Apache-2.0
// Exports: a plan in the form that some runtime or viewer takes. Every format is one function in one row of a table
// (plan_exports(), and report/trace for what needs a simulation); help, errors, documentation and tests loop over it.
//
// An export is made in memory first, as a list of files and of notes, and written afterwards: nothing is written if
// anything about it is wrong. A note says where the runtime cannot express the plan, for which ops, and what was done
// instead.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/files.h"
#include "import/model_file.h"
#include "problem/problem.h"

namespace berth {

struct ExportRequest {
  const Problem& problem;
  const Plan& plan;                               // passes verify()
  std::string source;                             // GRAPH as the user gives it: the file of a model, or else
  std::map<std::string, std::string> names = {};  // of devices in the runtime, by their names in the machine
  std::string module_prefix = {};                 // path of the runtime's model within the modules of the graph
  ImportOptions import = {};                      // what the file of a model leaves open, as for reading it
};

struct ExportedFile {
  std::string name = {};  // inside the folder; empty for a format of one file
  std::string text = {};
  // Instead of the text: stretches of `source` and new bytes.
  std::string source = {};
  std::vector<FilePart> parts = {};
  bool is_copy = false;  // the whole of `source`, without parts
};

struct Exported {
  std::vector<ExportedFile> files = {};
  std::vector<std::string> notes = {};
};

struct TrainingExportRequest;  // export/training/training_exports.h

struct ExportFormat {
  std::string_view name;
  std::string_view summary;                                  // one line: what it is for
  bool is_folder = false;                                    // OUT is a folder
  std::string_view takes = {};                               // endings of GRAPH, separated by blanks; empty: any graph
  Result<Exported> (*make)(const ExportRequest&) = nullptr;  // of a plan
  std::string_view runtime = {};   // that runs the plan; none: it is for people and other programs to look at
  bool runs_by_regions = false;    // the runtime runs one region of ops after the other (OpenVINO's HETERO)
  bool speaks_of_modules = false;  // so that a prefix of their paths may be left out (ExportRequest::module_prefix)
  Result<Exported> (*make_of_pipeline)(const TrainingExportRequest&) = nullptr;  // instead: takes pipelines, not plans
};

std::span<const ExportFormat> plan_exports();  // sorted by name

// Writes all files: to `output`, or into the folder `output`, which is made if need be. All are written before the
// first takes its place; others in the folder stay. After an error (links in the folder that lead out of it, a file
// that the export is made of would be replaced, a full disk) everything is as it was.
Status save_export(const ExportFormat& format, const Exported& exported, const std::string& output);

// The one file of a format that has no folder.
Exported one_file(std::string text, std::vector<std::string> notes = {});

}  // namespace berth
