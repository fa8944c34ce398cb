// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "app/flags/options.h"
#include "app/output/llm_output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/units.h"
#include "files/files.h"
#include "files/output_path.h"
#include "services/json/llm_json.h"
#include "services/plan/plan_files.h"
#include "services/serving/llm.h"
#include "services/serving/llm_export.h"
#include "services/serving/llm_html.h"
#include "services/serving/llm_options.h"
#include "services/serving/llm_tune.h"

namespace berth::app {
namespace {

struct LlmFlags {
  LlmRequest request;
  std::string runtime = "llama.cpp", objective = "request", context_memory = "512MiB", host_memory = "2GiB";
  std::string context, depth, to, output, given_output, report;
  std::string tune_command = "llama-bench", tune_limit = "10min";
  bool tune = false, json = false;
};

Status save(const std::string& path, const LlmAnswer& answer, const llm::Placement& placement,
            const std::string& planner) {
  if (path.empty()) return {};
  return save_plan(path, answer.serving->problem(llm::Phase::kDecode), decode_outcome(answer, placement, planner));
}

Status save_all(const LlmFlags& flags, const LlmAnswer& answer) {
  if (!flags.report.empty()) {
    BERTH_TRY(const std::string page, llm_html(answer));
    BERTH_RETURN_IF_ERROR(write_file_atomically(flags.report, page));
  }
  BERTH_RETURN_IF_ERROR(save(flags.output, answer, answer.placement(), "llm"));
  if (!answer.given) return {};
  return save(flags.given_output, answer, answer.given->placement, answer.given->source);
}

Result<LlmRequest> request_of(const LlmFlags& flags) {
  LlmRequest request = flags.request;
  BERTH_TRY(request.runtime, find_runtime(flags.runtime));
  BERTH_TRY(request.mix, find_mix(flags.objective));
  BERTH_TRY(request.context_bytes, find_size("--context-memory", flags.context_memory));
  BERTH_TRY(request.host_bytes, find_size("--host-memory", flags.host_memory));
  if (!flags.context.empty()) {
    BERTH_TRY(request.context, find_tokens("--ctx", flags.context));
  }
  if (!flags.depth.empty() && flags.depth != "0") {
    BERTH_TRY(const std::uint64_t depth, find_tokens("--depth", flags.depth));
    request.depth = static_cast<std::int64_t>(depth);
  } else if (!flags.depth.empty()) {
    request.depth = 0;
  }
  return request;
}

// In the form that --to asks for; without it that of the runtime.
Result<std::string> pasted(const LlmFlags& flags, const LlmAnswer& answer) {
  if (flags.to.empty()) return text_to_paste(answer, answer.options.runtime);
  if (flags.to == "table") return tensor_table(answer);
  const Result<llm::Runtime> form = find_runtime(flags.to);
  if (form) return text_to_paste(answer, *form);
  return bad_input("--to: there is no form '{}'; there are llama.cpp, vllm, accelerate and table", flags.to);
}

Result<TuneRequest> tune_request_of(const LlmFlags& flags) {
  TuneRequest request{.command = flags.tune_command, .model = flags.request.model, .learned = flags.request.learned};
  auto limit = parse_seconds(flags.tune_limit);
  if (!limit) return within("--tune-limit", limit.error());
  if (*limit <= 0.0) return bad_input("--tune-limit: '{}' is no time for a run", flags.tune_limit);
  request.limit_s = *limit;
  return request;
}

Status check_outputs(const LlmFlags& flags) {
  const std::array sources{flags.request.model, flags.request.machine};
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, sources));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.given_output, sources));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.report, sources));
  if (!flags.given_output.empty() && !flags.request.has_given()) {
    return bad_input("--given-output: there is no plan of yours; give --flags, --device-map or --partition");
  }
  return flags.tune ? check_output_path(flags.request.learned, sources) : Status();
}

Result<Exit> run_llm(const LlmFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_outputs(flags));
  BERTH_TRY(LlmRequest request, request_of(flags));
  if (flags.tune && !path_exists(request.learned)) request.learned.clear();  // it will be written
  BERTH_TRY(const TuneRequest tuning, tune_request_of(flags));
  BERTH_TRY(LlmAnswer answer, answer_llm(request));
  TerminalCaller caller(true);
  if (flags.tune) BERTH_RETURN_IF_ERROR(tune_llm(tuning, answer, caller));
  BERTH_TRY(const std::string paste, pasted(flags, answer));
  const Status saved = save_all(flags, answer);
  if (flags.json) {
    BERTH_RETURN_IF_ERROR(print(llm_json(answer)));
  } else if (!answer.verdict().fits) {  // nobody is to paste what does not fit
    BERTH_RETURN_IF_ERROR(print(flags.to.empty() ? llm_page(answer) : std::string()));
  } else if (!flags.to.empty()) {
    BERTH_RETURN_IF_ERROR(print(paste));
  } else {
    BERTH_RETURN_IF_ERROR(print(fmt::format("{}\n{}:\n  {}", llm_page(answer), name_of(request.runtime), paste)));
  }
  BERTH_RETURN_IF_ERROR(saved);
  if (answer.verdict().fits) return Exit::kDone;
  return infeasible(
      "{} does not fit on {} with a context of {}: {} too much; take a smaller context, a smaller type of weights or "
      "cache, or more memory",
      answer.model->title, answer.machine->name(), answer.options.cache.context, format_bytes(answer.verdict().over));
}

void add_llm_model_flags(CLI::App& command, LlmFlags& flags) {
  command
      .add_option("MODEL", flags.request.model, "a .gguf file, a folder with config.json, or a name such as llama-8b")
      ->required();
  command.add_option("-m,--machine", flags.request.machine, "built-in machine (berth machines) or a .toml file")
      ->required();
  add_text(command, "--ctx", flags.context, "TOKENS",
           "tokens of a sequence that the cache holds: 8192, 32k; default: 4096");
  add_number(command, "--sequences,--batch", flags.request.sequences, {1, 4096},
             "sequences that are served at once; default: 1");
  add_number(command, "--prompt-batch", flags.request.prompt_batch, {1, 65536},
             "tokens of a prompt that are computed at once; default: what is best of 512, 1024 and 2048");
  add_text(command, "--depth", flags.depth, "TOKENS",
           "tokens in the cache when both are timed; default: those of the request, or a full cache");
  command.add_option("--cache-type", flags.request.cache_type, "type of the cache: f16 (default), q8_0, q4_0, ...");
  command.add_option(
      "--weights", flags.request.weights,
      "type of the weights of a named model or a config.json: q4_k_m (default of GGUF), bf16 (of vLLM and "
      "accelerate), q8_0, iq4_xs, awq, fp8, ...");
  add_text(command, "--mmproj", flags.request.projector, "FILE",
           "a projector for pictures or sound beside the model, loaded on the first GPU");
  command.add_option("--runtime", flags.runtime, "whose rules to keep: llama.cpp, vllm or accelerate")
      ->capture_default_str();
  command
      .add_option("--objective", flags.objective,
                  "request (2,000 tokens in, 300 out), decode, prefill, or tokens in and out, as 8000:500")
      ->capture_default_str();
}

void add_llm_device_flags(CLI::App& command, LlmFlags& flags) {
  add_texts(command, "--reserve", flags.request.reserves, "DEVICE=SIZE",
            "memory to leave alone, for example gpu0=1.5GiB");
  add_texts(command, "--margin", flags.request.margins, "SIZE",
            "memory to stay free on every GPU, or on one, as gpu0=512MiB; default: 1GiB, as llama.cpp's --fit");
  add_texts(command, "--pin", flags.request.pins, "LAYERS=DEVICE",
            "layers that must be on a device, for example 0-3=gpu0");
  add_texts(command, "--without", flags.request.without, "DEVICE", "a device not to be used");
  add_texts(command, "--last", flags.request.last, "DEVICE",
            "a device to be used only if the model does not fit on other GPUs");
  command.add_option("--context-memory", flags.context_memory, "what the driver takes on each GPU")
      ->capture_default_str();
  command.add_option("--host-memory", flags.host_memory, "what system and program take on the CPU")
      ->capture_default_str();
  command.add_option(
      "--backend", flags.request.backend,
      "how llama.cpp names GPUs: CUDA, ROCm, Vulkan, SYCL, Metal; default: CUDA, Vulkan for other makers");
  add_texts(command, "--rpc", flags.request.servers, "DEVICE=HOST:PORT",
            "a GPU of another host, behind a ggml-rpc-server, for example gpu2=192.168.0.7:50052");
}

void add_llm_tune_flags(CLI::App& command, LlmFlags& flags) {
  CLI::Option* tune =
      command.add_flag("--tune", flags.tune, "run the best few plans with llama-bench and keep the fastest");
  command
      .add_option(
          "--tune-command", flags.tune_command,
          "what runs a plan and prints what llama-bench -o json does; may have {model} {flags} {prompt} {answer} "
          "{depths}")
      ->needs(tune)
      ->capture_default_str();
  command.add_option("--tune-limit", flags.tune_limit, "time for a plan, loading included")
      ->needs(tune)
      ->capture_default_str();
  add_text(command, "--learned", flags.request.learned, "FILE",
           "what --tune learned of the machine: read, and with --tune written");
}

void add_llm_answer_flags(CLI::App& command, LlmFlags& flags) {
  CLI::Option* line = command.add_option("--flags", flags.request.given_flags,
                                         "your own flags of llama.cpp, to be judged: \"-ngl 20 -ts 3,1\"");
  CLI::Option* map = add_text(command, "--device-map", flags.request.device_map, "FILE",
                              "your own device_map (a JSON file), to be judged");
  command.add_option("--partition", flags.request.partition, "your own layers per stage, to be judged: 16,16")
      ->excludes(line)
      ->excludes(map);
  line->excludes(map);
  add_text(
      command, "--routing", flags.request.routing, "FILE",
      "how often each expert is picked (berth-routing/1), or uniform: which experts lie on which card (in --json)");
  command.add_option("--to", flags.to, "print only what to paste: llama.cpp, vllm, accelerate, or a table of tensors");
  command.add_flag("--what-if,!--no-what-if", flags.request.what_if,
                   "say what more memory, cards or a faster slot would give");
  add_output_flag(command, flags.output, "write the plan of the decode graph to this file");
  add_text(command, "--given-output", flags.given_output, "FILE",
           "write your own plan too, for score, compare, explain, report");
  add_text(command, "--report", flags.report, "FILE",
           "write a page: memory of every device over the context, layers, tokens a second, what-ifs as pictures");
  add_json_flag(command, flags.json);
}

}  // namespace

void add_llm_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<LlmFlags>(
      app, exit, "llm", "place a language model on unequal devices, with flags to paste", run_llm);
  add_llm_model_flags(command, flags);
  add_llm_device_flags(command, flags);
  add_llm_answer_flags(command, flags);
  add_llm_tune_flags(command, flags);
  command.footer(
      "Examples:\n  berth llm llama-70b --machine rtx4090-3060 --ctx 8192\n"
      "  berth llm model.gguf --machine box.toml --ctx 32768 --cache-type q8_0 --reserve gpu0=1.5GiB\n"
      "  berth llm mixtral-8x7b --machine rtx4090-3060 --flags \"-ngl 20 -ts 2,1\"    (is mine any good?)\n"
      "  berth llm llama-8b --machine a100-v100 --runtime vllm --to vllm\n"
      "  berth llm model.gguf --machine box.toml --tune --learned box-learned.toml    (run the best plans)");
}

}  // namespace berth::app
