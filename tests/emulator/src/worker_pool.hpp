// Host emulator: host threads that share the blocks of a grid. They live as long as the process,
// because each keeps the fibers it has made.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace emulator {

class WorkerPool {
 public:
  static WorkerPool& instance();

  // Calls task(0) here and task(1) ... task(count - 1) on workers; returns when all are done.
  void run(unsigned int count, const std::function<void(unsigned int)>& task);

 private:
  WorkerPool() = default;
  ~WorkerPool();
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> workers_;
  bool stopping_ = false;
};

}  // namespace emulator
