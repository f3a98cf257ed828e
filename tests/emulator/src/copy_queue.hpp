// Host emulator: the asynchronous copies of one thread.
#pragma once

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

  void commit() { group_ends_.push_back(copies_.size()); }

  void wait(std::size_t pending_groups) {
    if (group_ends_.size() <= pending_groups) return;
    const std::size_t groups = group_ends_.size() - pending_groups;
    const std::size_t copies = group_ends_[groups - 1];
    for (std::size_t i = 0; i < copies; ++i) copies_[i].run();
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(copies));
    group_ends_.erase(group_ends_.begin(),
                      group_ends_.begin() + static_cast<std::ptrdiff_t>(groups));
    for (std::size_t& end : group_ends_) end -= copies;
  }

  // A thread may return without waiting; nobody can tell whether its copies were made.
  void drop() {
    copies_.clear();
    group_ends_.clear();
  }

 private:
  std::vector<Copy> copies_;
  std::vector<std::size_t> group_ends_;
};

}  // namespace emulator
