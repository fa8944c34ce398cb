// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/controller.h"

#include "learn/distributed/async_messages.h"
#include "learn/distributed/rooted_communicator.h"

namespace berth::learn {
namespace {

void begin(Trainer& trainer, const Beginning& beginning) {
  TrainState state = trainer.state();
  state.rng = Rng(beginning.stream);
  LessonState& lesson = state.lessons.front();
  if (beginning.baseline) lesson.baseline = beginning.baseline;
  if (beginning.deviation) lesson.deviation = beginning.deviation;
  trainer.restore(std::move(state));
}

// The server may be waiting for another controller before it ends the run: it is given time to say so itself. Of many
// controllers that miss it the first speaks first.
Result<Orders> orders_of_server(Communicator& communicator) {
  const double patience_s = 2 * communicator.deadline_s() + 0.25 * communicator.rank();
  BERTH_TRY(const std::optional<Message> message, communicator.receive(patience_s));
  if (!message) return silence({0}, patience_s, "values");
  return orders_from(message->bytes);
}

// The best plan goes along only if it is news.
void add_best_plan(const Trainer& trainer, const std::optional<Score>& known, Report& report) {
  const LessonState& lesson = trainer.lessons().front();
  const ScoredPlan* const best = lesson.best_known();
  if (best == nullptr || (known && !better(best->score, *known))) return;
  report.plan = best->plan;
  report.score = best->score;
}

}  // namespace

Status control(Trainer& trainer, Communicator& communicator) {
  trainer.set_alone();
  Report report;
  report.count = static_cast<std::uint64_t>(trainer.parameters().count());
  for (;;) {
    BERTH_RETURN_IF_ERROR(communicator.send(0, to_bytes(report)));
    BERTH_TRY(const Orders orders, orders_of_server(communicator));
    if (orders.stop) return {};
    if (orders.beginning) begin(trainer, *orders.beginning);
    trainer.set_updates(orders.updates);
    trainer.parameters().set_values(orders.values);
    report = {};
    BERTH_TRY(auto found, trainer.gradients());
    if (found) trainer.finish_update();
    add_best_plan(trainer, orders.best, report);
    if (!found) {
      report.kind = ReportKind::kLeaving;
      return communicator.send(0, to_bytes(report));
    }
    report.kind = ReportKind::kGradients;
    report.facts = found->facts;
    report.deviation = trainer.state().lessons.front().deviation;
    report.gradients = std::move(found->values);
  }
}

}  // namespace berth::learn
