// SPDX-License-Identifier: Apache-2.0
#include "learn/metrics.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "io/files.h"
#include "io/json_writer.h"

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
  if (error != std::errc() || *stop != ',') return std::nullopt;
  return update;
}

// Bytes of the lines at the front that belong to the first `updates` updates.
Result<std::size_t> bytes_to_keep(std::string_view text, std::uint64_t updates) {
  std::size_t kept = 0;
  for (int line = 1;; ++line) {
    const std::size_t end = text.find('\n', kept);
    if (end == std::string_view::npos) return kept;
    const auto update = update_of(text.substr(kept, end - kept));
    if (!update) return bad_input("line {} is no metrics of an update; move the file away to go on without it", line);
    if (*update > updates) return kept;
    kept = end + 1;
  }
}

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

Result<MetricsFile> MetricsFile::open(const std::string& path, std::uint64_t updates) {
  std::size_t kept = 0;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    BERTH_TRY(const std::string text, read_file(path));
    const Result<std::size_t> keep = bytes_to_keep(text, updates);
    if (!keep) return in_file(path, keep.error());
    kept = *keep;
  }
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
