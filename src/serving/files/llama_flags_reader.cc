// SPDX-License-Identifier: Apache-2.0
#include "serving/files/llama_flags_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "files/json/json_reader.h"

namespace berth {
namespace {

constexpr std::size_t kMostWords = 4096;
constexpr std::int64_t kUsualBatch = 512;  // of -ub

class Line {
 public:
  Line(std::vector<std::string> words, const RuntimeDevices& devices) : words_(std::move(words)), devices_(devices) {}

  Result<LlamaFlags> read() && {
    for (at_ = 0; at_ < words_.size(); ++at_) BERTH_RETURN_IF_ERROR(read_flag());
    if (batch_ && *batch_ < flags_.prompt_batch.value_or(kUsualBatch)) flags_.prompt_batch = batch_;
    return std::move(flags_);
  }

 private:
  Status read_flag() {
    const std::string flag = words_[at_];
    if (is(flag, {"-ngl", "--gpu-layers", "--n-gpu-layers"})) return read_gpu_layers(flag);
    if (is(flag, {"-ts", "--tensor-split"})) return read_split(flag);
    if (is(flag, {"-dev", "--device"})) return read_devices(flag);
    if (is(flag, {"-ot", "--override-tensor"})) return read_patterns(flag);
    if (is(flag, {"-cmoe", "--cpu-moe"})) return keep_experts(R"(\.ffn_(up|down|gate|gate_up)_(ch|)exps)");
    if (is(flag, {"-ncmoe", "--n-cpu-moe"})) return read_cpu_layers(flag, R"(_(ch|)exps)", "up|down|gate|gate_up");
    if (is(flag, {"-ncffn", "--n-cpu-ffn"})) return read_cpu_layers(flag, R"(\.)", "up|down|gate");
    if (is(flag, {"-c", "--ctx-size"})) return read_number(flag, flags_.context);
    if (is(flag, {"-np", "--parallel"})) return read_number(flag, flags_.sequences);
    if (is(flag, {"-ub", "--ubatch-size"})) return read_number(flag, flags_.prompt_batch);
    if (is(flag, {"-b", "--batch-size"})) return read_number(flag, batch_);
    if (is(flag, {"-fit", "--fit"})) return read_fit(flag);
    if (is(flag, {"-ctk", "--cache-type-k"})) return read_type(flag, flags_.key_type);
    if (is(flag, {"-ctv", "--cache-type-v"})) return read_type(flag, flags_.value_type);
    if (is(flag, {"-sm", "--split-mode"})) return read_split_mode(flag);
    if (is(flag, {"-nkvo", "--no-kv-offload"})) {
      return bad_input("{} is not simulated; caches are beside their layers", flag);
    }
    skip(flag);
    return {};
  }

  // Anything else says nothing of placement; its value, if it has one, is no flag. But it may take memory, or be a
  // slip of the pen.
  void skip(const std::string& flag) {
    flags_.ignored.push_back(flag);
    if (!flag.starts_with("-")) return;
    if (is(flag, {"-md", "--model-draft", "-mm", "--mmproj", "-hfd"})) {
      flags_.notes.push_back(fmt::format("{} loads a second model, whose memory is not counted{}", flag,
                                         flag == "-mm" || flag == "--mmproj" ? "; give it to berth as --mmproj" : ""));
      return;
    }
    for (const std::string_view known :
         {"-ngl", "-ts", "-dev", "-ot", "-cmoe", "-ncmoe", "-ctk", "-ctv", "-ub", "-np"}) {
      if (flag != fmt::format("-{}", known) && (flag.size() < 4 || edit_distance(flag, known) != 1)) continue;
      flags_.notes.push_back(fmt::format("{} is skipped; did you mean {}?", flag, known));
      return;
    }
  }

  Status read_fit(const std::string& flag) {
    BERTH_TRY(const std::string text, value(flag));
    if (text != "on" && text != "off") return bad_input("{} {} is neither on nor off", flag, in_quotes(text));
    flags_.fits = text == "on";
    return {};
  }

  static bool is(const std::string& flag, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, flag) != names.end();
  }

  Result<std::string> value(const std::string& flag) {
    if (at_ + 1 >= words_.size()) return bad_input("{} needs a value", flag);
    return words_[++at_];
  }

  Result<std::int64_t> whole(const std::string& flag, const std::string& text) const {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < -1 || number > (std::int64_t{1} << 32)) {
      return bad_input("{} {} is no whole number", flag, in_quotes(text));
    }
    return number;
  }

  Status read_number(const std::string& flag, std::optional<std::int64_t>& into) {
    BERTH_TRY(const std::string text, value(flag));
    BERTH_TRY(const std::int64_t number, whole(flag, text));
    if (number > 0) into = number;
    return {};
  }

  Status read_gpu_layers(const std::string& flag) {
    BERTH_TRY(const std::string text, value(flag));
    if (text == "all") flags_.fits = false;
    if (text == "all" || text == "auto") return {};
    BERTH_TRY(const std::int64_t number, whole(flag, text));
    if (number >= 0) flags_.gpu_layers = number;
    return {};
  }

  Status read_split(const std::string& flag) {
    BERTH_TRY(const std::string text, value(flag));
    flags_.split.clear();
    std::string list = text;
    std::ranges::replace(list, '/', ',');
    for (const std::string_view part : split(list, ',')) {
      double share = 0.0;
      const std::string_view word = trim(part);
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), share);
      const bool fine = error == std::errc() && end == word.data() + word.size() && std::isfinite(share) && share >= 0;
      if (!fine) return bad_input("{} {}: {} is no share", flag, in_quotes(text), in_quotes(word));
      flags_.split.push_back(share);
    }
    return {};
  }

  Status read_devices(const std::string& flag) {
    BERTH_TRY(const std::string text, value(flag));
    flags_.devices.clear();
    flags_.has_no_devices = text == "none";
    if (flags_.has_no_devices) return {};
    for (const std::string_view name : split(text, ',')) {
      BERTH_TRY(const DeviceId device, device_named(flag, trim(name)));
      if (device == devices_.cpu()) return bad_input("{}: {} is no GPU", flag, in_quotes(name));
      if (std::ranges::find(flags_.devices, device) != flags_.devices.end())
        return bad_input("{}: {} is named twice", flag, in_quotes(name));
      flags_.devices.push_back(device);
    }
    return {};
  }

  Status read_patterns(const std::string& flag) {
    BERTH_TRY(const std::string text, value(flag));
    for (const std::string_view part : split(text, ',')) {
      const std::size_t equals = part.find('=');
      if (equals == std::string_view::npos || equals == 0) {
        return bad_input("{}: {} is not of the form regex=device", flag, in_quotes(part));
      }
      BERTH_TRY(const DeviceId device, device_named(flag, part.substr(equals + 1)));
      flags_.patterns.push_back({std::string(part.substr(0, equals)), device});
    }
    return {};
  }

  // Feed-forward tensors of the first layers, as many as the flag says.
  Status read_cpu_layers(const std::string& flag, std::string_view ending, std::string_view parts) {
    std::optional<std::int64_t> count;
    BERTH_RETURN_IF_ERROR(read_number(flag, count));
    for (std::int64_t layer = 0; layer < std::min<std::int64_t>(count.value_or(0), 4096); ++layer) {
      BERTH_RETURN_IF_ERROR(keep_experts(fmt::format(R"(blk\.{}\.ffn_({}){})", layer, parts, ending)));
    }
    return {};
  }

  Status keep_experts(std::string regex) {
    flags_.patterns.push_back({std::move(regex), devices_.cpu()});
    return {};
  }

  Status read_type(const std::string& flag, std::string& into) {
    BERTH_TRY(const std::string text, value(flag));
    if (llm::find_ggml_type(text) == nullptr) return bad_input("{}: there is no type {}", flag, in_quotes(text));
    into = text;
    return {};
  }

  Status read_split_mode(const std::string& flag) {
    BERTH_TRY(const std::string text, value(flag));
    if (text == "layer") return {};
    if (text != "none") return bad_input("{} {} is not simulated; only layer and none are", flag, in_quotes(text));
    if (flags_.devices.empty() && !devices_.gpus().empty()) flags_.devices = {devices_.gpus().front()};
    return {};
  }

  Result<DeviceId> device_named(const std::string& flag, std::string_view name) const {
    if (const auto device = devices_.of_buffer(name)) return *device;
    return bad_input("{}: this machine has no device {}; it has: {}", flag, in_quotes(name), devices_.known());
  }

  std::vector<std::string> words_;
  const RuntimeDevices& devices_;
  std::size_t at_ = 0;
  std::optional<std::int64_t> batch_;
  LlamaFlags flags_;
};

}  // namespace

Result<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else if (c == '\\' && quote == '"' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\')) {
        word += line[++i];
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      open = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      if (line[++i] != '\n') word += line[i];
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open || !word.empty()) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
    }
  }
  if (quote != '\0') return bad_input("a quote ({}) is not closed in the line of flags", quote);
  if (open || !word.empty()) words.push_back(std::move(word));
  if (words.size() > kMostWords) return bad_input("the line of flags has more than {} words", kMostWords);
  return words;
}

Result<LlamaFlags> parse_llama_flags(std::string_view line, const RuntimeDevices& devices) {
  BERTH_TRY(std::vector<std::string> words, shell_words(line));
  return Line(std::move(words), devices).read();
}

}  // namespace berth
