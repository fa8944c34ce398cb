// SPDX-License-Identifier: Apache-2.0
#include "measure/session.h"

#include <algorithm>

#include "files/json/json_reader.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

// Seconds in which libtorch and a graph are loaded at least, however busy the computer is.
constexpr double kLoading = 60.0;

std::string devices_argument(const std::vector<DeviceSpec>& specs) {
  std::string text;
  for (const DeviceSpec& spec : specs) {
    if (!text.empty()) text += ',';
    text += spec.text;
    if (spec.memory > 0) text += fmt::format("={}B", spec.memory);
  }
  return text;
}

// The member "error" of an answer.
std::optional<Error> error_in(const std::string& answer) {
  Result<JsonDocument> document = JsonDocument::open(answer);
  if (!document) return bad_input("the measuring process sent '{}'", answer.substr(0, 60));
  if (!document->has("error")) return std::nullopt;
  const Result<std::string> text = document->string("error");
  return bad_input("{}", text ? *text : text.error().message);
}

}  // namespace

std::string write_run_request(const Plan& plan, const MeasureOptions& options) {
  JsonWriter json;
  json.begin_object().key("runs").value(options.runs).key("profiles").value(options.profiles);
  json.key("enough_s").value(options.enough_s);
  json.key("device_of").begin_array();
  for (const DeviceId device : plan.device_of) json.value(index(device));
  json.end_array().key("priority").begin_array();
  for (const double priority : plan.priority) json.value(priority);
  json.end_array().end_object();
  return std::move(json).take();
}

Result<std::unique_ptr<MeasureSession>> MeasureSession::open(const Problem& problem, MeasureOptions options) {
  BERTH_RETURN_IF_ERROR(check_device_specs(options.devices, problem.machine()));
  std::unique_ptr<MeasureSession> session(new MeasureSession(problem, std::move(options)));
  BERTH_RETURN_IF_ERROR(session->start());
  return session;
}

Status MeasureSession::start() {
  BERTH_TRY(WorkerProcess worker, WorkerProcess::start(options_.program, {std::string(kWorkerCommand), options_.capture,
                                                                          devices_argument(options_.devices)}));
  const Result<std::string> answer =
      worker.ask("{}\n", {std::max(options_.limit_s, kLoading), options_.resident, options_.stop});
  if (!answer) return within("the measuring process", answer.error());
  if (const auto error = error_in(*answer)) return *error;
  worker_.emplace(std::move(worker));
  return {};
}

Result<Sample> MeasureSession::run(const Plan& plan) {
  if (!worker_) BERTH_RETURN_IF_ERROR(start());
  Result<std::string> answer =
      worker_->ask(write_run_request(plan, options_), {options_.limit_s, options_.resident, options_.stop});
  if (!answer) {
    worker_.reset();  // it is gone
    return answer.error();
  }
  if (const auto error = error_in(*answer)) {
    worker_.reset();  // what an error left behind in it must not touch the next plan
    return *error;
  }
  return read_sample(*std::move(answer), problem_.graph(), problem_.machine().num_devices());
}

Result<Sample> MeasureSession::measure(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  Result<Sample> sample = run(plan);
  ++measured_;
  if (!sample) {
    ++failed_;
    last_failure_ = sample.error().message;
  }
  return sample;
}

std::string MeasureSession::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

}  // namespace berth
