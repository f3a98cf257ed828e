// The command line of the differential test.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fill.hpp"

namespace tessera::differential {

struct Options {
  std::uint64_t seed = support::scramble(
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  std::uint64_t count = 1000;  // 0: no limit
  double seconds = 0;          // 0: no limit
  std::vector<std::string> policies;
#if defined(TESSERA_EMULATOR)
  long long max_size = 2048;
  double max_tiled_volume = 0x1p24;  // about 30 ms
#else
  long long max_size = 4096;
  double max_tiled_volume = 0x1p40;
#endif
  bool valid = true;
};

inline void print_usage(const char* program) {
  std::printf(
      "usage: %s [--seed=S] [--count=N] [--seconds=T] [--policies=a,b] [--max-size=N]\n"
      "  --seed=S        first seed, else drawn from the clock; a seed is one call\n"
      "  --count=N       calls (1000; without limit if --seconds is given). 1 runs the call of\n"
      "                  the seed, whatever its policy and size\n"
      "  --seconds=T     stop after that time\n"
      "  --policies=a,b  only calls of these policies\n"
      "  --max-size=N    only calls whose m, n and k are at most N\n",
      program);
}

namespace detail {

// Whether `text` is all of one number.
inline bool parse(const char* text, std::uint64_t& value) {
  char* end = nullptr;
  value = std::strtoull(text, &end, 0);
  return end != text && *end == '\0' && *text != '-';
}
inline bool parse(const char* text, long long& value) {
  char* end = nullptr;
  value = std::strtoll(text, &end, 10);
  return end != text && *end == '\0' && value > 0;
}
inline bool parse(const char* text, double& value) {
  char* end = nullptr;
  value = std::strtod(text, &end);
  return end != text && *end == '\0' && value > 0;
}
inline bool parse(const char* text, std::vector<std::string>& names) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    names.emplace_back(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return !names.empty();
}

}  // namespace detail

inline Options parse_options(int argc, char** argv) {
  Options options;
  bool has_count = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto option = [&](std::string_view name, auto& value) {
      return argument.starts_with(name) && detail::parse(argv[i] + name.size(), value);
    };
    const bool is_count = option("--count=", options.count);
    has_count = has_count || is_count;
    options.valid =
        options.valid &&
        (is_count || option("--seed=", options.seed) || option("--seconds=", options.seconds) ||
         option("--policies=", options.policies) || option("--max-size=", options.max_size));
  }
  if (!has_count && options.seconds > 0) options.count = 0;
  return options;
}

}  // namespace tessera::differential
