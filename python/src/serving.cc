// SPDX-License-Identifier: Apache-2.0
// Language models on a machine, as plain values.
#include "bindings.h"
#include "services/serving/llm.h"
#include "services/serving/llm_export.h"
#include "services/serving/llm_facts.h"
#include "services/serving/llm_options.h"

namespace berth::python {
namespace {

py::list memory_of(const LlmAnswer& answer) {
  py::list devices;
  for (const LlmDeviceUse& use : device_uses(answer)) {
    py::dict entry;
    entry["name"] = answer.machine->device(use.device).name;
    entry["layers"] = use.layers;
    entry["weight_bytes"] = use.weights;
    entry["cache_bytes"] = use.cache;
    entry["runtime_bytes"] = use.runtime;
    entry["capacity_bytes"] = use.capacity;
    entry["free_bytes"] = use.free;
    devices.append(entry);
  }
  return devices;
}

py::dict values_of(const LlmAnswer& answer, std::string text) {
  const llm::Verdict& verdict = answer.verdict();
  py::dict entry;
  entry["feasible"] = verdict.fits;
  entry["bytes_over"] = verdict.over;
  entry["decode_tokens_per_s"] = answer.decode_tokens(verdict.decode_s);
  entry["prefill_tokens_per_s"] = answer.prefill_tokens(verdict.prompt_s);
  entry["devices"] = memory_of(answer);
  entry["to_paste"] = std::move(text);
  entry["largest_context"] = answer.context_at_all;
  std::vector<std::string> notes;
  for (const std::string& note : answer.notes) notes.push_back(in_python(note));
  entry["notes"] = notes;
  return entry;
}

py::dict serve(LlmRequest request, const std::string& runtime, const std::string& objective) {
  request.runtime = unwrap(find_runtime(runtime));
  request.mix = unwrap(find_mix(objective));
  request.what_if = false;
  std::string text;
  const LlmAnswer answer = [&] {
    const py::gil_scoped_release others_may_run;
    LlmAnswer found = unwrap(answer_llm(request));
    text = unwrap(text_to_paste(found, found.options.runtime));
    return found;
  }();
  return values_of(answer, std::move(text));
}

}  // namespace

void add_serving(py::module_& module) {
  py::class_<LlmRequest>(module, "LlmRequest")
      .def(py::init<>())
      .def_readwrite("model", &LlmRequest::model)
      .def_readwrite("machine", &LlmRequest::machine)
      .def_readwrite("weights", &LlmRequest::weights)
      .def_readwrite("cache_type", &LlmRequest::cache_type)
      .def_readwrite("context", &LlmRequest::context)
      .def_readwrite("sequences", &LlmRequest::sequences)
      .def_readwrite("reserves", &LlmRequest::reserves)
      .def_readwrite("pins", &LlmRequest::pins)
      .def_readwrite("without", &LlmRequest::without);
  module.def("llm", serve, py::arg("request"), py::arg("runtime"), py::arg("objective"));
}

}  // namespace berth::python
