// SPDX-License-Identifier: Apache-2.0
#include "runs/tensorboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "files/files.h"
#include "files/protobuf/wire.h"

namespace berth::learn {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? value >> 1 ^ 0x82f63b78U : value >> 1;
    table[byte] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kCrcTable = crc_table();

template <typename Number>
std::string little_endian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xffU);
  return bytes;
}

std::string record(std::string_view message) {
  const std::string length = little_endian(static_cast<std::uint64_t>(message.size()));
  return length + little_endian(masked(crc32c(length))) + std::string(message) + little_endian(masked(crc32c(message)));
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80U; number >>= 7) bytes += static_cast<char>((number & 0x7fU) | 0x80U);
  return bytes += static_cast<char>(number);
}

// Fields of Event: wall_time 1 (double), step 2 (int64), file_version 3, summary 5.
std::string event_start() {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return std::string(1, '\x09').append(little_endian(std::bit_cast<std::uint64_t>(now.count())));
}

// A Value of a Summary: tag 1, simple_value 2 (float).
void add_scalar(std::string& summary, std::string_view tag, double number) {
  const std::string value = little_endian(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  summary += wire_field(1, wire_field(1, tag).append("\x15").append(value));
}

std::string summary_of(const UpdateFacts& facts) {
  std::string summary;
  add_scalar(summary, "reward/mean", facts.mean_reward);
  add_scalar(summary, "reward/deviation", facts.reward_deviation);
  add_scalar(summary, "reward/baseline", facts.baseline);
  if (facts.fitting > 0) add_scalar(summary, "time/mean_s", facts.mean_time_s);
  if (facts.best_s) add_scalar(summary, "time/best_s", *facts.best_s);
  add_scalar(summary, "plans/evaluations", static_cast<double>(facts.evaluations));
  if (facts.plans > 0) add_scalar(summary, "plans/fitting", static_cast<double>(facts.fitting) / facts.plans);
  add_scalar(summary, "policy/grouping_entropy", facts.entropies.grouping);
  add_scalar(summary, "policy/placing_entropy", facts.entropies.placing);
  add_scalar(summary, "policy/used_groups", facts.used_groups);
  add_scalar(summary, "training/gradient_norm", facts.gradient_norm);
  add_scalar(summary, "training/rate", facts.rate);
  add_scalar(summary, "training/noise", facts.noise);
  return summary;
}

// Never one that is there: a run that goes on adds a file, and TensorBoard shows all of a folder as one.
int open_new(const std::string& folder, std::string& path) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  for (int attempt = 0;; ++attempt) {
    const std::string name =
        fmt::format("events.out.tfevents.{:010}.berth.{}.{}", seconds.count(), ::getpid(), attempt);
    path = (std::filesystem::path(folder) / name).string();
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST || attempt == 1000) return descriptor;
  }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) crc = crc >> 8 ^ kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xffU];
  return ~crc;
}

Result<TensorBoardFile> TensorBoardFile::create(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return in_file(folder, bad_input("cannot make the folder: {}", failed.message()));
  std::string path;
  const int descriptor = open_new(folder, path);
  if (descriptor < 0) {
    return in_file(path, bad_input("cannot open it for writing: {}", std::generic_category().message(errno)));
  }
  TensorBoardFile file(AppendedFile{descriptor, path});
  BERTH_RETURN_IF_ERROR(file.file_.append(record(event_start() + wire_field(3, "brain.Event:2"))));
  return file;
}

Status TensorBoardFile::add(const UpdateFacts& facts) {
  return file_.append(record(event_start() + "\x10" + varint(facts.update) + wire_field(5, summary_of(facts))));
}

}  // namespace berth::learn
