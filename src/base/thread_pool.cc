// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <atomic>

namespace berth {

struct ThreadPool::Loop {
  std::size_t count;
  const std::function<void(std::size_t, int)>& body;
  std::atomic<std::size_t> next{0};
};

ThreadPool::ThreadPool(int threads) {
  for (int worker = 1; worker < threads; ++worker) threads_.emplace_back([this, worker] { work(worker); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::drain(Loop& loop, int worker) {
  for (std::size_t item; (item = loop.next.fetch_add(1, std::memory_order_relaxed)) < loop.count;)
    loop.body(item, worker);
}

void ThreadPool::work(int worker) {
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || (loop_ != nullptr && generation_ != seen); });
    if (stopping_) return;
    seen = generation_;
    Loop& loop = *loop_;
    ++working_;
    lock.unlock();
    drain(loop, worker);
    lock.lock();
    if (--working_ == 0) done_.notify_all();
  }
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t, int)>& body) {
  Loop loop{count, body};
  if (threads_.empty() || count < 2) return drain(loop, 0);
  {
    const std::lock_guard lock(mutex_);
    loop_ = &loop;
    ++generation_;
  }
  wake_.notify_all();
  drain(loop, 0);
  std::unique_lock lock(mutex_);
  loop_ = nullptr;  // a thread that wakes only now finds nothing
  done_.wait(lock, [&] { return working_ == 0; });
}

}  // namespace berth
