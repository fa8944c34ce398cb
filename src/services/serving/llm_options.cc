// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "problem/demands/device_words.h"
#include "serving/files/served_file.h"
#include "serving/kv_cache.h"

namespace berth {
namespace {

constexpr std::int64_t kDefaultContext = 4096;
constexpr std::uint64_t kMostContext = std::uint64_t{1} << 26;

struct Assignment {
  std::string_view left, right;
};
Result<Assignment> split_assignment(std::string_view flag, std::string_view text, std::string_view example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return bad_input("{}: '{}' is not of the form {}", flag, text, example);
  }
  return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

Status read_reserves(const std::vector<std::string>& texts, const Machine& machine, llm::ServingOptions& options) {
  options.reserve.assign(machine.num_devices(), 0);
  for (const std::string& text : texts) {
    BERTH_TRY(const Assignment parts, split_assignment("--reserve", text, "gpu0=1.5GiB"));
    auto devices = devices_named(machine, parts.left);
    if (!devices) return within("--reserve", devices.error());
    BERTH_TRY(const Bytes bytes, find_size("--reserve", parts.right));
    for (const DeviceId id : machine.device_ids()) {
      if ((*devices & device_bit(id)) != 0) options.reserve[index(id)] += bytes;
    }
  }
  return {};
}

constexpr Bytes kUsualMargin = Bytes{1} << 30;  // llama.cpp's --fit-target

// "512MiB" for all cards, "gpu0=2GiB" for one. vLLM says by itself how much of a card it takes.
Status read_margins(const std::vector<std::string>& texts, const Machine& machine, llm::ServingOptions& options) {
  const Bytes usual = options.runtime == llm::Runtime::kVllm ? 0 : kUsualMargin;
  options.margin.assign(machine.num_devices(), usual);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    BERTH_TRY(const Bytes bytes, find_size("--margin", std::string_view(text).substr(equals + 1)));  // npos + 1 is 0
    DeviceSet devices = ~DeviceSet{0};
    if (equals != std::string::npos) {
      auto named = devices_named(machine, std::string_view(text).substr(0, equals));
      if (!named) return within("--margin", named.error());
      devices = *named;
    }
    for (const DeviceId id : machine.device_ids()) {
      if ((devices & device_bit(id)) != 0) options.margin[index(id)] = bytes;
    }
  }
  return {};
}

Result<DeviceId> one_device(std::string_view flag, std::string_view name, const Machine& machine) {
  const DeviceSet meant = devices_of_word(machine, name).devices;
  for (const DeviceId id : machine.device_ids()) {
    if (meant == device_bit(id)) return id;
  }
  std::vector<std::string> names;
  for (const Device& device : machine.devices()) names.push_back(device.name);
  return bad_input("{}: machine {} has no device '{}'{}", flag, machine.name(), name, did_you_mean(name, names));
}

// "0-3=gpu0", "5=cpu"
Status read_pins(const std::vector<std::string>& texts, const Machine& machine, std::int64_t layers,
                 llm::ServingOptions& options) {
  if (!texts.empty()) options.pinned.assign(static_cast<std::size_t>(layers), kNoDevice);
  for (const std::string& text : texts) {
    BERTH_TRY(const Assignment parts, split_assignment("--pin", text, "0-3=gpu0 (layers and a device)"));
    BERTH_TRY(const DeviceId device, one_device("--pin", parts.right, machine));
    std::int64_t first = -1, last = -1;
    const char* const end = parts.left.data() + parts.left.size();
    auto read = std::from_chars(parts.left.data(), end, first);
    last = first;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || read.ptr != end || first < 0 || last < first || last >= layers) {
      return bad_input("--pin: '{}' names no layers from 0 to {}", parts.left, layers - 1);
    }
    for (std::int64_t layer = first; layer <= last; ++layer) options.pinned[static_cast<std::size_t>(layer)] = device;
  }
  return {};
}

// Types that llama.cpp keeps a cache in (its -ctk and -ctv); the first two are those of the other runtimes too.
constexpr std::array<std::string_view, 9> kCacheTypes{"f16",  "bf16", "f32",  "q8_0",  "q4_0",
                                                      "q4_1", "q5_0", "q5_1", "iq4_nl"};

Result<const llm::GgmlType*> find_cache_type(const std::string& name, llm::Runtime runtime) {
  const llm::GgmlType* type = llm::find_ggml_type(name);
  if (type == nullptr) {
    return bad_input("--cache-type: there is no type '{}'; write for example f16, q8_0 or q4_0", name);
  }
  const std::size_t count = runtime == llm::Runtime::kLlamaCpp ? kCacheTypes.size() : 2;
  const std::span<const std::string_view> types(kCacheTypes.data(), count);
  if (std::ranges::find(types, type->name) != types.end()) return type;
  return bad_input("--cache-type: {} keeps no cache of type {}; it takes {}", name_of(runtime), type->name,
                   join(std::vector<std::string>(types.begin(), types.end()), ", "));
}

// A line of flags may state context and cache as well; our own flags win.
Status read_cache(const LlmRequest& request, const LlamaFlags* given, const llm::Model& model,
                  llm::ServingOptions& options) {
  llm::CacheSettings& cache = options.cache;
  cache.sequences = static_cast<std::int64_t>(request.sequences);
  if (cache.sequences == 0) cache.sequences = given != nullptr ? given->sequences.value_or(1) : 1;
  cache.prompt_batch = static_cast<std::int64_t>(request.prompt_batch);
  if (cache.prompt_batch == 0) cache.prompt_batch = given != nullptr ? given->prompt_batch.value_or(512) : 512;
  cache.context = static_cast<std::int64_t>(request.context);
  if (cache.context == 0 && given != nullptr && given->context) {
    // llama.cpp's -c is of all sequences together, and 0 is what the model was trained for.
    cache.context = (*given->context > 0 ? *given->context : model.config.context) / cache.sequences;
  }
  if (cache.context == 0) {
    cache.context = model.config.context > 0 ? std::min(model.config.context, kDefaultContext) : kDefaultContext;
  }
  if (cache.context < 1 || cache.context > (std::int64_t{1} << 26) || cache.sequences > 4096 ||
      cache.prompt_batch > 65536) {
    return bad_input("a context of {} tokens, {} sequences and {} tokens at once are out of bounds", cache.context,
                     cache.sequences, cache.prompt_batch);
  }
  const auto type = [&](const std::string& theirs) {
    return !request.cache_type.empty() ? request.cache_type : (theirs.empty() ? std::string("f16") : theirs);
  };
  BERTH_TRY(cache.key_type, find_cache_type(type(given != nullptr ? given->key_type : ""), options.runtime));
  BERTH_TRY(cache.value_type, find_cache_type(type(given != nullptr ? given->value_type : ""), options.runtime));
  return {};
}

Status read_depth(const LlmRequest& request, llm::ServingOptions& options) {
  if (request.depth > options.cache.context) {
    return bad_input("--depth: {} tokens are more than the context of {} holds", request.depth, options.cache.context);
  }
  options.depth = request.depth;
  return {};
}

Status read_excluded(const LlmRequest& request, const Machine& machine, llm::ServingOptions& options) {
  for (const std::string& name : request.without) {
    BERTH_TRY(const DeviceId device, one_device("--without", name, machine));
    if (device == RuntimeDevices(machine).cpu()) {
      return bad_input("--without: no runtime does without the CPU; leave '{}' out", name);
    }
    options.excluded |= device_bit(device);
  }
  return {};
}

Status read_learned(const LlmRequest& request, const Machine& machine, llm::ServingOptions& options) {
  if (request.learned.empty()) return {};
  BERTH_TRY(const std::string text, read_file(request.learned));
  BERTH_TRY(options.served, read_served(text, request.learned, machine));
  return {};
}

}  // namespace

Result<llm::Runtime> find_runtime(const std::string& text) {
  for (const llm::Runtime runtime : {llm::Runtime::kLlamaCpp, llm::Runtime::kVllm, llm::Runtime::kAccelerate}) {
    if (name_of(runtime) == text) return runtime;
  }
  return bad_input("--runtime: there is no '{}'; there are llama.cpp, vllm and accelerate", text);
}

Result<llm::Mix> find_mix(const std::string& text) {
  if (text == "request") return kUsualRequest;
  if (text == "decode") return llm::Mix{0.0, 1.0};
  if (text == "prefill") return llm::Mix{1.0, 0.0};
  const std::vector<std::string_view> parts = split(text, ':');
  llm::Mix mix{-1.0, -1.0};
  if (parts.size() == 2) {
    for (std::size_t i = 0; i < 2; ++i) {
      double& value = i == 0 ? mix.prompt : mix.generated;
      const auto [end, error] = std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), value);
      if (error != std::errc() || end != parts[i].data() + parts[i].size()) value = -1.0;
    }
  }
  const bool fine = mix.prompt >= 0.0 && mix.generated >= 0.0 && mix.prompt + mix.generated > 0.0 &&
                    mix.prompt + mix.generated < 1e12;
  if (fine) return mix;
  return bad_input(
      "--objective: '{}' is none; write request, decode, prefill, or tokens in and out of a request, as 2000:300",
      text);
}

Result<std::uint64_t> find_tokens(std::string_view flag, std::string_view text) {
  std::uint64_t count = 0;
  const std::string_view word = trim(text);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  const std::string_view unit = word.substr(static_cast<std::size_t>(end - word.data()));
  const bool is_thousand = unit == "k" || unit == "K", is_million = unit == "m" || unit == "M";
  const bool fine = error == std::errc() && count <= kMostContext && (unit.empty() || is_thousand || is_million);
  const std::uint64_t tokens = count * (is_million ? 1 << 20 : is_thousand ? 1 << 10 : 1);
  if (fine && tokens >= 1 && tokens <= kMostContext) return tokens;
  return bad_input("{}: '{}' is no number of tokens from 1 to {}; write for example 8192, 32k or 1M", flag, text,
                   kMostContext);
}

Result<Bytes> find_size(std::string_view flag, std::string_view text) {
  auto bytes = parse_bytes(text);
  if (!bytes) return within(std::string(flag), bytes.error());
  const bool is_bare = text.find_first_not_of("0123456789.+-eE ") == std::string_view::npos;
  if (!is_bare || *bytes == 0) return *bytes;
  return bad_input("{}: '{}' has no unit; write for example {}GiB or {}MiB", flag, text, text, text);
}

// "gpu2=192.168.0.7:50052"
Result<LlamaNames> llama_names(const LlmRequest& request, const Machine& machine) {
  LlamaNames names{request.backend, std::vector<std::string>(machine.num_devices())};
  for (const std::string& text : request.servers) {
    BERTH_TRY(const Assignment parts, split_assignment("--rpc", text, "gpu2=HOST:PORT"));
    BERTH_TRY(const DeviceId device, one_device("--rpc", parts.left, machine));
    if (machine.device(device).kind != DeviceKind::kGpu) {
      return bad_input("--rpc: {} is no GPU; llama.cpp serves GPUs to other hosts", parts.left);
    }
    const std::size_t colon = parts.right.rfind(':');
    const std::string_view port = colon == std::string_view::npos ? "" : parts.right.substr(colon + 1);
    const bool fine = colon != 0 && !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos &&
                      parts.right.find(',') == std::string_view::npos;
    if (!fine) return bad_input("--rpc: '{}' is not of the form gpu2=HOST:PORT", text);
    names.servers[index(device)] = parts.right;
  }
  return names;
}

Result<llm::ServingOptions> serving_options(const LlmRequest& request, const LlamaFlags* given, const llm::Model& model,
                                            const Machine& machine) {
  llm::ServingOptions options{.runtime = request.runtime,
                              .mix = request.mix,
                              .context_bytes = request.context_bytes,
                              .host_bytes = request.host_bytes};
  BERTH_RETURN_IF_ERROR(read_cache(request, given, model, options));
  BERTH_RETURN_IF_ERROR(read_reserves(request.reserves, machine, options));
  BERTH_RETURN_IF_ERROR(read_margins(request.margins, machine, options));
  BERTH_RETURN_IF_ERROR(read_pins(request.pins, machine, model.config.layers, options));
  BERTH_RETURN_IF_ERROR(read_depth(request, options));
  BERTH_RETURN_IF_ERROR(read_excluded(request, machine, options));
  BERTH_RETURN_IF_ERROR(read_learned(request, machine, options));
  return options;
}

Result<DeviceSet> last_devices(const LlmRequest& request, const Machine& machine) {
  DeviceSet last = 0;
  for (const std::string& name : request.last) {
    BERTH_TRY(const DeviceId device, one_device("--last", name, machine));
    if (device == RuntimeDevices(machine).cpu()) {
      return bad_input("--last: '{}' is no GPU, and comes behind all of them anyway", name);
    }
    last |= device_bit(device);
  }
  return last;
}

}  // namespace berth
