// SPDX-License-Identifier: Apache-2.0
// The file: the line "berth-checkpoint/2", the number of bytes that follow, three sections (run, policy, lessons),
// each behind its length, and a checksum of all of that. Numbers are little-endian.
#include "learn/checkpoint.h"

#include "base/text.h"
#include "io/files.h"
#include "learn/byte_stream.h"
#include "learn/plan_bytes.h"

namespace berth::learn {
namespace {

constexpr std::string_view kFormat = "berth-checkpoint/";
constexpr std::string_view kHeader = "berth-checkpoint/2\n";
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);

// FNV-1a, whose every step is one to one: two texts that differ in one byte never have the same checksum.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return sum;
}

Error corrupt(std::string_view why) { return bad_input("the checkpoint is corrupt: {}", why); }

std::string run_section(const Checkpoint& checkpoint) {
  const TrainState& state = checkpoint.state;
  ByteWriter bytes;
  bytes.text(checkpoint.fingerprint);
  bytes.number(checkpoint.elapsed_s);
  bytes.number(state.updates);
  bytes.number(state.evaluations);
  const Rng::State& rng = state.rng.state();
  for (const std::uint64_t word : rng.words) bytes.number(word);
  bytes.number(rng.spare_normal);
  bytes.number(rng.has_spare_normal);
  return std::move(bytes).take();
}

Status read_run(std::string_view section, Checkpoint& checkpoint) {
  TrainState& state = checkpoint.state;
  ByteReader bytes(section);
  checkpoint.fingerprint = bytes.text();
  checkpoint.elapsed_s = bytes.number<double>();
  state.updates = bytes.number<std::uint64_t>();
  state.evaluations = bytes.number<std::uint64_t>();
  Rng::State rng;
  for (std::uint64_t& word : rng.words) word = bytes.number<std::uint64_t>();
  rng.spare_normal = bytes.number<double>();
  rng.has_spare_normal = bytes.truth();
  if (!bytes.is_done() || rng.words == Rng::State{}.words) return corrupt("the section of the run makes no sense");
  state.rng = Rng::from_state(rng);
  return {};
}

std::string policy_section(const TrainState& state) {
  ByteWriter bytes;
  bytes.numbers(state.values);
  bytes.number(state.adam.steps);
  bytes.numbers(state.adam.mean);
  bytes.numbers(state.adam.square);
  return std::move(bytes).take();
}

Status read_policy(std::string_view section, TrainState& state) {
  ByteReader bytes(section);
  state.values = bytes.numbers<float>();
  state.adam.steps = bytes.number<std::uint64_t>();
  state.adam.mean = bytes.numbers<float>();
  state.adam.square = bytes.numbers<float>();
  const std::size_t count = state.values.size();
  if (!bytes.is_done() || state.adam.mean.size() != count || state.adam.square.size() != count)
    return corrupt("the section of the policy makes no sense");
  return {};
}

std::string lessons_section(const TrainState& state) {
  ByteWriter bytes;
  bytes.number(static_cast<std::uint64_t>(state.lessons.size()));
  for (const LessonState& lesson : state.lessons) {
    bytes.maybe(lesson.baseline);
    bytes.maybe(lesson.deviation);
    bytes.number(lesson.best_plan.has_value());
    if (lesson.best_plan) write_plan(bytes, *lesson.best_plan);
    write_score(bytes, lesson.best_score);
  }
  return std::move(bytes).take();
}

Status read_lessons(std::string_view section, TrainState& state) {
  const Error nonsense = corrupt("the section of the lessons makes no sense");
  ByteReader bytes(section);
  const auto count = bytes.number<std::uint64_t>();
  if (count > section.size()) return nonsense;
  for (std::uint64_t i = 0; i < count; ++i) {
    LessonState& lesson = state.lessons.emplace_back();
    lesson.baseline = bytes.maybe<double>();
    lesson.deviation = bytes.maybe<double>();
    if (bytes.truth()) lesson.best_plan = read_plan(bytes);
    lesson.best_score = read_score(bytes);
    const bool is_known = lesson.best_score.feasible || lesson.best_score.overflow;  // better() relies on it
    if (!is_known) return nonsense;
  }
  return bytes.is_done() ? Status() : nonsense;
}

// The sections behind the header, if all is there and nothing was changed.
Result<std::string_view> checked_contents(std::string_view file) {
  if (!file.starts_with(kHeader)) {
    const std::string_view line = file.substr(0, file.find('\n'));
    if (!line.starts_with(kFormat) || line.size() > kFormat.size() + 10 || line.size() == file.size())
      return bad_input("it is not a checkpoint of berth train, or only a piece of one");
    return bad_input("it is a checkpoint of version '{}'; this build reads version 2", line.substr(kFormat.size()));
  }
  const std::string_view behind = file.substr(kHeader.size());
  const auto stated = ByteReader(behind.substr(0, sizeof(std::uint64_t))).number<std::uint64_t>();
  const std::size_t fixed = sizeof stated + kChecksumBytes;
  if (behind.size() < fixed || stated != behind.size() - fixed)
    return corrupt(fmt::format("it has {} behind the header, not what it states", counted(behind.size(), "byte")));
  const std::string_view checked = file.substr(0, file.size() - kChecksumBytes);
  if (checksum_of(checked) != ByteReader(file.substr(checked.size())).number<std::uint64_t>())
    return corrupt("its checksum is wrong");
  return checked.substr(kHeader.size() + sizeof stated);
}

Result<Checkpoint> parse(std::string_view file, const std::string& fingerprint) {
  BERTH_TRY(const std::string_view contents, checked_contents(file));
  ByteReader sections(contents);
  const std::string_view run = sections.text(), policy = sections.text(), lessons = sections.text();
  if (!sections.is_done()) return corrupt("its sections have wrong lengths");
  Checkpoint checkpoint;
  BERTH_RETURN_IF_ERROR(read_run(run, checkpoint));
  if (!fingerprint.empty() && checkpoint.fingerprint != fingerprint)
    return bad_input("it is a checkpoint of another run: graph, machine, planner or options differ");
  BERTH_RETURN_IF_ERROR(read_policy(policy, checkpoint.state));
  BERTH_RETURN_IF_ERROR(read_lessons(lessons, checkpoint.state));
  return checkpoint;
}

}  // namespace

Status write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  ByteWriter sections;
  sections.text(run_section(checkpoint));
  sections.text(policy_section(checkpoint.state));
  sections.text(lessons_section(checkpoint.state));
  ByteWriter framed;
  framed.text(std::move(sections).take());
  std::string file = std::string(kHeader) + std::move(framed).take();
  ByteWriter checksum;
  checksum.number(checksum_of(file));
  return write_file_atomically(path, file += std::move(checksum).take());
}

Result<Checkpoint> read_checkpoint(const std::string& path, const std::string& fingerprint) {
  BERTH_TRY(const std::string file, read_file(path));
  auto checkpoint = parse(file, fingerprint);
  if (!checkpoint) return in_file(path, checkpoint.error());
  return checkpoint;
}

}  // namespace berth::learn
