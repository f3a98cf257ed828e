// Host emulator: the asynchronous copies of one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "sanitizer.hpp"

namespace emulator {

class CopyQueue {
 public:
  struct Copy {
    void* dst;
    const void* src;
    std::size_t bytes;
    std::size_t src_bytes;

    // The sanitizers check memcpy and memset even when called from code without instrumentation.
    void run() const {
      std::memcpy(dst, src, src_bytes);
      std::memset(static_cast<char*>(dst) + src_bytes, 0, bytes - src_bytes);
    }
  };

  void add(const Copy& copy) {
    // The hardware may write at any time from here on.
    sanitizer::note_write(copy.dst, copy.bytes);
    copies_.push_back(copy);
  }

  void commit() { group_ends_.push_back(issued()); }

  bool all_done() const { return done_ == issued(); }

  void wait(std::size_t pending_groups) {
    if (group_ends_.size() <= pending_groups) return;
    const std::size_t groups = group_ends_.size() - pending_groups;
    run_until(group_ends_[groups - 1]);
    // What was made for a barrier is done for this thread too, and the other way round.
    sanitizer::acquire(key_);
    sanitizer::release(key_);
    group_ends_.erase(group_ends_.begin(),
                      group_ends_.begin() + static_cast<std::ptrdiff_t>(groups));
    trim();
  }

  // All copies so far are to be made when a phase of the barrier completes.
  void hand_over(const void* barrier) {
    trim();
    for (HandOver& made : handed_over_) {
      if (made.barrier != nullptr && made.barrier != barrier) continue;
      made = {barrier, issued()};
      return;
    }
    handed_over_.push_back({barrier, issued()});
  }

  // Makes the copies handed over to the barrier. The only function that others than the queue's
  // thread call: it moves and frees no memory, where ThreadSanitizer would see a race.
  void make(const void* barrier) {
    for (HandOver& made : handed_over_) {
      if (made.barrier != barrier) continue;
      sanitizer::acquire(key_);
      run_until(made.end);
      made.barrier = nullptr;
      sanitizer::release(key_);
    }
  }

  // A thread may return without waiting; nobody can tell whether its copies were made, but for
  // those that it handed over.
  void drop() {
    std::size_t kept = done_;
    for (const HandOver& made : handed_over_) {
      if (made.barrier != nullptr) kept = std::max(kept, made.end);
    }
    copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(kept - removed_), copies_.end());
    group_ends_.clear();
    trim();
  }

  void drop_all() {
    handed_over_.clear();
    drop();
  }

 private:
  struct HandOver {
    const void* barrier;  // nullptr: made
    std::size_t end;
  };

  // Ends of copies count all that were ever issued.
  std::size_t issued() const { return removed_ + copies_.size(); }

  void run_until(std::size_t end) {
    for (; done_ < end; ++done_) copies_[done_ - removed_].run();
  }

  void trim() {
    const std::size_t made = done_ - removed_;
    if (made < copies_.size() - made) return;
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(made));
    removed_ = done_;
  }

  std::vector<Copy> copies_;
  std::size_t removed_ = 0;
  std::size_t done_ = 0;
  std::vector<std::size_t> group_ends_;
  std::vector<HandOver> handed_over_;
  alignas(8) char key_[8];  // for ThreadSanitizer: between those who make copies
};

}  // namespace emulator
