// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/async_messages.h"

#include "learn/distributed/message.h"

namespace berth::learn {

std::string to_bytes(const Report& report) {
  MessageWriter writer;
  writer.plain(report.kind);
  writer.integer(report.count);
  writer.plain(report.facts);
  writer.maybe(report.deviation);
  writer.floats(report.gradients);
  writer.integer(report.plan ? 1 : 0);
  if (report.plan) writer.plan(*report.plan);
  if (report.plan) writer.score(report.score);
  return writer.bytes();
}

Result<Report> report_from(std::string_view bytes) {
  MessageReader reader(bytes);
  Report report;
  report.kind = reader.plain<ReportKind>();
  report.count = reader.integer();
  report.facts = reader.plain<UpdateFacts>();
  report.deviation = reader.maybe();
  report.gradients = reader.floats();
  if (reader.integer() != 0) {
    report.plan = reader.plan();
    report.score = reader.score();
  }
  BERTH_RETURN_IF_ERROR(reader.end());
  return report;
}

std::string to_bytes(const Orders& orders) {
  MessageWriter writer;
  writer.integer(orders.stop ? 1 : 0);
  writer.integer(orders.updates);
  writer.integer(orders.beginning ? 1 : 0);
  if (orders.beginning) writer.integer(orders.beginning->stream);
  if (orders.beginning) writer.maybe(orders.beginning->baseline);
  if (orders.beginning) writer.maybe(orders.beginning->deviation);
  writer.integer(orders.best ? 1 : 0);
  if (orders.best) writer.score(*orders.best);
  writer.floats(orders.values);
  return writer.bytes();
}

Result<Orders> orders_from(std::string_view bytes) {
  MessageReader reader(bytes);
  Orders orders;
  orders.stop = reader.integer() != 0;
  orders.updates = reader.integer();
  if (reader.integer() != 0) {
    Beginning& beginning = orders.beginning.emplace();
    beginning.stream = reader.integer();
    beginning.baseline = reader.maybe();
    beginning.deviation = reader.maybe();
  }
  if (reader.integer() != 0) orders.best = reader.score();
  orders.values = reader.floats();
  BERTH_RETURN_IF_ERROR(reader.end());
  return orders;
}

}  // namespace berth::learn
