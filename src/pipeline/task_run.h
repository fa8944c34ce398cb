// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for each other, and messages over the links of a machine: when everything starts and ends. A task
// starts as soon as all that it waits for is there; that a device does one thing at a time is for its tasks to say,
// each waits for the one before. Links queue by the rules of docs/simulator.md (3 and 4): one transfer at a time, first
// come first served, requests of one instant by key; a route of several links stores and forwards.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "problem/problem.h"
#include "sim/timeline.h"

namespace berth::pipeline {

inline constexpr std::uint32_t kFromStart = 0xffffffffU;

class TaskRun {
 public:
  struct Message {
    std::uint64_t key;  // order among requests of one instant; unique
    DeviceId from, to;
    Bytes bytes;
    // Filled by run(): the start of the last link, the end of the first, the end of all.
    Picoseconds last_link_start = 0, left = 0, arrived = 0;
  };

  explicit TaskRun(const Problem& problem) : problem_(problem) {}

  void clear();
  std::uint32_t add_task(Picoseconds duration);
  void add_wait(std::uint32_t before, std::uint32_t after);
  // From `offset` after the start of a task, plus `delay`.
  void add_delayed_wait(std::uint32_t before, std::uint32_t after, Picoseconds offset, Picoseconds delay);
  // Sent when the task ends, or at time 0. From and to must differ.
  std::uint32_t add_message(std::uint32_t task, const Message& message);
  void add_reader(std::uint32_t message, std::uint32_t task);

  // False if some tasks wait for each other in a circle.
  bool run();

  [[nodiscard]] Picoseconds start(std::uint32_t task) const { return tasks_[task].start; }
  [[nodiscard]] Picoseconds end(std::uint32_t task) const { return tasks_[task].start + tasks_[task].duration; }
  [[nodiscard]] const Message& message(std::uint32_t id) const { return messages_[id]; }
  [[nodiscard]] std::size_t num_messages() const { return messages_.size(); }
  [[nodiscard]] const std::vector<QueueUse>& queues() const { return queue_uses_; }
  [[nodiscard]] Picoseconds last_end() const { return last_end_; }

 private:
  enum class Kind : std::uint8_t { kTaskEnd, kHopEnd, kSignal };
  struct Event {
    Picoseconds time;
    Kind kind;
    std::uint32_t item;
    bool operator>(const Event& other) const { return time > other.time; }
  };
  struct Task {
    Picoseconds duration = 0, start = -1;
    std::uint32_t waits = 0;
    std::vector<std::uint32_t> next = {}, messages = {};
    struct Delayed {
      std::uint32_t task;
      Picoseconds after_start;
      Picoseconds delay;
    };
    std::vector<Delayed> delayed = {};
  };
  struct Request {
    std::uint64_t key;
    std::uint32_t message;
    int queue;
  };
  struct LinkQueue {
    bool busy = false, touched = false;
    std::queue<std::uint32_t> waiting = {};
  };

  void arrive(std::uint32_t task);
  void start_task(std::uint32_t task);
  void end_task(std::uint32_t task);
  void settle();
  void request(std::uint32_t message);
  void advance(std::uint32_t message);
  bool leave_hop(std::uint32_t message);
  void end_hop(std::uint32_t message);
  void pick();
  void handle(const Event& event);
  [[nodiscard]] std::uint16_t channel(std::uint32_t message) const;
  [[nodiscard]] Picoseconds hop_time(std::uint32_t message) const;
  [[nodiscard]] bool on_last_hop(std::uint32_t message) const;

  const Problem& problem_;
  std::vector<Task> tasks_;
  std::vector<Message> messages_;
  std::vector<std::vector<std::uint32_t>> readers_;  // by message
  std::vector<std::uint32_t> from_start_, hop_, ready_;
  std::vector<Request> requests_;
  std::vector<LinkQueue> queues_;
  std::vector<std::uint32_t> touched_;
  std::vector<QueueUse> queue_uses_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Picoseconds now_ = 0, last_end_ = 0;
  std::size_t ended_ = 0;
};

}  // namespace berth::pipeline
