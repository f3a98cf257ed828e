// Host emulator: the pool of host threads.
#include "worker_pool.hpp"

namespace emulator {

WorkerPool& WorkerPool::instance() {
  static WorkerPool pool;
  return pool;
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::run(unsigned int count, const std::function<void(unsigned int)>& task) {
  // Not the queue's mutex: a worker that wakes up late would be ordered after all that was done
  // here, and ThreadSanitizer would miss the races between the two.
  std::mutex done_mutex;
  std::condition_variable done;
  unsigned int unfinished = count - 1;
  {
    const std::lock_guard lock(mutex_);
    while (workers_.size() < count - 1) workers_.emplace_back([this] { work(); });
    for (unsigned int i = 1; i < count; ++i) {
      queue_.emplace_back([&, i] {
        task(i);
        const std::lock_guard done_lock(done_mutex);
        if (--unfinished == 0) done.notify_all();
      });
    }
  }
  changed_.notify_all();
  task(0);
  std::unique_lock done_lock(done_mutex);
  done.wait(done_lock, [&unfinished] { return unfinished == 0; });
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace emulator
