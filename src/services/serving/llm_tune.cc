// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm_tune.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "measure/program_run.h"
#include "services/serving/served_shares.h"
#include "serving/files/llama_bench.h"
#include "serving/files/llama_flags_reader.h"
#include "serving/files/served_file.h"

namespace berth {
namespace {

constexpr std::size_t kMostPlans = 4;
constexpr double kWorthARun = 1.5;    // times the best request that is predicted
constexpr std::int64_t kAnswer = 32;  // tokens that are written in a run
constexpr std::string_view kBenchWords = "-m {model} {flags} -p {prompt} -n {answer} -d {depths} -r 3 -o json";
constexpr std::array<std::string_view, 5> kPlaceholders{"{model}", "{flags}", "{prompt}", "{answer}", "{depths}"};

// What a run is asked for, so that it can stand beside what is predicted.
struct Asked {
  std::int64_t prompt = 0, prompt_depth = 0, answer_depth = 0;

  [[nodiscard]] std::string depths() const {
    if (prompt_depth == answer_depth) return fmt::format("{}", prompt_depth);
    return fmt::format("{},{}", prompt_depth, answer_depth);
  }
};

// Batches that run in a row, several cards at once, begin earlier: on average they are where one was predicted. So are
// the words of an answer.
Asked asked_of(const TunedPlan& plan) {
  const llm::ServingOptions& options = plan.serving->options();
  const std::int64_t batch = options.cache.prompt_batch, context = options.cache.context;
  Asked asked;
  asked.prompt = batch * (plan.judged.verdict.pipelined ? options.batches_in_a_row() : 1);
  asked.prompt_depth = std::max<std::int64_t>(0, options.prefill_depth() + (batch - asked.prompt) / 2);
  const std::int64_t depth = options.decode_depth() < 0 ? context : options.decode_depth();
  asked.answer_depth = std::max<std::int64_t>(0, std::min(depth, context) - kAnswer / 2);
  return asked;
}

LlamaFlags flags_of_plan(const LlmAnswer& answer, const TunedPlan& plan, const RuntimeDevices& devices) {
  return llama_flags(*answer.model, devices, plan.judged.placement, plan.serving->options().cache);
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// The user's words with what is to be run in place of what stands for it. A word {flags} becomes several.
class Command {
 public:
  static Result<Command> make(const TuneRequest& request) {
    Command command;
    auto words = shell_words(request.command);
    if (!words) return within("--tune-command", words.error());
    command.words_ = *std::move(words);
    if (command.words_.empty()) return bad_input("--tune-command: it is empty; write for example llama-bench");
    auto program = find_program(command.words_.front());
    if (!program) {
      return bad_input("--tune: {}; build llama.cpp's llama-bench, or name one: --tune-command /path/to/llama-bench",
                       program.error().message);
    }
    command.words_.front() = *std::move(program);
    const auto holds_any = [](const std::string& word) {
      return std::ranges::any_of(kPlaceholders, [&](std::string_view name) { return word.find(name) != word.npos; });
    };
    if (std::ranges::none_of(command.words_, holds_any)) {
      for (const std::string_view word : split(kBenchWords, ' ')) command.words_.emplace_back(word);
    }
    return command;
  }

  [[nodiscard]] bool needs_model() const {
    return std::ranges::any_of(words_, [](const std::string& word) { return word.find("{model}") != word.npos; });
  }

  [[nodiscard]] std::vector<std::string> words(const std::string& model, const std::vector<std::string>& flags,
                                               const Asked& asked) const {
    std::vector<std::string> words;
    for (const std::string& word : words_) {
      if (word == "{flags}") {
        words.insert(words.end(), flags.begin(), flags.end());
        continue;
      }
      std::string made = word;
      replace_all(made, "{flags}", join(flags, " "));
      replace_all(made, "{prompt}", fmt::format("{}", asked.prompt));
      replace_all(made, "{answer}", fmt::format("{}", kAnswer));
      replace_all(made, "{depths}", asked.depths());
      replace_all(made, "{model}", model);  // last: a file may be called anything
      words.push_back(std::move(made));
    }
    return words;
  }

 private:
  std::vector<std::string> words_;
};

Status check_tunable(const TuneRequest& request, const Command& command, const LlmAnswer& answer) {
  if (answer.options.runtime != llm::Runtime::kLlamaCpp) {
    return bad_input("--tune: only plans for llama.cpp are run; leave --runtime {} out",
                     name_of(answer.options.runtime));
  }
  if (answer.options.cache.sequences > 1) {
    return bad_input("--tune: llama-bench runs one sequence; leave --sequences out");
  }
  if (command.needs_model() && !path_exists(request.model)) {
    return bad_input("--tune: '{}' is no file; llama-bench needs the model's own (.gguf)", request.model);
  }
  return {};
}

// What a plan is like; of plans that are alike one is enough.
using Likeness = std::tuple<std::int64_t, std::vector<DeviceId>, bool, bool>;

Likeness likeness_of(const TunedPlan& plan) {
  std::vector<DeviceId> order;
  bool moves = false;
  for (const llm::Block& block : plan.judged.shape.blocks) {
    if (block.layers > 0) order.push_back(block.device);
    moves = moves || block.moved > 0;
  }
  return {plan.serving->options().cache.prompt_batch, std::move(order), moves, plan.judged.shape.cpu_layers > 0};
}

Status add_plans(std::int64_t batch, const LlmAnswer& answer, std::vector<TunedPlan>& plans) {
  llm::ServingOptions options = answer.options;
  options.cache.prompt_batch = batch;
  BERTH_TRY(llm::Serving made, llm::Serving::make(answer.model, answer.machine, options));
  auto serving = std::make_shared<llm::Serving>(std::move(made));
  const auto search = std::make_shared<const llm::PlacementSearch>(llm::find_placement(*serving));
  const auto add = [&](const llm::Judged& judged) {
    if (judged.verdict.fits && judged.verdict.unpinned == 0)
      plans.push_back({.serving = serving, .search = search, .judged = judged});
  };
  add(search->best);
  for (const llm::Judged& judged : search->found) add(judged);
  return {};
}

// The answer's own plan, then the best of those that differ.
Result<std::vector<TunedPlan>> plans_to_run(const LlmAnswer& answer) {
  const std::int64_t own = answer.options.cache.prompt_batch;
  std::vector<TunedPlan> all;
  for (const std::int64_t batch : {std::int64_t{512}, std::int64_t{1024}, std::int64_t{2048}}) {
    const bool is_asked = answer.is_batch_free && batch <= answer.options.cache.context;
    if (batch != own && is_asked) BERTH_RETURN_IF_ERROR(add_plans(batch, answer, all));
  }
  BERTH_RETURN_IF_ERROR(add_plans(own, answer, all));
  std::ranges::stable_sort(all, std::ranges::less(),
                           [](const TunedPlan& plan) { return plan.judged.verdict.request_s; });
  std::vector<TunedPlan> chosen{{.serving = answer.serving,
                                 .search = std::make_shared<const llm::PlacementSearch>(answer.search),
                                 .judged = answer.search.best}};
  std::set<Likeness> seen{likeness_of(chosen.front())};
  for (TunedPlan& plan : all) {
    if (chosen.size() == kMostPlans || plan.judged.verdict.request_s > kWorthARun * answer.verdict().request_s) break;
    if (seen.insert(likeness_of(plan)).second) chosen.push_back(std::move(plan));
  }
  const RuntimeDevices devices(*answer.machine, answer.names);
  for (TunedPlan& plan : chosen) plan.flags = flag_line(flags_of_plan(answer, plan, devices), devices);
  return chosen;
}

Result<double> speed_of(const std::vector<BenchSpeed>& speeds, std::int64_t prompt, std::int64_t answer,
                        std::int64_t depth) {
  for (const BenchSpeed& speed : speeds) {
    if (speed.prompt == prompt && speed.answer == answer && speed.depth == depth) return speed.tokens_per_s;
  }
  return bad_input("it printed no speed of {} tokens behind {}",
                   prompt > 0 ? fmt::format("a prompt of {}", prompt) : fmt::format("an answer of {}", answer), depth);
}

Status time_plan(const std::vector<std::string>& words, const Asked& asked, const ProgramLimits& limits,
                 TunedPlan& plan) {
  BERTH_TRY(const std::string text, run_program(words, limits));
  BERTH_TRY(const std::vector<BenchSpeed> speeds, read_bench_speeds(text));
  BERTH_TRY(const double prefill, speed_of(speeds, asked.prompt, 0, asked.prompt_depth));
  BERTH_TRY(const double decode, speed_of(speeds, 0, kAnswer, asked.answer_depth));
  plan.prompt_s = static_cast<double>(plan.serving->options().cache.prompt_batch) / prefill;
  plan.decode_s = 1.0 / decode;
  return {};
}

Status run_tuned_plans(const TuneRequest& request, const Command& command, const LlmAnswer& answer, TunedLlm& tuned,
                       Caller& caller) {
  const RuntimeDevices devices(*answer.machine, answer.names);
  const ProgramLimits limits{.seconds = request.limit_s, .stop = caller.stop_flag()};
  std::size_t number = 0;
  bool any = false;
  for (TunedPlan& plan : tuned.plans) {
    caller.show(fmt::format("plan {} of {}: {}", ++number, tuned.plans.size(), plan.flags));
    const Asked asked = asked_of(plan);
    const std::vector<std::string> flags = bench_words(flags_of_plan(answer, plan, devices), devices);
    const Status timed = time_plan(command.words(request.model, flags, asked), asked, limits, plan);
    any = any || timed.ok();
    if (timed) continue;
    plan.failure = printable(timed.error().message);
    caller.note(fmt::format("note: a plan failed ({}): {}", plan.flags, plan.failure));
  }
  caller.part_ends();
  if (any) return {};
  return infeasible("--tune: no plan could be run: {}", tuned.plans.front().failure);
}

std::size_t fastest_plan(const TunedLlm& tuned, const llm::Mix& mix) {
  std::size_t best = tuned.plans.size();
  for (std::size_t i = 0; i < tuned.plans.size(); ++i) {
    if (!tuned.plans[i].ran()) continue;
    if (best == tuned.plans.size() || tuned.plans[i].request_s(mix) < tuned.plans[best].request_s(mix)) best = i;
  }
  return best;
}

std::vector<ServedShares> learned_from(const TunedLlm& tuned, const Machine& machine) {
  std::vector<ServedStep> steps;
  for (const TunedPlan& plan : tuned.plans) {
    if (!plan.ran()) continue;
    const llm::Verdict& verdict = plan.judged.verdict;
    steps.push_back({plan.serving.get(), &plan.judged.placement, llm::Phase::kDecode, verdict.decode_s,
                     verdict.decode_copies_s, plan.decode_s});
    steps.push_back({plan.serving.get(), &plan.judged.placement, llm::Phase::kPrefill, verdict.prompt_s,
                     verdict.prefill_copies_s, plan.prompt_s});
  }
  return fit_served_shares(machine, steps);
}

Status keep_best(TunedLlm& tuned, LlmAnswer& answer) {
  tuned.kept = fastest_plan(tuned, answer.options.mix);
  if (tuned.kept == 0) return {};
  const TunedPlan& plan = tuned.plans[tuned.kept];
  llm::PlacementSearch search = *plan.search;
  search.best = plan.judged;
  BERTH_RETURN_IF_ERROR(adopt(plan.serving, std::move(search), answer));
  if (!answer.what_ifs.empty()) {
    answer.what_ifs = llm::ask_what_ifs(answer.model, answer.machine, answer.options, answer.placement());
  }
  check_verified(answer);
  return {};
}

}  // namespace

double TunedPlan::request_s(const llm::Mix& mix) const {
  const auto batch = static_cast<double>(serving->options().cache.prompt_batch);
  return mix.prompt * prompt_s / batch + mix.generated * decode_s;
}

Status tune_llm(const TuneRequest& request, LlmAnswer& answer, Caller& caller) {
  BERTH_TRY(const Command command, Command::make(request));
  BERTH_RETURN_IF_ERROR(check_tunable(request, command, answer));
  if (!answer.verdict().fits) return {};  // which the answer says
  auto tuned = std::make_shared<TunedLlm>();
  BERTH_TRY(tuned->plans, plans_to_run(answer));
  caller.work_begins();
  BERTH_RETURN_IF_ERROR(run_tuned_plans(request, command, answer, *tuned, caller));
  tuned->learned = learned_from(*tuned, *answer.machine);
  BERTH_RETURN_IF_ERROR(keep_best(*tuned, answer));
  answer.tuned = tuned;
  if (request.learned.empty()) return {};
  return write_file_atomically(request.learned, write_served(*answer.machine, tuned->learned));
}

}  // namespace berth
