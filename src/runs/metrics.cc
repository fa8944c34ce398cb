// SPDX-License-Identifier: Apache-2.0
#include "runs/metrics.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"

namespace berth::learn {
namespace {

constexpr std::string_view kLineStart = "{\"update\": ";

Error system_error(const std::string& path, std::string_view what) {
  return in_file(path, bad_input("{}: {}", what, std::generic_category().message(errno)));
}

// The update that a line is about; nothing if it is no line of ours.
std::optional<std::uint64_t> update_of(std::string_view line) {
  if (!line.starts_with(kLineStart) || !line.ends_with('}')) return std::nullopt;
  line.remove_prefix(kLineStart.size());
  std::uint64_t update = 0;
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), update);
  if (error != std::errc() || *stop != ',' || update == 0) return std::nullopt;
  return update;
}

// The plans that a line counts. All it has are numbers, or null where there is none.
Result<std::uint64_t> evaluations_of(std::string_view line) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(fmt::format("{{\"line\": {}}}", line)));
  BERTH_TRY(const JsonValue members, document.member("line"));
  std::optional<std::uint64_t> evaluations;
  const auto read_member = [&](std::string_view key, const JsonValue& value) -> Status {
    if (!value.is_null()) BERTH_RETURN_IF_ERROR(value.number());
    if (key != "evaluations") return {};
    if (evaluations) return value.error("it is there twice");
    BERTH_TRY(evaluations, value.integer());
    return {};
  };
  BERTH_RETURN_IF_ERROR(members.for_each_member(read_member));
  if (!evaluations) return bad_input("it counts no plans");
  return *evaluations;
}

// Goes through the lines of a file in their order.
class LinesOfRun {
 public:
  explicit LinesOfRun(const Progress& done) : done_(done) {}

  // Whether the line is one of what was done; an error if it cannot be one of this run.
  Result<bool> takes(std::string_view line) {
    ++number_;
    const auto update = update_of(line);
    if (!update) return error("is no metrics of an update");
    if (*update > done_.updates) return false;
    if (before_.updates > 0 && *update != before_.updates + 1)
      return error(fmt::format("is update {} behind update {}", *update, before_.updates));
    const auto evaluations = evaluations_of(line);
    if (!evaluations) return error("is no metrics of an update");
    const bool is_last = *update == done_.updates;
    if (*evaluations < before_.evaluations ||
        (is_last ? *evaluations != done_.evaluations : *evaluations > done_.evaluations))
      return error(fmt::format("counts {} plans, the checkpoint has {} after update {}", *evaluations,
                               done_.evaluations, done_.updates));
    before_ = {*update, *evaluations};
    return true;
  }

 private:
  [[nodiscard]] Error error(std::string_view what) const {
    return bad_input("line {} {}; move the file away to go on without it", number_, what);
  }
  Progress done_, before_;
  int number_ = 0;
};

}  // namespace

AppendedFile::~AppendedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
AppendedFile::AppendedFile(AppendedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}
AppendedFile& AppendedFile::operator=(AppendedFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

Status AppendedFile::append(std::string_view bytes) {
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      Error error = system_error(path_, "cannot write it");
      if (before < 0 || ::ftruncate(descriptor_, before) != 0) error.message += "; its end may be cut";
      return error;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::string metrics_line(const UpdateFacts& facts, double elapsed_s) {
  JsonWriter json;
  json.begin_object().key("update").value(facts.update).key("evaluations").value(facts.evaluations);
  json.key("elapsed_s").value(elapsed_s);
  json.key("mean_reward").value(facts.mean_reward).key("reward_deviation").value(facts.reward_deviation);
  json.key("baseline").value(facts.baseline);
  json.key("mean_time_s").value(facts.fitting > 0 ? std::optional(facts.mean_time_s) : std::nullopt);
  json.key("plans").value(facts.plans).key("fitting").value(facts.fitting);
  json.key("gradient_norm").value(facts.gradient_norm).key("rate").value(facts.rate).key("noise").value(facts.noise);
  json.key("grouping_entropy").value(facts.entropies.grouping);
  json.key("most_grouping_entropy").value(facts.entropies.most_grouping);
  json.key("placing_entropy").value(facts.entropies.placing);
  json.key("most_placing_entropy").value(facts.entropies.most_placing);
  json.key("used_groups").value(facts.used_groups).key("best_s").value(facts.best_s);
  json.key("sample_s").value(facts.sample_s).key("prepare_s").value(facts.prepare_s);
  json.key("wait_s").value(facts.wait_s).key("gradient_s").value(facts.gradient_s).key("step_s").value(facts.step_s);
  json.end_object();
  return std::move(json).take();
}

Result<std::size_t> metrics_to_keep(std::string_view text, const Progress& done) {
  LinesOfRun lines(done);
  std::size_t kept = 0;
  for (;;) {
    const std::size_t end = text.find('\n', kept);
    if (end == std::string_view::npos) return kept;
    BERTH_TRY(const bool is_taken, lines.takes(text.substr(kept, end - kept)));
    if (!is_taken) return kept;
    kept = end + 1;
  }
}

Result<std::size_t> read_metrics(const std::string& path, const Progress& done) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::size_t{0};
  BERTH_TRY(const std::string text, read_file(path));
  const Result<std::size_t> kept = metrics_to_keep(text, done);
  if (!kept) return in_file(path, kept.error());
  return kept;
}

Result<MetricsFile> MetricsFile::open(const std::string& path, std::size_t kept) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return system_error(path, "cannot open it for writing");
  AppendedFile file(descriptor, path);
  if (::ftruncate(descriptor, static_cast<off_t>(kept)) != 0) return system_error(path, "cannot shorten it");
  return MetricsFile(std::move(file));
}

Status MetricsFile::add(const UpdateFacts& facts, double elapsed_s) {
  return file_.append(metrics_line(facts, elapsed_s));
}

}  // namespace berth::learn
