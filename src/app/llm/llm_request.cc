// SPDX-License-Identifier: Apache-2.0
#include "app/llm/llm_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>

#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "problem/demands/device_names.h"
#include "problem/demands/device_words.h"
#include "services/problem/language_model.h"
#include "services/problem/problem_request.h"
#include "serving/files/device_map.h"
#include "serving/files/llama_flags.h"
#include "serving/kv_cache.h"

namespace berth::app {
namespace {

constexpr std::int64_t kDefaultContext = 4096, kMostUnstatedContext = 1 << 20;

Result<llm::Runtime> runtime_named(const std::string& text) {
  for (const llm::Runtime runtime : {llm::Runtime::kLlamaCpp, llm::Runtime::kVllm, llm::Runtime::kAccelerate}) {
    if (name_of(runtime) == text) return runtime;
  }
  return bad_input("--runtime: there is no '{}'; there are llama.cpp, vllm and accelerate", text);
}

Result<llm::Mix> mix_named(const std::string& text) {
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
  return bad_input("--objective: '{}' is none; write decode, prefill, or tokens in and out of a request, as 2000:300",
                   text);
}

struct Assignment {
  std::string_view left, right;
};
Result<Assignment> assignment(std::string_view flag, std::string_view text, std::string_view example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return bad_input("{}: '{}' is not of the form {}", flag, text, example);
  }
  return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

Status read_reserves(const std::vector<std::string>& texts, const Machine& machine, llm::ServingOptions& options) {
  options.reserve.assign(machine.num_devices(), 0);
  for (const std::string& text : texts) {
    BERTH_TRY(const Assignment parts, assignment("--reserve", text, "gpu0=1.5GiB"));
    auto devices = devices_named(machine, parts.left);
    if (!devices) return within("--reserve", devices.error());
    auto bytes = parse_bytes(parts.right);
    if (!bytes) return within("--reserve", bytes.error());
    for (const DeviceId id : machine.device_ids()) {
      if ((*devices & device_bit(id)) != 0) options.reserve[index(id)] += *bytes;
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

// "gpu2=192.168.0.7:50052"
Status read_servers(const std::vector<std::string>& texts, const Machine& machine, LlamaNames& names) {
  names.servers.assign(machine.num_devices(), {});
  for (const std::string& text : texts) {
    BERTH_TRY(const Assignment parts, assignment("--rpc", text, "gpu2=HOST:PORT"));
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
  return {};
}

// GPUs that the plan uses and that another host is nearer to than this one, unless their servers are known.
void note_other_hosts(LlmAnswer& answer) {
  if (answer.options.runtime != llm::Runtime::kLlamaCpp) return;
  const Machine& machine = *answer.machine;
  const llm::Placement& placement = answer.search.best.placement;
  std::vector<std::string> remote;
  for (const DeviceId gpu : answer.serving->accelerators()) {
    const bool used = std::ranges::find(placement.home, gpu) != placement.home.end();
    const std::size_t hops = machine.route(answer.serving->cpu(), gpu).size();
    bool elsewhere = false;
    for (const DeviceId other : machine.device_ids()) {
      elsewhere |= machine.device(other).kind == DeviceKind::kCpu && machine.route(other, gpu).size() < hops;
    }
    if (used && elsewhere && answer.names.servers[index(gpu)].empty()) remote.push_back(machine.device(gpu).name);
  }
  if (remote.empty()) return;
  answer.notes.push_back(fmt::format(
      "on another host: {0}; start ggml-rpc-server there and say where it listens, for example --rpc {1}=HOST:PORT",
      join(remote, ", "), remote.front()));
}

// "0-3=gpu0", "5=cpu"
Status read_pins(const std::vector<std::string>& texts, const Machine& machine, std::int64_t layers,
                 llm::ServingOptions& options) {
  if (!texts.empty()) options.pinned.assign(static_cast<std::size_t>(layers), kNoDevice);
  for (const std::string& text : texts) {
    BERTH_TRY(const Assignment parts, assignment("--pin", text, "0-3=gpu0 (layers and a device)"));
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

Result<const llm::GgmlType*> cache_type(const std::string& name, llm::Runtime runtime) {
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
Status read_cache(const LlmFlags& flags, const LlamaFlags* given, const llm::Model& model,
                  llm::ServingOptions& options) {
  llm::CacheSettings& cache = options.cache;
  cache.sequences = static_cast<std::int64_t>(flags.sequences);
  if (cache.sequences == 0) cache.sequences = given != nullptr ? given->sequences.value_or(1) : 1;
  cache.prompt_batch = static_cast<std::int64_t>(flags.prompt_batch);
  if (cache.prompt_batch == 0) cache.prompt_batch = given != nullptr ? given->prompt_batch.value_or(512) : 512;
  cache.context = static_cast<std::int64_t>(flags.context);
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
    return !flags.cache_type.empty() ? flags.cache_type : (theirs.empty() ? std::string("f16") : theirs);
  };
  BERTH_TRY(cache.key_type, cache_type(type(given != nullptr ? given->key_type : ""), options.runtime));
  BERTH_TRY(cache.value_type, cache_type(type(given != nullptr ? given->value_type : ""), options.runtime));
  return {};
}

Status check_pins(const LlmAnswer& answer) {
  const std::int64_t off = answer.search.best.verdict.unpinned;
  if (off == 0) return {};
  return bad_input(
      "--pin: {} layers cannot be where they are pinned; layers on the CPU come first, then one block per GPU", off);
}

bool spills(const LlmAnswer& answer) {
  const llm::Judged& best = answer.search.best;
  return !best.verdict.fits || best.shape.cpu_layers > 0 ||
         std::ranges::any_of(best.shape.blocks, [](const llm::Block& block) { return block.moved > 0; });
}

Status search(LlmAnswer& answer) {
  BERTH_TRY(llm::Serving serving, llm::Serving::make(answer.model, answer.machine, answer.options));
  answer.serving = std::make_shared<llm::Serving>(std::move(serving));
  answer.search = llm::find_placement(*answer.serving);
  return {};
}

Result<GivenPlan> read_given(const LlmFlags& flags, const LlamaFlags* line, const LlmAnswer& answer,
                             const RuntimeDevices& devices) {
  GivenPlan given;
  if (line != nullptr) {
    BERTH_TRY(ReadPlacement read, placement_of_flags(*line, *answer.model, *answer.machine, devices));
    given.source = "your flags";
    given.placement = std::move(read.placement);
    given.notes = std::move(read.notes);
  } else if (!flags.device_map.empty()) {
    BERTH_TRY(std::string text, read_file(flags.device_map));
    auto read = read_device_map(std::move(text), *answer.model, devices);
    if (!read) return within(flags.device_map, read.error());
    given.source = "your device map";
    given.placement = std::move(read).value();
  } else {
    auto read = read_partition(flags.partition, *answer.model, devices);
    if (!read) return within("--partition", read.error());
    given.source = "your partition";
    given.placement = std::move(read).value();
  }
  given.verdict = answer.serving->judge(given.placement);
  const llm::Runtime theirs = line != nullptr             ? llm::Runtime::kLlamaCpp
                              : !flags.device_map.empty() ? llm::Runtime::kAccelerate
                                                          : llm::Runtime::kVllm;
  if (theirs != answer.options.runtime) {
    given.notes.push_back(fmt::format("{} is judged as {} would run it; --runtime {} judges it as its own runtime does",
                                      given.source, name_of(answer.options.runtime), name_of(theirs)));
  }
  return given;
}

Status ask_contexts(LlmAnswer& answer) {
  const std::int64_t trained = answer.model->config.context;
  const std::int64_t most = std::max(answer.options.cache.context, trained > 0 ? trained : kMostUnstatedContext);
  BERTH_TRY(answer.context_on_gpus, llm::largest_context(answer.model, answer.machine, answer.options, true, most));
  BERTH_TRY(answer.context_at_all, llm::largest_context(answer.model, answer.machine, answer.options, false, most));
  return {};
}

}  // namespace

std::string_view name_of(llm::Runtime runtime) {
  switch (runtime) {
    case llm::Runtime::kLlamaCpp:
      return "llama.cpp";
    case llm::Runtime::kVllm:
      return "vllm";
    case llm::Runtime::kAccelerate:
      break;
  }
  return "accelerate";
}

namespace {

// Transformers keeps keys and values of every head where llama.cpp and vLLM keep one narrow vector (DeepSeek).
void expand_cache(LlmAnswer& answer) {
  if (answer.options.runtime != llm::Runtime::kAccelerate || !answer.model->config.is_latent()) return;
  auto model = std::make_shared<llm::Model>(*answer.model);
  model->config.kv_rank = 0;
  model->notes.emplace_back("transformers keeps keys and values of every head of this model, not their latent vectors");
  answer.model = std::move(model);
}

}  // namespace

Result<LlmAnswer> answer_llm(const LlmFlags& flags) {
  LlmAnswer answer;
  BERTH_TRY(answer.options.runtime, runtime_named(flags.runtime));
  BERTH_TRY(answer.options.mix, mix_named(flags.objective));
  BERTH_TRY(answer.machine, load_machine(flags.machine));
  BERTH_TRY(answer.model, load_language_model(flags.model, flags.weights));
  expand_cache(answer);
  answer.names.backend = flags.backend;
  BERTH_RETURN_IF_ERROR(read_servers(flags.servers, *answer.machine, answer.names));
  answer.notes = answer.model->notes;
  const RuntimeDevices devices(*answer.machine, answer.names);
  std::optional<LlamaFlags> line;
  if (!flags.given_flags.empty()) {
    auto parsed = parse_llama_flags(flags.given_flags, devices);
    if (!parsed) return within("--flags", parsed.error());
    line = std::move(parsed).value();
  }
  const LlamaFlags* given = line ? &*line : nullptr;
  BERTH_RETURN_IF_ERROR(read_cache(flags, given, *answer.model, answer.options));
  BERTH_RETURN_IF_ERROR(read_reserves(flags.reserves, *answer.machine, answer.options));
  BERTH_RETURN_IF_ERROR(read_pins(flags.pins, *answer.machine, answer.model->config.layers, answer.options));
  BERTH_TRY(answer.options.context_bytes, parse_bytes(flags.context_memory));
  BERTH_TRY(answer.options.host_bytes, parse_bytes(flags.host_memory));
  if (flags.depth > answer.options.cache.context) {
    return bad_input("--depth: {} tokens are more than the context of {} holds", flags.depth,
                     answer.options.cache.context);
  }
  answer.options.depth = flags.depth;
  for (const std::string& name : flags.without) {
    BERTH_TRY(const DeviceId device, one_device("--without", name, *answer.machine));
    if (device == devices.cpu()) return bad_input("--without: no runtime does without the CPU; leave '{}' out", name);
    answer.options.excluded |= device_bit(device);
  }
  DeviceSet last = 0;
  for (const std::string& name : flags.last) {
    BERTH_TRY(const DeviceId device, one_device("--last", name, *answer.machine));
    if (device == devices.cpu()) return bad_input("--last: '{}' is no GPU, and comes behind all of them anyway", name);
    last |= device_bit(device);
  }

  const auto start = std::chrono::steady_clock::now();
  const DeviceSet excluded = answer.options.excluded;
  answer.options.excluded |= last;
  Status searched = search(answer);
  if (last != 0 && (!searched || spills(answer))) {  // the last choice is needed
    answer.options.excluded = excluded;
    searched = search(answer);
  }
  BERTH_RETURN_IF_ERROR(searched);
  answer.search_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  BERTH_RETURN_IF_ERROR(check_pins(answer));
  note_other_hosts(answer);
  if (given != nullptr || !flags.device_map.empty() || !flags.partition.empty()) {
    BERTH_TRY(answer.given, read_given(flags, given, answer, devices));
  }
  BERTH_RETURN_IF_ERROR(ask_contexts(answer));
  if (flags.what_if) answer.what_ifs = llm_what_ifs(answer.model, answer.machine, answer.options);
  return answer;
}

}  // namespace berth::app
