// SPDX-License-Identifier: Apache-2.0
// The file: the line "berth-checkpoint/3", the number of bytes that follow, three sections (run, policy, lessons),
// each behind its length, and a checksum of all of that. Numbers are little-endian. Version 2, which is still read, has
// no names and shapes of tensors and no plans that were found ahead.
#include "runs/checkpoint.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "files/files.h"
#include "runs/byte_stream.h"
#include "runs/plan_bytes.h"

namespace berth::learn {
namespace {

constexpr std::string_view kFormat = "berth-checkpoint/";
constexpr std::string_view kHeader = "berth-checkpoint/3\n", kHeader2 = "berth-checkpoint/2\n";
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 53;  // what JSON can say

// FNV-1a, whose every step is one to one: two texts that differ in one byte never have the same checksum.
std::uint64_t checksum_of(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return sum;
}

Error corrupt(std::string_view why) { return bad_input("the checkpoint is corrupt: {}", why); }

bool are_finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

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

// A run that has done nothing has measured nothing, and one that has took time for it.
bool are_counts(const Checkpoint& checkpoint) {
  const TrainState& state = checkpoint.state;
  if (!std::isfinite(checkpoint.elapsed_s) || checkpoint.elapsed_s < 0.0) return false;
  if (state.updates == 0 && state.evaluations > 0) return false;
  return state.updates <= kMostCounted && state.evaluations <= kMostCounted;
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
  const bool is_stream = rng.words != Rng::State{}.words && std::isfinite(rng.spare_normal);
  if (!bytes.is_done() || !is_stream) return corrupt("the section of the run makes no sense");
  if (!are_counts(checkpoint)) return corrupt("its counts of updates, plans and seconds make no sense");
  state.rng = Rng::from_state(rng);
  return {};
}

std::string policy_section(const TrainState& state) {
  ByteWriter bytes;
  bytes.items(state.layout, [&](const TensorLayout& tensor) {
    bytes.text(tensor.name);
    bytes.numbers(tensor.shape);
  });
  bytes.numbers(state.values);
  bytes.number(state.adam.steps);
  bytes.numbers(state.adam.mean);
  bytes.numbers(state.adam.square);
  return std::move(bytes).take();
}

// How many numbers tensors of these shapes have; nothing if a size is absurd.
std::optional<std::uint64_t> count_of(const std::vector<TensorLayout>& layout) {
  std::uint64_t sum = 0;
  for (const TensorLayout& tensor : layout) {
    std::uint64_t count = 1;
    for (const std::int64_t size : tensor.shape) {
      if (size < 0 || (size > 0 && count > kMostCounted / static_cast<std::uint64_t>(size))) return std::nullopt;
      count *= static_cast<std::uint64_t>(size);
    }
    sum += count;
    if (sum > kMostCounted) return std::nullopt;
  }
  return sum;
}

Status read_policy(std::string_view section, bool has_layout, TrainState& state) {
  ByteReader bytes(section);
  if (has_layout) {
    constexpr std::size_t kLeast = 2 * sizeof(std::uint64_t);  // two lengths
    state.layout = bytes.items<TensorLayout>(kLeast, [&] {
      std::string name(bytes.text());
      return TensorLayout{std::move(name), bytes.numbers<std::int64_t>()};
    });
  }
  state.values = bytes.numbers<float>();
  state.adam.steps = bytes.number<std::uint64_t>();
  state.adam.mean = bytes.numbers<float>();
  state.adam.square = bytes.numbers<float>();
  const std::size_t count = state.values.size();
  const bool fits = state.adam.mean.size() == count && state.adam.square.size() == count;
  if (!bytes.is_done() || !fits || (has_layout && count_of(state.layout) != count))
    return corrupt("the section of the policy makes no sense");
  const bool is_finite = are_finite(state.values) && are_finite(state.adam.mean) && are_finite(state.adam.square);
  const auto is_negative = [](float square) { return square < 0.0F; };
  if (!is_finite || std::ranges::any_of(state.adam.square, is_negative))
    return corrupt("its policy has numbers that no training leads to");
  return {};
}

void write_scored(ByteWriter& bytes, const std::optional<ScoredPlan>& found) {
  bytes.number(found.has_value());
  if (found) write_plan(bytes, found->plan);
  write_score(bytes, found ? found->score : Score());
}

std::string lessons_section(const TrainState& state) {
  ByteWriter bytes;
  bytes.number(static_cast<std::uint64_t>(state.lessons.size()));
  for (const LessonState& lesson : state.lessons) {
    bytes.maybe(lesson.baseline);
    bytes.maybe(lesson.deviation);
    write_scored(bytes, lesson.best);
    write_scored(bytes, lesson.ahead);
  }
  return std::move(bytes).take();
}

// False if it makes no sense. Whether plan and score belong to a problem is for check_lesson() to say.
bool read_scored(ByteReader& bytes, std::optional<ScoredPlan>& found) {
  if (bytes.truth()) found.emplace().plan = read_plan(bytes);
  const Score score = read_score(bytes);
  if (found) found->score = score;
  return score.feasible != score.overflow.has_value() && (found || score == Score());  // better() relies on it
}

bool read_lesson_state(ByteReader& bytes, bool has_ahead, LessonState& lesson) {
  lesson.baseline = bytes.maybe<double>();
  lesson.deviation = bytes.maybe<double>();
  const double deviation = lesson.deviation.value_or(0.0);
  if (!std::isfinite(lesson.baseline.value_or(0.0)) || !std::isfinite(deviation) || deviation < 0.0) return false;
  if (!read_scored(bytes, lesson.best)) return false;
  if (!has_ahead) return true;
  if (!read_scored(bytes, lesson.ahead)) return false;
  return !lesson.ahead || !lesson.best || better(lesson.ahead->score, lesson.best->score);
}

Status read_lessons(std::string_view section, bool has_ahead, TrainState& state) {
  const Error nonsense = corrupt("the section of the lessons makes no sense");
  ByteReader bytes(section);
  const auto count = bytes.number<std::uint64_t>();
  if (count > section.size()) return nonsense;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!read_lesson_state(bytes, has_ahead, state.lessons.emplace_back())) return nonsense;
  }
  return bytes.is_done() ? Status() : nonsense;
}

// The sections behind the header, if all is there and nothing was changed.
Result<std::string_view> checked_contents(std::string_view file) {
  if (!file.starts_with(kHeader) && !file.starts_with(kHeader2)) {
    const std::string_view line = file.substr(0, file.find('\n'));
    if (!line.starts_with(kFormat) || line.size() > kFormat.size() + 10 || line.size() == file.size())
      return bad_input("it is not a checkpoint of berth train, or only a piece of one");
    return bad_input("it is a checkpoint of version '{}'; this build reads versions 2 and 3",
                     line.substr(kFormat.size()));
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

}  // namespace

std::string sealed_checkpoint(std::string_view contents, int version) {
  ByteWriter framed;
  framed.text(contents);
  std::string file = std::string(version == 2 ? kHeader2 : kHeader) + std::move(framed).take();
  ByteWriter checksum;
  checksum.number(checksum_of(file));
  return file += std::move(checksum).take();
}

std::string_view contents_of_checkpoint(std::string_view file) {
  constexpr std::size_t kFront = kHeader.size() + sizeof(std::uint64_t), kAround = kFront + kChecksumBytes;
  return file.size() > kAround ? file.substr(kFront, file.size() - kAround) : std::string_view();
}

std::string checkpoint_bytes(const Checkpoint& checkpoint) {
  ByteWriter sections;
  sections.text(run_section(checkpoint));
  sections.text(policy_section(checkpoint.state));
  sections.text(lessons_section(checkpoint.state));
  return sealed_checkpoint(std::move(sections).take());
}

Status write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  return write_file_atomically(path, checkpoint_bytes(checkpoint));
}

Result<Checkpoint> parse_checkpoint(std::string_view file, const std::string& fingerprint) {
  BERTH_TRY(const std::string_view contents, checked_contents(file));
  const bool is_new = file.starts_with(kHeader);
  ByteReader sections(contents);
  const std::string_view run = sections.text(), policy = sections.text(), lessons = sections.text();
  if (!sections.is_done()) return corrupt("its sections have wrong lengths");
  Checkpoint checkpoint;
  BERTH_RETURN_IF_ERROR(read_run(run, checkpoint));
  if (!fingerprint.empty() && checkpoint.fingerprint != fingerprint)
    return bad_input("it is a checkpoint of another run: graph, machine, planner or options differ");
  BERTH_RETURN_IF_ERROR(read_policy(policy, is_new, checkpoint.state));
  BERTH_RETURN_IF_ERROR(read_lessons(lessons, is_new, checkpoint.state));
  return checkpoint;
}

Result<Checkpoint> read_checkpoint(const std::string& path, const std::string& fingerprint) {
  BERTH_TRY(const std::string file, read_file(path));
  auto checkpoint = parse_checkpoint(file, fingerprint);
  if (!checkpoint) return in_file(path, checkpoint.error());
  return checkpoint;
}

}  // namespace berth::learn
