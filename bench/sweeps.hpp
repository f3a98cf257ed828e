// The named sweeps: what `--sweep=NAME` runs, shape by shape.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shapes.hpp"

namespace tessera::bench {

// A product with where its operands lie.
struct Problem {
  Product product;
  char layout_c = 'R';
  int ld_extra = 0;  // of all three matrices, beyond the minimum
  int offset = 0;    // of all three pointers, in floats, from an aligned address

  [[nodiscard]] std::string layouts() const {
    return {product.layout_a, product.layout_b, layout_c};
  }
  // Layouts and shape, and whatever else is unusual.
  [[nodiscard]] std::string name() const {
    std::string text = layouts() + '/' + to_string(product);
    if (ld_extra != 0) text += "/ld+" + std::to_string(ld_extra);
    if (offset != 0) text += "/offset+" + std::to_string(offset);
    return text;
  }
};

struct Sweep {
  const char* name;
  const char* content;
  std::vector<Problem> (*problems)(const std::string& shapes_dir);
};

namespace detail {

inline Problem problem_of(long long m, long long n, long long k, const std::string& layouts = "RRR",
                          int ld_extra = 0, int offset = 0) {
  Problem problem;
  problem.product.m = m, problem.product.n = n, problem.product.k = k;
  problem.product.layout_a = layouts[0], problem.product.layout_b = layouts[1];
  problem.layout_c = layouts[2];
  problem.ld_extra = ld_extra, problem.offset = offset;
  return problem;
}

inline Problem square(long long extent, const std::string& layouts = "RRR", int ld_extra = 0,
                      int offset = 0) {
  return problem_of(extent, extent, extent, layouts, ld_extra, offset);
}

inline std::vector<Problem> ladder(const std::string&) {
  std::vector<Problem> problems;
  for (const int extent : {256, 512, 1024, 2048, 4096}) problems.push_back(square(extent));
  return problems;
}

inline std::vector<Problem> squares(const std::string&) {
  std::vector<Problem> problems;
  for (const int extent :
       {128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384}) {
    problems.push_back(square(extent));
  }
  return problems;
}

inline std::vector<Problem> odd(const std::string&) {
  std::vector<Problem> problems;
  for (const int power : {256, 512, 1024, 2048, 4096}) {
    problems.push_back(square(power - 1));
    problems.push_back(square(power + 1));
  }
  problems.push_back(square(4096, "RRR", 3, 0));
  problems.push_back(square(4096, "RRR", 0, 1));
  problems.push_back(square(4096, "RRR", 3, 1));
  return problems;
}

inline std::vector<Problem> transpositions(const std::string&) {
  std::vector<Problem> problems;
  for (const int extent : {4096, 8192}) {
    for (const char* layouts : {"RRR", "RCR", "CRR", "CCR"}) {
      problems.push_back(square(extent, layouts));
    }
  }
  return problems;
}

inline std::vector<Problem> rows_of(const std::string& file) {
  std::vector<Problem> problems;
  for (const Product& product : read_products(file)) {
    problems.emplace_back();
    problems.back().product = product;
  }
  return problems;
}
inline std::vector<Problem> deepbench(const std::string& shapes_dir) {
  return rows_of(shapes_dir + "/deepbench_gemm.csv");
}
inline std::vector<Problem> transformer(const std::string& shapes_dir) {
  return rows_of(shapes_dir + "/transformer_gemm.csv");
}

// A thin matrix times a wide one, which is read once and decides the time: 8192 x 8192 is 268 MB.
inline std::vector<Problem> skinny(const std::string&) {
  std::vector<Problem> problems;
  const auto add = [&](long long thin, long long k, long long wide) {
    for (const char* layouts : {"RRR", "RCR"})
      problems.push_back(problem_of(thin, wide, k, layouts));
    for (const char* layouts : {"RRR", "CRR"})
      problems.push_back(problem_of(wide, thin, k, layouts));
  };
  for (const int thin : {1, 2, 4, 8, 16, 32}) add(thin, 8192, 8192);
  for (const int thin : {1, 8}) {
    add(thin, 32768, 4096);
    add(thin, 4096, 32768);
    add(thin, 4096, 4096);
    add(thin, 1024, 1024);
  }
  return problems;
}

inline std::vector<Problem> kheavy(const std::string&) {
  return {problem_of(128, 128, 131072),        problem_of(64, 64, 262144),
          problem_of(256, 256, 65536),         problem_of(512, 512, 32768),
          problem_of(32, 32, 524288),          problem_of(128, 128, 131072, "RCR"),
          problem_of(128, 128, 131072, "CRR"), problem_of(64, 1024, 65536),
          problem_of(1024, 64, 65536)};
}

}  // namespace detail

inline constexpr Sweep every_sweep[] = {
    {"ladder", "256 to 4096, with the six rungs", &detail::ladder},
    {"squares", "128 to 16384", &detail::squares},
    {"odd", "powers of two +- 1, 255 to 4097; 4096 with ld + 3, with pointers off by one float",
     &detail::odd},
    {"transpositions", "4096 and 8192, A and B in every layout", &detail::transpositions},
    {"deepbench", "bench/shapes/deepbench_gemm.csv", &detail::deepbench},
    {"transformer", "bench/shapes/transformer_gemm.csv; one product of a batched row",
     &detail::transformer},
    {"skinny", "m or n of 1 to 32", &detail::skinny},
    {"kheavy", "k far above m and n", &detail::kheavy},
};

}  // namespace tessera::bench
