// SPDX-License-Identifier: Apache-2.0
// app/learned.h in `berth`: everything is left to `berth-learned`.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/flags/env_flags.h"
#include "app/learned.h"

namespace berth::app {
namespace {

constexpr std::string_view kFolder = BERTH_LEARNED_FOLDER;  // seen from ours, when installed; empty: never built
constexpr const char* kName = "berth-learned";
constexpr std::string_view kElsewhere = BERTH_LEARNED_ELSEWHERE;  // what gets it, where it is a package of its own
// A program that builds it, set by ./run: most people never need libtorch, so it is built when somebody does.
constexpr const char* kBuilder = "BERTH_BUILD_LEARNED";

const char* builder() {
  const char* program = std::getenv(kBuilder);
  return program == nullptr || *program == '\0' || kFolder.empty() ? nullptr : program;
}

// Its words go to stderr, so that stdout is left to the command.
Status build_other_program(const char* program) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execl(program, program, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return bad_input("{} could not be built; {} says why", kName, program);
}

// The words of the command line, each with the zero behind it.
std::string own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

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

// Starts it with the words of this command line. Returns only if that is not possible; `what` is what needs it.
Error hand_over(std::string_view what) {
  if (const char* program = builder(); program != nullptr && other_program().empty()) {
    if (const Status built = build_other_program(program); !built.ok()) return built.error();
  }
  const std::string program = other_program();
  if (program.empty() && !kElsewhere.empty()) return bad_input("{} needs the learned planners: {}", what, kElsewhere);
  if (program.empty()) return bad_input("{} is not in this build; berth planners lists what is", what);
  std::string text = own_arguments();
  std::vector<char*> words;
  for (std::size_t i = 0; i < text.size(); i += std::strlen(&text[i]) + 1) words.push_back(&text[i]);
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  return bad_input("{}: cannot start it: {}", program, std::strerror(errno));
}

}  // namespace

bool has_learned_planners() { return builder() != nullptr || !other_program().empty(); }

std::string_view learned_remedy() { return has_learned_planners() ? "" : kElsewhere; }

Result<ChosenPlanner> choose_learned(std::string_view name, const LearnedFlags& /*flags*/) {
  return hand_over(fmt::format("planner '{}'", name));
}

Result<ChosenPlanner> choose_trained(const PolicyFlags& /*policy*/, const LearnedFlags& /*flags*/) {
  return hand_over("--policy");
}

Result<Exit> train(const TrainFlags& /*flags*/) { return hand_over("berth train"); }

Result<Exit> explain_policy(const ExplainFlags& /*flags*/) { return hand_over("--policy"); }

Result<std::string> worker_program() {
  const std::string program = other_program();
  return program.empty() ? own_program() : program;
}

Result<Exit> measure_worker(const std::string& /*capture*/, const std::string& /*devices*/) {
  return hand_over("running plans");
}

Result<Exit> probe(const ProbeFlags& /*flags*/) { return hand_over("berth probe"); }

}  // namespace berth::app
