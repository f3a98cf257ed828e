// GuardedMatrix: a matrix in device memory whose surroundings are known: sentinels fill the ld
// padding, the floats before an offset pointer and the memory around, and are NaN, so that reading
// one shows as well as writing one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "any_view.hpp"
#include "cuda_resources.hpp"
#include "host_matrix.hpp"

namespace tessera::support {

struct Placement {
  Layout layout = Layout::row;
  index_t ld_extra = 0;  // ld beyond its minimum
  int offset = 0;        // floats between a 256-byte boundary and the pointer
};

class GuardedMatrix {
 public:
  // `guard`: sentinels before and after. 0 makes the allocation end with the last element, so that
  // a sanitizer sees the first float read beyond it; then only it does.
  GuardedMatrix(const HostMatrix& values, Placement placement, index_t guard)
      : rows_(values.rows),
        cols_(values.cols),
        layout_(placement.layout),
        ld_(std::max(index_t{1}, length()) + placement.ld_extra),
        first_(guard + placement.offset),
        image_(make_image(values, guard)),
        memory_(image_.size()) {}

  void upload(cudaStream_t stream) { memory_.copy_from(image_, stream); }

  // The elements as they are now. Waits for the stream.
  [[nodiscard]] HostMatrix download(cudaStream_t stream) const {
    const std::vector<float> now = memory_.to_host(stream);
    if (rows_ == 0 || cols_ == 0) return HostMatrix(rows_, cols_);
    return gather(now.data() + first_, rows_, cols_, ld_, layout_ == Layout::row);
  }

  // Whether everything but the elements is as it was uploaded.
  [[nodiscard]] bool guards_intact(cudaStream_t stream) const {
    std::vector<float> now = memory_.to_host(stream), before = image_;
    for_each_element([&](std::size_t at, index_t, index_t) { now[at] = before[at] = 0.0f; });
    return same_memory(now, before);
  }

  // Whether elements and surroundings are as they were uploaded.
  [[nodiscard]] bool unchanged(cudaStream_t stream) const {
    return same_memory(memory_.to_host(stream), image_);
  }

  [[nodiscard]] AnyView<float> view() const {
    float* data = memory_.data() == nullptr ? nullptr : memory_.data() + first_;
    return {data, rows_, cols_, ld_, layout_};
  }
  [[nodiscard]] AnyView<const float> const_view() const {
    const AnyView<float> v = view();
    return {v.data, v.rows, v.cols, v.ld, v.layout};
  }

 private:
  [[nodiscard]] index_t length() const { return layout_ == Layout::row ? cols_ : rows_; }
  [[nodiscard]] index_t lines() const { return layout_ == Layout::row ? rows_ : cols_; }

  template <class F>
  void for_each_element(const F& f) const {
    for (index_t i = 0; i < rows_; ++i) {
      for (index_t j = 0; j < cols_; ++j) {
        const index_t at = layout_ == Layout::row ? i * ld_ + j : i + j * ld_;
        f(static_cast<std::size_t>(first_ + at), i, j);
      }
    }
  }

  [[nodiscard]] std::vector<float> make_image(const HostMatrix& values, index_t guard) const {
    const bool empty = rows_ == 0 || cols_ == 0;
    const index_t span = empty ? 0 : (lines() - 1) * ld_ + length();
    const float sentinel = std::bit_cast<float>(std::uint32_t{0x7fc5e47e});
    std::vector<float> image(static_cast<std::size_t>(first_ + span + guard), sentinel);
    for_each_element([&](std::size_t at, index_t i, index_t j) { image[at] = values.at(i, j); });
    return image;
  }

  [[nodiscard]] static bool same_memory(const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0);
  }

  index_t rows_, cols_;
  Layout layout_;
  index_t ld_, first_;
  std::vector<float> image_;
  DeviceBuffer<float> memory_;
};

}  // namespace tessera::support
