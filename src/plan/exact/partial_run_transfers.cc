// SPDX-License-Identifier: Apache-2.0
// Transfers of a partial run: through the hops of their route, and turns in the queues.
#include "plan/exact/partial_run.h"

namespace berth::exact {
void PartialRun::request(int tensor, int from, int to) {
  transfers_.push_back({0, tensor, from, to, tables_->first_hop[cell(from, to)], 0, Transfer::State::kRequested, true});
  touched_ |= tables_->relays[cell(from, to)];
  move_on(transfers_.back());
  if (transfers_.back().hop < 0) transfers_.pop_back();
}

// Brings a transfer through hops that take no time to the next one that does.
void PartialRun::move_on(Transfer& transfer) {
  for (;;) {
    const Hop& hop = tables_->hops[at(transfer.hop)];
    const Picoseconds time = tables_->on_channel(transfer.tensor, hop.channel);
    if (time > 0 && hop.queue >= 0) {
      transfer.state = Transfer::State::kRequested;
      return;
    }
    if (hop.last) allocate(transfer.to, tables_->bytes[at(transfer.tensor)]);
    if (time > 0) {
      transfer.state = Transfer::State::kMoving;
      transfer.end = now_ + time;
      return;
    }
    if (!leave_hop(transfer)) return;
  }
}

// Ends the present hop; false if it was the last: the copy has arrived and the transfer is over.
bool PartialRun::leave_hop(Transfer& transfer) {
  if (transfer.first) release(transfer.tensor, transfer.from);
  transfer.first = false;
  if (!tables_->hops[at(transfer.hop++)].last) return true;
  std::int32_t uses = 0;
  for (const int consumer : tables_->consumers.of(transfer.tensor)) {
    if (device_of(consumer) != transfer.to) continue;
    ++uses;
    arrive(consumer);
  }
  root_[cell(transfer.tensor, transfer.to)] = static_cast<std::int16_t>(transfer.tensor);
  uses_[cell(transfer.tensor, transfer.to)] = uses;
  transfer.hop = -1;
  return false;
}

Decision PartialRun::compare_requests(std::size_t a, std::size_t b, bool& a_first) const {
  const Transfer &x = transfers_[a], &y = transfers_[b];
  a_first = x.tensor != y.tensor ? x.tensor < y.tensor : x.to < y.to;
  if (x.tensor != y.tensor || (*device_classes_)[at(x.to)] != (*device_classes_)[at(y.to)]) return kGoOn;
  a_first = ((lower_than_[at(x.to)] >> y.to) & 1) != 0;
  if (a_first || ((lower_than_[at(y.to)] >> x.to) & 1) != 0) return kGoOn;
  return {Decision::Kind::kLowerDevice, x.to, y.to};
}

Decision PartialRun::queue_requests() {
  int requests = 0;
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (transfers_[i].state != Transfer::State::kRequested) continue;
    const int queue = tables_->hops[at(transfers_[i].hop)].queue;
    int before = 0;
    for (std::size_t j = 0; j < transfers_.size(); ++j) {
      if (j == i || transfers_[j].state != Transfer::State::kRequested) continue;
      if (tables_->hops[at(transfers_[j].hop)].queue != queue) continue;
      bool j_first = false;
      if (const Decision open = compare_requests(j, i, j_first); open.kind != Decision::Kind::kNone) return open;
      before += j_first ? 1 : 0;
    }
    transfers_[i].turn = turns_ + before;
    ++requests;
  }
  if (requests == 0) return kGoOn;
  turns_ += requests;
  for (Transfer& transfer : transfers_) {
    if (transfer.state == Transfer::State::kRequested) transfer.state = Transfer::State::kQueued;
  }
  return kGoOn;
}

void PartialRun::pick_transfers() {
  for (;;) {
    Transfer* next = nullptr;
    for (Transfer& transfer : transfers_) {
      if (transfer.state != Transfer::State::kQueued) continue;
      if (queue_busy_[at(tables_->hops[at(transfer.hop)].queue)] != 0) continue;
      if (next == nullptr || transfer.turn < next->turn) next = &transfer;
    }
    if (next == nullptr) return;
    const Hop& hop = tables_->hops[at(next->hop)];
    queue_busy_[at(hop.queue)] = 1;
    next->state = Transfer::State::kMoving;
    next->end = now_ + tables_->on_channel(next->tensor, hop.channel);
    if (hop.last) allocate(next->to, tables_->bytes[at(next->tensor)]);
  }
}

}  // namespace berth::exact
