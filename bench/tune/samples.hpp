// What the tuning program measured, and its file: lines of "# key: value", a header, a row a
// measurement. From it the constants can be fitted again without a GPU.
#pragma once

#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/arch/cluster_limit.hpp>
#include <tessera/host/gemm_shape.hpp>
#include <vector>

#include "bench/shapes.hpp"

namespace tessera::bench {

struct Sample {
  std::string set;     // "fit": the constants come from it; "judge": the choice is judged by it
  std::string policy;  // its name
  GemmShape shape{};
  int slices = 1;
  bool workspace = false;  // in which they were added although a cluster could hold them
  bool vectorized = true;
  double us = 0.0;
};

struct Samples {
  std::string gpu, driver, date;
  int sm_count = 0;
  std::array<int, arch::max_cluster + 1> cluster_sm_count{};  // as in Chip
  double byte_us = 0.0;                                       // of a copy: a byte read or written
  std::vector<Sample> rows;
};

inline constexpr const char* samples_header = "set,policy,m,n,k,slices,workspace,vectorized,us";

inline std::string printed(double value) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 5);
  return {text, result.ptr};
}

inline void write_samples(const Samples& samples, const std::string& path) {
  std::ofstream file(path);
  file << "# gpu: " << samples.gpu << "\n# driver: " << samples.driver
       << "\n# date: " << samples.date << "\n# sm_count: " << samples.sm_count
       << "\n# byte_us: " << printed(samples.byte_us) << "\n# cluster_sm_count:";
  for (const int count : samples.cluster_sm_count) file << ' ' << count;
  file << '\n' << samples_header << '\n';
  for (const Sample& s : samples.rows) {
    file << s.set << ',' << s.policy << ',' << s.shape.m << ',' << s.shape.n << ',' << s.shape.k
         << ',' << s.slices << ',' << s.workspace << ',' << s.vectorized << ',' << printed(s.us)
         << '\n';
  }
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

namespace detail {

inline double parse_positive(std::string_view text, const char* what) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0.0)) {
    throw std::runtime_error(std::string(what) + " is \"" + std::string(text) +
                             "\", not a number above 0");
  }
  return value;
}

inline long long parse_whole(std::string_view text, const char* what) {
  if (const auto value = parse_extent(text)) return *value;
  throw std::runtime_error(std::string(what) + " is \"" + std::string(text) +
                           "\", not a whole number above 0");
}

inline void parse_fact(std::string_view line, Samples& samples) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) throw std::runtime_error("expected \"# key: value\"");
  const std::string_view key = line.substr(2, colon - 2), value = line.substr(colon + 2);
  if (key == "gpu") samples.gpu = value;
  if (key == "driver") samples.driver = value;
  if (key == "date") samples.date = value;
  if (key == "sm_count") samples.sm_count = static_cast<int>(parse_whole(value, "sm_count"));
  if (key == "cluster_sm_count") {
    const std::vector<std::string_view> counts = split(value, ' ');
    if (counts.size() != samples.cluster_sm_count.size()) {
      throw std::runtime_error("cluster_sm_count is not one number for each size of a cluster");
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      samples.cluster_sm_count[i] =
          counts[i] == "0" ? 0 : static_cast<int>(parse_whole(counts[i], "cluster_sm_count"));
    }
  }
  if (key == "byte_us") samples.byte_us = parse_positive(value, "byte_us");
}

inline Sample parse_sample(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, ',');
  if (fields.size() != 9) {
    throw std::runtime_error("expected 9 fields, found " + std::to_string(fields.size()));
  }
  Sample s;
  s.set = fields[0];
  s.policy = fields[1];
  if (s.set != "fit" && s.set != "judge") throw std::runtime_error("set is neither fit nor judge");
  s.shape = {parse_whole(fields[2], "m"), parse_whole(fields[3], "n"), parse_whole(fields[4], "k")};
  s.slices = static_cast<int>(parse_whole(fields[5], "slices"));
  const auto flag = [](std::string_view field, const char* what) {
    if (field == "0" || field == "1") return field == "1";
    throw std::runtime_error(std::string(what) + " is not 0 or 1");
  };
  s.workspace = flag(fields[6], "workspace");
  s.vectorized = flag(fields[7], "vectorized");
  s.us = parse_positive(fields[8], "us");
  return s;
}

}  // namespace detail

// Throws std::runtime_error "file:line: what is wrong".
inline Samples read_samples(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  Samples samples;
  bool has_header = false;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    try {
      if (line.starts_with("# ")) {
        detail::parse_fact(line, samples);
      } else if (has_header) {
        samples.rows.push_back(detail::parse_sample(line));
      } else if (line == samples_header) {
        has_header = true;
      } else {
        throw std::runtime_error(std::string("expected the header \"") + samples_header + '"');
      }
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ':' + std::to_string(number) + ": " + error.what());
    }
  }
  if (samples.gpu.empty() || samples.sm_count == 0 || samples.byte_us == 0.0) {
    throw std::runtime_error(path + ": gpu, sm_count or byte_us is missing");
  }
  return samples;
}

}  // namespace tessera::bench
