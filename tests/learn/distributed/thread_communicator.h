// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process: the calls of a real communicator over queues instead of MPI.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "learn/distributed/rooted_communicator.h"

namespace berth::learn {

class Hub {
 public:
  void put(int from, int to, int channel, std::string bytes) {
    const std::lock_guard lock(mutex_);
    queues_[{to, channel}].push_back({from, std::move(bytes)});
    changed_.notify_all();
  }

  std::optional<Message> take(int from, int to, int channel, double patience_s, bool keep = false) {
    std::unique_lock lock(mutex_);
    auto& queue = queues_[{to, channel}];
    const auto is_from = [&](const Message& message) { return from < 0 || message.from == from; };
    auto found = queue.end();
    changed_.wait_for(lock, std::chrono::duration<double>(patience_s),
                      [&] { return (found = std::find_if(queue.begin(), queue.end(), is_from)) != queue.end(); });
    if (found == queue.end()) return std::nullopt;
    Message message = *found;
    if (!keep) queue.erase(found);
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<Message>> queues_;  // by receiver and channel
};

class ThreadCommunicator final : public RootedCommunicator {
 public:
  ThreadCommunicator(Hub& hub, int rank, int size, double deadline_s)
      : RootedCommunicator(rank, size, deadline_s), hub_(hub) {}

 protected:
  Result<bool> put(int to, Channel channel, std::string_view bytes, double) override {
    hub_.put(rank(), to, static_cast<int>(channel), std::string(bytes));
    return true;
  }
  Result<std::optional<Message>> take(int from, Channel channel, double patience_s) override {
    return hub_.take(from, rank(), static_cast<int>(channel), patience_s);
  }
  bool is_there(int from, Channel channel) override {
    return hub_.take(from, rank(), static_cast<int>(channel), 0.0, true).has_value();
  }

 private:
  Hub& hub_;
};

// Runs `body` as every rank, each in a thread of its own, and waits for all.
inline void run_ranks(int size, double deadline_s, const std::function<void(Communicator&)>& body) {
  Hub hub;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&hub, &body, rank, size, deadline_s] {
      ThreadCommunicator communicator(hub, rank, size, deadline_s);
      body(communicator);
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace berth::learn
