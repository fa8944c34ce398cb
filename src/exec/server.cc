// SPDX-License-Identifier: Apache-2.0
#include "exec/server.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <thread>
#include <utility>

#include "base/hasher.h"
#include "exec/executor.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"
#include "import/aten/aten_graph.h"

namespace berth::exec {
namespace {

struct RunRequest {
  int runs = 10, profiles = 1;
  double enough_s = 0.0;
  Plan plan;
};

std::string error_line(std::string_view message) {
  JsonWriter json;
  json.begin_object().key("error").value(message).end_object();
  return std::move(json).take();
}

void answer(const std::string& line) {
  std::cout << line;
  std::cout.flush();
}

// An op that never ends would outlive a parent that was killed.
void end_with_parent() {
  std::thread([parent = getppid()] {
    while (getppid() == parent) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    _exit(1);
  }).detach();
}

Result<std::string> text_of_capture(const std::string& path) {
  BERTH_TRY(std::string text, read_file(path));
  BERTH_TRY(JsonDocument document, JsonDocument::open(text));
  const Status format = check_format(document, kAtenGraphFormat);
  if (!format) {
    return bad_input(
        "{}: only captures ({}) can be run, since they have the arguments of every op; python -m "
        "berth.capture writes one",
        path, kAtenGraphFormat);
  }
  return text;
}

Result<Graph> graph_of(const std::string& text) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(text));
  return read_aten_graph(std::move(document));
}

Result<RunRequest> read_request(std::string text, const Graph& graph, std::size_t num_devices) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  RunRequest request;
  for (auto [key, place] : {std::pair{"runs", &request.runs}, std::pair{"profiles", &request.profiles}}) {
    BERTH_TRY(const JsonValue value, document.member(key));
    BERTH_TRY(const std::int64_t number, value.integer(0, 1'000'000));
    *place = static_cast<int>(number);
  }
  {
    BERTH_TRY(const JsonValue enough, document.member("enough_s"));
    BERTH_TRY(request.enough_s, enough.number());
  }
  const auto last = static_cast<std::int64_t>(num_devices) - 1;
  BERTH_RETURN_IF_ERROR(document.for_each("device_of", [&](const JsonValue& value) -> Status {
    BERTH_TRY(const std::int64_t device, value.integer(0, last));
    request.plan.device_of.push_back(static_cast<DeviceId>(device));
    return {};
  }));
  BERTH_RETURN_IF_ERROR(document.for_each("priority", [&](const JsonValue& value) -> Status {
    BERTH_TRY(const double priority, value.number());
    request.plan.priority.push_back(priority);
    return {};
  }));
  const bool fits = request.plan.device_of.size() == graph.num_ops() &&
                    (request.plan.priority.empty() || request.plan.priority.size() == graph.num_ops());
  if (!fits) return bad_input("the plan does not have one entry per op");
  return request;
}

std::string checksum(const std::vector<at::Tensor>& tensors) {
  Hasher hasher;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor flat = tensor.contiguous();
    hasher.add(std::string_view(static_cast<const char*>(flat.data_ptr()), flat.nbytes()));
  }
  return hasher.hex();
}

// Durations of every op over several steps: the median of each.
std::vector<double> median_durations(const std::vector<Step>& steps) {
  std::vector<double> medians;
  if (steps.empty()) return medians;
  for (std::size_t i = 0; i < steps.back().ops.size(); ++i) {
    std::vector<double> durations;
    for (const Step& step : steps) durations.push_back(std::max(step.ops[i].end_s - step.ops[i].start_s, 0.0));
    medians.push_back(quantile(std::move(durations), 0.5));
  }
  return medians;
}

class Server {
 public:
  static Result<std::unique_ptr<Server>> load(const std::string& capture, std::string_view devices) {
    BERTH_TRY(std::string text, text_of_capture(capture));
    BERTH_TRY(std::vector<DeviceSpec> specs, parse_device_specs(devices, cores_here()));
    Result<Graph> graph = graph_of(text);
    if (!graph) return within(capture, graph.error());
    std::unique_ptr<Server> server(new Server(*std::move(graph), specs.size()));
    for (const OpId op : server->graph_.ops()) server->has_updates_ |= server->graph_.updated_parameter(op) != kNoOp;
    Result<Program> program = Program::read(std::move(text), server->graph_);
    if (!program) return within(capture, program.error());
    server->program_ = *std::move(program);
    BERTH_TRY(server->executor_, Executor::make(server->graph_, server->program_, std::move(specs)));
    return server;
  }

  Result<std::string> handle(std::string line) {
    BERTH_TRY(const RunRequest request, read_request(std::move(line), graph_, num_devices_));
    BERTH_TRY(const Sample sample, run(request));
    return write_sample(sample);
  }

 private:
  Server(Graph graph, std::size_t num_devices) : graph_(std::move(graph)), num_devices_(num_devices) {}

  Result<Sample> run(const RunRequest& request) {
    executor_->prepare(request.plan, is_first_);
    executor_->reset_peaks();
    Sample sample;
    BERTH_RETURN_IF_ERROR(run_timed(request, sample));
    BERTH_RETURN_IF_ERROR(run_profiled(request, sample));
    for (std::size_t i = 0; i < num_devices_; ++i) sample.peak.push_back(executor_->peak(i));
    is_first_ = false;
    return sample;
  }

  Status run_timed(const RunRequest& request, Sample& sample) {
    constexpr std::size_t kFewest = 4;
    std::vector<double> seconds;
    double total_s = 0.0;
    for (int i = 0; i < std::max(request.runs, 1); ++i) {
      if (request.enough_s > 0.0 && total_s > request.enough_s && seconds.size() >= kFewest) break;
      BERTH_TRY(const Step step, executor_->step(false));
      seconds.push_back(step.seconds);
      if (i > 0) total_s += step.seconds;  // the first one loads kernels and fills caches of memory
      if (i == 0 && (is_first_ || !has_updates_)) sample.checksum = checksum(executor_->outputs());
    }
    const auto counted = static_cast<std::ptrdiff_t>((seconds.size() + 1) / 2);
    sample.steps_s.assign(seconds.end() - counted, seconds.end());
    return {};
  }

  Status run_profiled(const RunRequest& request, Sample& sample) {
    std::vector<Step> steps;
    sample.tensor_peak.assign(num_devices_, 0);
    for (int i = 0; i < request.profiles; ++i) {
      BERTH_TRY(Step step, executor_->step(true));
      for (std::size_t d = 0; d < num_devices_; ++d) {
        sample.tensor_peak[d] = std::max(sample.tensor_peak[d], step.tensor_peak[d]);
      }
      steps.push_back(std::move(step));
    }
    if (steps.empty()) return {};
    sample.op_s = median_durations(steps);
    sample.ops = std::move(steps.back().ops);
    sample.transfers = std::move(steps.back().transfers);
    sample.profiled_step_s = steps.back().seconds;
    return {};
  }

  Graph graph_;
  std::size_t num_devices_;
  Program program_;
  std::unique_ptr<Executor> executor_;
  bool is_first_ = true;
  bool has_updates_ = false;  // a plan begins with the parameters that the one before it left
};

// Errors of ATen end here.
template <typename Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    return bad_input("{}", text.substr(0, text.find('\n')));
  }
}

}  // namespace

Status serve(const std::string& capture, std::string_view devices) {
  end_with_parent();
  std::string line;
  std::getline(std::cin, line);  // the question whether all is well
  Result<std::unique_ptr<Server>> server = guarded([&] { return Server::load(capture, devices); });
  if (!server) {
    answer(error_line(server.error().message));
    return {};
  }
  answer("{\"ready\": true}\n");
  while (std::getline(std::cin, line)) {
    const Result<std::string> done = guarded([&] { return (*server)->handle(line); });
    answer(done ? *done : error_line(done.error().message));
    if (!done) std::_Exit(0);  // what the error left behind is of no use, not even for an orderly end
    if (!std::cout) return bad_input("the process that asked is gone");
  }
  return {};
}

}  // namespace berth::exec
