// SPDX-License-Identifier: Apache-2.0
#include "serving/files/llama_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "files/json/json_reader.h"

namespace berth {
namespace {

constexpr std::size_t kMostSpeeds = 10'000;
constexpr double kFastest = 1e12;  // tokens a second
constexpr std::string_view kNoTests = "it printed no JSON list of tests (llama-bench -o json)";

Result<double> positive_rate(const JsonValue& value) {
  BERTH_TRY(const double rate, value.number());
  if (rate > 0.0 && rate < kFastest) return rate;
  return value.expected("a speed in tokens a second");
}

Result<double> median_rate(const JsonValue& samples) {
  std::vector<double> rates;
  BERTH_RETURN_IF_ERROR(samples.for_each([&](const JsonValue& sample) -> Status {
    if (rates.size() == kMostSpeeds) return samples.error("too many");
    BERTH_TRY(const double rate, positive_rate(sample));
    rates.push_back(rate);
    return {};
  }));
  if (rates.empty()) return samples.error("no samples");
  std::ranges::sort(rates);
  const std::size_t middle = rates.size() / 2;
  return rates.size() % 2 == 1 ? rates[middle] : (rates[middle - 1] + rates[middle]) / 2.0;
}

Result<BenchSpeed> read_speed(const JsonValue& test) {
  constexpr std::array<std::string_view, 5> kNames{"n_prompt", "n_gen", "n_depth", "avg_ts", "samples_ts"};
  BenchSpeed speed;
  double average = 0.0;
  const auto read = [&](std::size_t field, const JsonValue& value) -> Status {
    if (field == 3) {
      BERTH_TRY(average, positive_rate(value));
    } else if (field == 4) {
      BERTH_TRY(speed.tokens_per_s, median_rate(value));
    } else {
      std::int64_t& into = field == 0 ? speed.prompt : field == 1 ? speed.answer : speed.depth;
      BERTH_TRY(into, value.integer());
    }
    return {};
  };
  BERTH_TRY(const std::uint32_t seen, test.fields(kNames, UnknownFields::kIgnore, read));
  if ((seen & 3U) != 3U) return test.error("a test needs n_prompt and n_gen");
  if (speed.tokens_per_s == 0.0) speed.tokens_per_s = average;
  if (speed.tokens_per_s == 0.0) return test.error("a test needs samples_ts or avg_ts");
  return speed;
}

}  // namespace

std::vector<std::string> bench_words(const LlamaFlags& flags, const RuntimeDevices& devices) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view flag, std::string value) {
    words.emplace_back(flag);
    words.push_back(std::move(value));
  };
  if (!devices.servers().empty()) add("-rpc", join(devices.servers(), ","));
  add("-ngl", fmt::format("{}", flags.gpu_layers.value_or(999)));
  std::vector<std::string> names, shares, patterns;
  for (const DeviceId device : flags.devices) names.push_back(devices.device_name(device));
  for (const double share : flags.split) shares.push_back(fmt::format("{:g}", share));
  for (const TensorPattern& pattern : flags.patterns) {
    patterns.push_back(fmt::format("{}={}", pattern.regex, devices.buffer_of(pattern.device)));
  }
  if (flags.has_no_devices) add("-dev", "none");
  if (!names.empty()) add("-dev", join(names, "/"));
  if (names.size() > 1) add("-ts", join(shares, "/"));
  if (flags.prompt_batch) {
    add("-b", fmt::format("{}", std::max(kUsualLogicalBatch, *flags.prompt_batch)));
    add("-ub", fmt::format("{}", *flags.prompt_batch));
  }
  if (!flags.value_type.empty()) add("-fa", "on");
  if (!flags.key_type.empty()) add("-ctk", flags.key_type);
  if (!flags.value_type.empty()) add("-ctv", flags.value_type);
  if (flags.cpu_experts) {
    add("-ncmoe", fmt::format("{}", *flags.cpu_experts));
  } else if (!patterns.empty()) {
    add("-ot", join(patterns, ";"));
  }
  return words;
}

Result<std::vector<BenchSpeed>> read_bench_speeds(const std::string& text) {
  std::vector<BenchSpeed> speeds;
  if (!trim(text).starts_with('[')) return bad_input("{}", kNoTests);
  // The list becomes a member, since documents are objects; what is wrong with that document means nothing to anybody.
  auto document = JsonDocument::open(fmt::format("{{\"tests\": {}}}", text));
  if (!document) return bad_input("{}", kNoTests);
  BERTH_RETURN_IF_ERROR(document->for_each("tests", [&](const JsonValue& test) -> Status {
    if (speeds.size() == kMostSpeeds) return test.error("too many tests");
    BERTH_TRY(const BenchSpeed speed, read_speed(test));
    speeds.push_back(speed);
    return {};
  }));
  return speeds;
}

}  // namespace berth
