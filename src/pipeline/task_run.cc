// SPDX-License-Identifier: Apache-2.0
#include "pipeline/task_run.h"

#include <algorithm>
#include <utility>

namespace berth::pipeline {

void TaskRun::clear() {
  tasks_.clear();
  messages_.clear();
  readers_.clear();
  from_start_.clear();
}

std::uint32_t TaskRun::add_task(Picoseconds duration) {
  tasks_.push_back({.duration = duration});
  return static_cast<std::uint32_t>(tasks_.size()) - 1;
}

void TaskRun::add_wait(std::uint32_t before, std::uint32_t after) {
  tasks_[before].next.push_back(after);
  ++tasks_[after].waits;
}

void TaskRun::add_delayed_wait(std::uint32_t before, std::uint32_t after, Picoseconds offset, Picoseconds delay) {
  tasks_[before].delayed.push_back({after, offset, delay});
  ++tasks_[after].waits;
}

std::uint32_t TaskRun::add_message(std::uint32_t task, const Message& message) {
  const auto id = static_cast<std::uint32_t>(messages_.size());
  messages_.push_back(message);
  readers_.emplace_back();
  (task == kFromStart ? from_start_ : tasks_[task].messages).push_back(id);
  return id;
}

void TaskRun::add_reader(std::uint32_t message, std::uint32_t task) {
  readers_[message].push_back(task);
  ++tasks_[task].waits;
}

bool TaskRun::run() {
  queues_.assign(problem_.machine().queues().size(), {});
  queue_uses_.assign(queues_.size(), {});
  hop_.assign(messages_.size(), 0);
  touched_.clear();
  requests_.clear();
  ready_.clear();
  now_ = last_end_ = 0;
  ended_ = 0;
  for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
    tasks_[task].start = -1;
    if (tasks_[task].waits == 0) ready_.push_back(task);
  }
  for (const std::uint32_t message : from_start_) request(message);
  settle();
  pick();
  while (!events_.empty()) {
    now_ = events_.top().time;
    do {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    } while (!events_.empty() && events_.top().time == now_);
    settle();
    pick();
  }
  return ended_ == tasks_.size();
}

void TaskRun::handle(const Event& event) {
  switch (event.kind) {
    case Kind::kTaskEnd:
      return end_task(event.item);
    case Kind::kHopEnd:
      return end_hop(event.item);
    case Kind::kSignal:
      return arrive(event.item);
  }
}

void TaskRun::arrive(std::uint32_t task) {
  if (--tasks_[task].waits == 0) ready_.push_back(task);
}

void TaskRun::settle() {
  while (!ready_.empty()) {
    const std::uint32_t task = ready_.back();
    ready_.pop_back();
    start_task(task);
  }
}

void TaskRun::start_task(std::uint32_t id) {
  Task& task = tasks_[id];
  task.start = now_;
  for (const Task::Delayed& delayed : task.delayed) {
    const Picoseconds time = now_ + delayed.after_start + delayed.delay;
    if (time == now_) {
      arrive(delayed.task);
    } else {
      events_.push({time, Kind::kSignal, delayed.task});
    }
  }
  if (task.duration == 0) return end_task(id);
  events_.push({now_ + task.duration, Kind::kTaskEnd, id});
}

void TaskRun::end_task(std::uint32_t id) {
  ++ended_;
  last_end_ = now_;
  for (const std::uint32_t next : tasks_[id].next) arrive(next);
  for (const std::uint32_t message : tasks_[id].messages) request(message);
}

void TaskRun::request(std::uint32_t message) {
  hop_[message] = 0;
  messages_[message].left = -1;
  advance(message);
}

std::uint16_t TaskRun::channel(std::uint32_t message) const {
  return problem_.machine().route(messages_[message].from, messages_[message].to)[hop_[message]];
}

Picoseconds TaskRun::hop_time(std::uint32_t message) const {
  return problem_.transfer_time(messages_[message].bytes, channel(message));
}

bool TaskRun::on_last_hop(std::uint32_t message) const {
  return hop_[message] + 1 == problem_.machine().route(messages_[message].from, messages_[message].to).size();
}

// Through links that take no time to the next that does: into its queue, or onto an uncontended link.
void TaskRun::advance(std::uint32_t id) {
  for (;;) {
    const Picoseconds duration = hop_time(id);
    const int queue = problem_.machine().channels()[channel(id)].queue;
    if (duration > 0 && queue >= 0) {
      requests_.push_back({messages_[id].key, id, queue});
      return;
    }
    if (on_last_hop(id)) messages_[id].last_link_start = now_;
    if (duration > 0) return events_.push({now_ + duration, Kind::kHopEnd, id});
    if (!leave_hop(id)) return;
  }
}

// True if there is another link.
bool TaskRun::leave_hop(std::uint32_t id) {
  Message& message = messages_[id];
  if (message.left < 0) message.left = now_;
  const bool was_last = on_last_hop(id);
  ++hop_[id];
  if (!was_last) return true;
  message.arrived = now_;
  for (const std::uint32_t reader : readers_[id]) arrive(reader);
  return false;
}

void TaskRun::end_hop(std::uint32_t id) {
  if (const int queue = problem_.machine().channels()[channel(id)].queue; queue >= 0) {
    LinkQueue& link = queues_[static_cast<std::size_t>(queue)];
    link.busy = false;
    if (!std::exchange(link.touched, true)) touched_.push_back(static_cast<std::uint32_t>(queue));
  }
  if (leave_hop(id)) advance(id);
}

void TaskRun::pick() {
  std::ranges::sort(requests_, {}, &Request::key);
  for (const Request& request : requests_) {
    LinkQueue& link = queues_[static_cast<std::size_t>(request.queue)];
    link.waiting.push(request.message);
    if (!std::exchange(link.touched, true)) touched_.push_back(static_cast<std::uint32_t>(request.queue));
  }
  requests_.clear();
  for (const std::uint32_t queue : touched_) {
    LinkQueue& link = queues_[queue];
    link.touched = false;
    if (link.busy || link.waiting.empty()) continue;
    const std::uint32_t id = link.waiting.front();
    link.waiting.pop();
    link.busy = true;
    if (on_last_hop(id)) messages_[id].last_link_start = now_;
    const Picoseconds duration = hop_time(id);
    queue_uses_[queue].busy += duration;
    queue_uses_[queue].bytes += messages_[id].bytes;
    events_.push({now_ + duration, Kind::kHopEnd, id});
  }
  touched_.clear();
}

}  // namespace berth::pipeline
