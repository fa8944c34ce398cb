// SPDX-License-Identifier: Apache-2.0
// app/learned.h in `berth`: everything is left to `berth-learned`.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/learned.h"
#include "app/light/hand_over.h"

namespace berth::app {
namespace {

constexpr std::string_view kFolder = BERTH_LEARNED_FOLDER;  // seen from ours, when installed; empty: never built
constexpr const char* kName = "berth-learned";

// The words of the command line, each with the zero behind it.
std::string own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

// The other program: beside this one in a build, or where it is installed. Empty if it is not there.
std::string other_program() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error || kFolder.empty()) return "";
  for (const std::filesystem::path& path : {folder / kName, folder / kFolder / kName}) {
    if (access(path.c_str(), X_OK) == 0) return path.string();
  }
  return "";
}

Error hand_over(std::string_view what) {
  const std::string program = other_program();
  if (program.empty()) return bad_input("{} is not in this build; berth planners lists what is", what);
  std::string text = own_arguments();
  std::vector<char*> words;
  for (std::size_t i = 0; i < text.size(); i += std::strlen(&text[i]) + 1) words.push_back(&text[i]);
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  return bad_input("{}: cannot start it: {}", program, std::strerror(errno));
}

bool has_learned_planners() { return !other_program().empty(); }

Result<ChosenPlanner> choose_learned(std::string_view name, const LearnedFlags& /*flags*/) {
  return hand_over(fmt::format("planner '{}'", name));
}

Result<ChosenPlanner> choose_trained(const PolicyFlags& /*policy*/, const LearnedFlags& /*flags*/) {
  return hand_over("--policy");
}

Result<Exit> train(const TrainFlags& /*flags*/) { return hand_over("berth train"); }

Result<Exit> explain_policy(const ExplainFlags& /*flags*/) { return hand_over("--policy"); }

}  // namespace berth::app
