// The line that runs a failing call again. Also printed when the call ends the process: a sanitizer
// that aborts, or a signal.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

// Present where a sanitizer is linked.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace tessera::differential {

#if defined(TESSERA_EMULATOR)
inline constexpr const char* program_name = "differential_test_emulated";
// The order of a block's threads comes from the seed, unless the user has chosen one.
inline const char* const chosen_order = std::getenv("TESSERA_EMULATOR_ORDER");
#else
inline constexpr const char* program_name = "differential_test";
inline const char* const chosen_order = nullptr;
#endif

class Reproduction {
 public:
  static const char* line() { return line_; }

  static void set(std::uint64_t seed) {
    length_ = std::snprintf(line_, sizeof line_, "%s%s%s%s --seed=%llu --count=1\n",
                            chosen_order != nullptr ? "TESSERA_EMULATOR_ORDER=" : "",
                            chosen_order != nullptr ? chosen_order : "",
                            chosen_order != nullptr ? " " : "", program_name,
                            static_cast<unsigned long long>(seed));
  }

  static void print_at_death() {
    if (__sanitizer_set_death_callback != nullptr) {
      __sanitizer_set_death_callback(write_line);
      return;
    }
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
      std::signal(signal, [](int number) {
        write_line();
        std::signal(number, SIG_DFL);
        std::raise(number);
      });
    }
  }

 private:
  // Only what a signal handler may call.
  static void write_line() {
    constexpr char text[] = "\nFAILED, the process ends here. Reproduce with\n  ";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
    if (write(STDERR_FILENO, line_, static_cast<std::size_t>(length_)) < 0) return;
  }

  inline static char line_[256] = "\n";
  inline static int length_ = 1;
};

}  // namespace tessera::differential
