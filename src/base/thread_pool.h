// SPDX-License-Identifier: Apache-2.0
// A fixed set of threads for loops whose items are independent. The calling thread works too, so a pool of one starts
// none.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace berth {

class ThreadPool {
 public:
  explicit ThreadPool(int threads);  // at least 1 is used
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls body(item, worker) for every item below count; worker < size() is never used by two calls at once. Returns
  // when all are done. The body must not throw.
  void for_each(std::size_t count, const std::function<void(std::size_t item, int worker)>& body);

 private:
  struct Loop;
  void work(int worker);
  static void drain(Loop& loop, int worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  Loop* loop_ = nullptr;
  std::size_t generation_ = 0;
  int working_ = 0;
  bool stopping_ = false;
};

}  // namespace berth
