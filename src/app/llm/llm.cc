// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "app/commands.h"
#include "app/flags/options.h"
#include "app/llm/llm_request.h"
#include "app/output/terminal.h"
#include "base/units.h"
#include "services/output_path.h"
#include "services/plan/outcome.h"
#include "services/plan/plan_files.h"

namespace berth::app {
namespace {

constexpr std::uint64_t kMostContextFlag = std::uint64_t{1} << 26;

CLI::Option* add_list(CLI::App& command, const std::string& flag, std::vector<std::string>& list,
                      const std::string& form, const std::string& help) {
  return command.add_option(flag, list, help)->type_name(form)->allow_extra_args(false);
}

Status save_placement(const LlmAnswer& answer, const llm::Placement& placement, std::string_view planner,
                      const std::string& path) {
  if (path.empty()) return {};
  const Problem& problem = answer.serving->problem(llm::Phase::kDecode);
  const Plan plan = answer.serving->plan_of(placement, llm::Phase::kDecode);
  return save_plan(path, problem, score_plan(problem, std::string(planner), plan));
}

Status save_all(const LlmFlags& flags, const LlmAnswer& answer) {
  BERTH_RETURN_IF_ERROR(save_placement(answer, answer.search.best.placement, "llm", flags.output));
  if (!answer.given) return {};
  return save_placement(answer, answer.given->placement, answer.given->source, flags.given_output);
}

Result<Exit> run_llm(const LlmFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output, std::array{flags.model, flags.machine}));
  BERTH_RETURN_IF_ERROR(check_output_path(flags.given_output, std::array{flags.model, flags.machine}));
  if (!flags.given_output.empty() && flags.given_flags.empty() && flags.device_map.empty() && flags.partition.empty()) {
    return bad_input("--given-output: there is no plan of yours; give --flags, --device-map or --partition");
  }
  BERTH_TRY(const LlmAnswer answer, answer_llm(flags));
  BERTH_TRY(const std::string paste, exported(answer, flags.to));
  const Status saved = save_all(flags, answer);
  if (flags.json) {
    BERTH_RETURN_IF_ERROR(print(llm_json(answer)));
  } else if (!flags.to.empty()) {
    BERTH_RETURN_IF_ERROR(print(paste));
  } else {
    BERTH_RETURN_IF_ERROR(
        print(fmt::format("{}\n{}:\n  {}", llm_page(answer), name_of(answer.options.runtime), paste)));
  }
  BERTH_RETURN_IF_ERROR(saved);
  if (answer.search.best.verdict.fits) return Exit::kDone;
  return infeasible(
      "{} does not fit on {} with a context of {}: {} too much; take a smaller context, a smaller type of weights or "
      "cache, or more memory",
      answer.model->title, answer.machine->name(), answer.options.cache.context,
      format_bytes(answer.search.best.verdict.over));
}

}  // namespace

void add_llm_flags(CLI::App& command, LlmFlags& flags) {
  command.add_option("MODEL", flags.model, "a .gguf file, a folder with config.json, or a name such as llama-8b")
      ->required();
  command.add_option("-m,--machine", flags.machine, "built-in machine (berth machines) or a .toml file")->required();
  add_whole_number(
      command, "--ctx", [&flags](std::uint64_t n) { flags.context = n; }, {1, kMostContextFlag},
      "tokens of a sequence that the cache holds; default: 4096");
  add_whole_number(
      command, "--sequences,--batch", [&flags](std::uint64_t n) { flags.sequences = n; }, {1, 4096},
      "sequences that are served at once; default: 1");
  add_whole_number(
      command, "--prompt-batch", [&flags](std::uint64_t n) { flags.prompt_batch = n; }, {1, 65536},
      "tokens of a prompt that are computed at once; default: 512");
  add_whole_number(
      command, "--depth", [&flags](std::uint64_t n) { flags.depth = static_cast<std::int64_t>(n); },
      {0, kMostContextFlag}, "tokens in the cache when decode is timed; default: the cache is full");
  command.add_option("--cache-type", flags.cache_type, "type of the cache: f16 (default), q8_0, q4_0, ...");
  command.add_option("--weights", flags.weights,
                     "type of the weights of a named model: q4_k_m (default), q8_0, f16, ...");
  command.add_option("--runtime", flags.runtime, "whose rules to keep: llama.cpp, vllm or accelerate")
      ->capture_default_str();
  command
      .add_option("--objective", flags.objective, "decode, prefill, or the tokens in and out of a request, as 2000:300")
      ->capture_default_str();
  add_list(command, "--reserve", flags.reserves, "DEVICE=SIZE", "memory to leave alone, for example gpu0=1.5GiB");
  add_list(command, "--pin", flags.pins, "LAYERS=DEVICE", "layers that must be on a device, for example 0-3=gpu0");
  add_list(command, "--without", flags.without, "DEVICE", "a device not to be used");
  add_list(command, "--last", flags.last, "DEVICE", "a device to be used only if the model does not fit on other GPUs");
  command.add_option("--context-memory", flags.context_memory, "what the driver takes on each GPU")
      ->capture_default_str();
  command.add_option("--host-memory", flags.host_memory, "what system and program take on the CPU")
      ->capture_default_str();
  command.add_option("--backend", flags.backend,
                     "how llama.cpp names GPUs: CUDA, ROCm, Vulkan, SYCL; default: CUDA, Vulkan for other makers");
  add_list(command, "--rpc", flags.servers, "DEVICE=HOST:PORT",
           "a GPU of another host, behind a ggml-rpc-server, for example gpu2=192.168.0.7:50052");
  CLI::Option* line = command.add_option("--flags", flags.given_flags,
                                         "your own flags of llama.cpp, to be judged: \"-ngl 20 -ts 3,1\"");
  CLI::Option* map =
      command.add_option("--device-map", flags.device_map, "your own device_map (a JSON file), to be judged")
          ->type_name("FILE");
  command.add_option("--partition", flags.partition, "your own layers per stage, to be judged: 16,16")
      ->excludes(line)
      ->excludes(map);
  line->excludes(map);
  command.add_option("--to", flags.to, "print only what to paste: llama.cpp, vllm, accelerate, or a table of tensors");
  command.add_flag("--what-if,!--no-what-if", flags.what_if, "say what more memory, cards or a faster slot would give");
  add_output_flag(command, flags.output, "write the plan of the decode graph to this file");
  command
      .add_option("--given-output", flags.given_output, "write your own plan too, for score, compare, explain, report")
      ->type_name("FILE");
  add_json_flag(command, flags.json);
}

void add_llm_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<LlmFlags>();
  CLI::App* command = app.add_subcommand("llm", "place a language model on unequal devices, with flags to paste");
  add_llm_flags(*command, *flags);
  command->footer(
      "Examples:\n  berth llm llama-70b --machine rtx4090-3060 --ctx 8192\n"
      "  berth llm model.gguf --machine box.toml --ctx 32768 --cache-type q8_0 --reserve gpu0=1.5GiB\n"
      "  berth llm mixtral-8x7b --machine rtx4090-3060 --flags \"-ngl 20 -ts 2,1\"    (is mine any good?)\n"
      "  berth llm llama-8b --machine a100-v100 --runtime vllm --to vllm");
  command->callback([flags, &exit] { exit = finish(run_llm(*flags)); });
}

}  // namespace berth::app
