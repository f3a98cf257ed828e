// JsonObject: text of a JSON object, member by member.
#pragma once

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera::bench {

class JsonObject {
 public:
  // Members on lines of their own, two spaces further in than `indent`.
  explicit JsonObject(int indent)
      : begin_('\n' + std::string(static_cast<std::size_t>(indent) + 2, ' ')),
        end_('\n' + std::string(static_cast<std::size_t>(indent), ' ')) {}
  // All on one line.
  JsonObject() = default;

  template <class T>
  void add(std::string_view key, const T& value) {
    if (!text_.empty()) text_ += begin_.empty() ? ", " : ",";
    text_ += begin_ + quoted(key) + ": " + json(value);
  }
  template <class T>
  void add(std::string_view key, const std::optional<T>& value) {
    if (value) add(key, *value);  // what is not known is not there
  }
  [[nodiscard]] std::string text() const { return '{' + text_ + end_ + '}'; }

 private:
  static std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
    return out + '"';
  }
  static std::string json(double value) {
    if (!std::isfinite(value)) return "null";
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.7g", value);
    return buffer;
  }
  static std::string json(bool value) { return value ? "true" : "false"; }
  static std::string json(const std::string& value) { return quoted(value); }
  static std::string json(const char* value) { return quoted(value); }
  static std::string json(const std::vector<std::string>& values) {
    std::string out = "[";
    for (const std::string& value : values) out += (out == "[" ? "" : ", ") + quoted(value);
    return out + ']';
  }
  static std::string json(const JsonObject& value) { return value.text(); }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  static std::string json(Integer value) {
    return std::to_string(value);
  }

  std::string begin_, end_;  // before a member, after the last
  std::string text_;
};

}  // namespace tessera::bench
