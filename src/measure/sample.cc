// SPDX-License-Identifier: Apache-2.0
#include "measure/sample.h"

#include <algorithm>
#include <cmath>

#include "files/json/json_reader.h"
#include "files/json/json_writer.h"

namespace berth {
namespace {

template <typename T>
void write_list(JsonWriter& json, std::string_view key, const std::vector<T>& values) {
  json.key(key).begin_array();
  for (const T& value : values) json.value(value);
  json.end_array();
}

Result<double> number_at(const JsonValue& row, std::size_t position) {
  const auto value = row.at(position);
  if (!value) return row.error("it is too short");
  return value->number();
}

Result<Bytes> bytes_at(const JsonValue& row, std::size_t position) {
  const auto value = row.at(position);
  if (!value) return row.error("it is too short");
  return value->integer();
}

Result<std::size_t> index_at(const JsonValue& row, std::size_t position, std::size_t count) {
  const auto value = row.at(position);
  if (!value) return row.error("it is too short");
  BERTH_TRY(const std::int64_t number, value->integer(0, static_cast<std::int64_t>(count) - 1));
  return static_cast<std::size_t>(number);
}

Status read_numbers(JsonDocument& document, std::string_view key, std::vector<double>& values) {
  return document.for_each(key, [&](const JsonValue& value) -> Status {
    BERTH_TRY(const double number, value.number());
    values.push_back(number);
    return {};
  });
}

Status read_bytes(JsonDocument& document, std::string_view key, std::vector<Bytes>& values) {
  return document.for_each(key, [&](const JsonValue& value) -> Status {
    BERTH_TRY(const std::int64_t number, value.integer());
    values.push_back(number);
    return {};
  });
}

Result<OpSpan> read_op(const JsonValue& row, const Graph& graph) {
  BERTH_TRY(const std::size_t op, index_at(row, 0, graph.num_ops()));
  BERTH_TRY(const double start_s, number_at(row, 1));
  BERTH_TRY(const double end_s, number_at(row, 2));
  return OpSpan{static_cast<OpId>(op), start_s, end_s};
}

Result<TransferSpan> read_transfer(const JsonValue& row, const Graph& graph, std::size_t devices) {
  BERTH_TRY(const std::size_t tensor, index_at(row, 0, graph.num_tensors()));
  BERTH_TRY(const std::size_t from, index_at(row, 1, devices));
  BERTH_TRY(const std::size_t to, index_at(row, 2, devices));
  BERTH_TRY(const double start_s, number_at(row, 3));
  BERTH_TRY(const double end_s, number_at(row, 4));
  BERTH_TRY(const Bytes bytes, bytes_at(row, 5));
  return TransferSpan{
      static_cast<TensorId>(tensor), static_cast<DeviceId>(from), static_cast<DeviceId>(to), start_s, end_s, bytes};
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

double Sample::median_s() const { return quantile(steps_s, 0.5); }

double Sample::spread() const {
  const double median = median_s();
  return median > 0.0 ? (quantile(steps_s, 0.9) - quantile(steps_s, 0.1)) / median : 0.0;
}

std::string write_sample(const Sample& sample) {
  JsonWriter json;
  json.begin_object();
  write_list(json, "steps_s", sample.steps_s);
  write_list(json, "op_s", sample.op_s);
  json.key("ops").begin_array();
  for (const OpSpan& span : sample.ops) {
    json.begin_array().value(index(span.op)).value(span.start_s).value(span.end_s).end_array();
  }
  json.end_array().key("transfers").begin_array();
  for (const TransferSpan& span : sample.transfers) {
    json.begin_array().value(index(span.tensor)).value(index(span.from)).value(index(span.to));
    json.value(span.start_s).value(span.end_s).value(span.bytes).end_array();
  }
  json.end_array();
  write_list(json, "peak", sample.peak);
  write_list(json, "tensor_peak", sample.tensor_peak);
  json.key("profiled_step_s").value(sample.profiled_step_s).key("checksum").value(sample.checksum).end_object();
  return std::move(json).take();
}

Result<Sample> read_sample(std::string text, const Graph& graph, std::size_t num_devices) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  Sample sample;
  BERTH_RETURN_IF_ERROR(read_numbers(document, "steps_s", sample.steps_s));
  BERTH_RETURN_IF_ERROR(read_numbers(document, "op_s", sample.op_s));
  BERTH_RETURN_IF_ERROR(document.for_each("ops", [&](const JsonValue& row) -> Status {
    BERTH_TRY(const OpSpan span, read_op(row, graph));
    sample.ops.push_back(span);
    return {};
  }));
  BERTH_RETURN_IF_ERROR(document.for_each("transfers", [&](const JsonValue& row) -> Status {
    BERTH_TRY(const TransferSpan span, read_transfer(row, graph, num_devices));
    sample.transfers.push_back(span);
    return {};
  }));
  BERTH_RETURN_IF_ERROR(read_bytes(document, "peak", sample.peak));
  BERTH_RETURN_IF_ERROR(read_bytes(document, "tensor_peak", sample.tensor_peak));
  {
    BERTH_TRY(const JsonValue profiled, document.member("profiled_step_s"));
    BERTH_TRY(sample.profiled_step_s, profiled.number());
  }
  BERTH_TRY(sample.checksum, document.string("checksum"));
  const bool has_peaks = sample.peak.size() == num_devices && sample.tensor_peak.size() == num_devices;
  if (sample.op_s.size() != sample.ops.size() || !has_peaks || sample.steps_s.empty()) {
    return bad_input("the measuring process sent an answer that does not fit the graph");
  }
  return sample;
}

}  // namespace berth
