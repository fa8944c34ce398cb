// SPDX-License-Identifier: Apache-2.0
// The small real problems of problems/exact with their proved optima (docs/exact-set.md).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "files/files.h"
#include "files/json/json_reader.h"
#include "import/problems/public_problem.h"
#include "support/folders.h"

namespace berth::exact_set {

inline const std::filesystem::path kSet = source_folder() / "problems" / "exact";

inline std::map<std::string, Picoseconds> optima() {
  JsonDocument document = JsonDocument::open(read_file((kSet / "optima.json").string()).value()).value();
  std::map<std::string, Picoseconds> found;
  const Status status =
      document.member("step_time_s")->for_each_member([&](std::string_view name, const JsonValue& value) {
        found[std::string(name)] = to_picoseconds(value.number().value());
        return Status();
      });
  EXPECT_TRUE(status);
  return found;
}

inline Problem load(const std::string& name) {
  return load_public_problem((kSet / (name + ".json.gz")).string()).value();
}

}  // namespace berth::exact_set
