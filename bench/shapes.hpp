// Matrix products to run: "MxNxK" from a command line, or the rows of a file in bench/shapes.
// Strict: whatever cannot be understood is an error that says where.
#pragma once

#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::bench {

// C (m x n, row-major) = A (m x k) * B (k x n).
struct Product {
  std::string group;  // model or set; empty for a shape from the command line
  std::string name;   // layer; empty where the source has none
  long long m = 0, n = 0, k = 0;
  char layout_a = 'R', layout_b = 'R';  // 'R' row-major, 'C' column-major
  long long batch = 1;                  // independent products of this shape
};

inline std::string to_string(const Product& p) {
  return std::to_string(p.m) + 'x' + std::to_string(p.n) + 'x' + std::to_string(p.k);
}

// The text between separators; as many as there are separators, plus one.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// A whole number from 1 to 2^31 - 1 and nothing else.
inline std::optional<long long> parse_extent(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  if (value < 1 || value > 2147483647) return {};
  return value;
}

// Of "MxNxK".
inline Product parse_shape(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, 'x');
  std::array<long long, 3> extents{};
  bool valid = parts.size() == 3;
  for (std::size_t i = 0; valid && i < 3; ++i) {
    const std::optional<long long> extent = parse_extent(parts[i]);
    valid = extent.has_value();
    extents[i] = extent.value_or(0);
  }
  if (!valid) {
    throw std::runtime_error('"' + std::string(text) +
                             "\" is not a shape: write MxNxK, three whole numbers from 1 to "
                             "2147483647, such as 1024x768x3072");
  }
  Product product;
  product.m = extents[0], product.n = extents[1], product.k = extents[2];
  return product;
}

namespace detail {

// A row under one of the two headers that bench/shapes has. Throws a sentence without the place.
inline Product parse_row(std::string_view row, bool has_layer_and_batch) {
  std::vector<std::string_view> fields = split(row, ',');
  const std::size_t expected = has_layer_and_batch ? 8 : 6;
  if (fields.size() != expected) {
    throw std::runtime_error("expected " + std::to_string(expected) + " fields, found " +
                             std::to_string(fields.size()));
  }
  const auto extent = [](std::string_view field, const char* column) {
    if (const std::optional<long long> value = parse_extent(field)) return *value;
    throw std::runtime_error(std::string(column) + " is \"" + std::string(field) +
                             "\", not a whole number from 1 to 2147483647");
  };
  // op N: the operand lies as it is used, row-major. op T: its transpose does.
  const auto layout = [](std::string_view field, const char* column) {
    if (field == "N") return 'R';
    if (field == "T") return 'C';
    throw std::runtime_error(std::string(column) + " is \"" + std::string(field) +
                             "\", neither N nor T");
  };
  if (fields[0].empty()) throw std::runtime_error("the first field is empty");

  Product product;
  product.group = fields[0];
  if (has_layer_and_batch) product.name = fields[1];
  const std::size_t first = has_layer_and_batch ? 2 : 1;
  product.m = extent(fields[first], "m");
  product.n = extent(fields[first + 1], "n");
  product.k = extent(fields[first + 2], "k");
  product.layout_a = layout(fields[first + 3], "op_a");
  product.layout_b = layout(fields[first + 4], "op_b");
  if (has_layer_and_batch) product.batch = extent(fields[7], "batch");
  return product;
}

}  // namespace detail

// The rows of a CSV file; throws std::runtime_error "file:line: what is wrong".
inline std::vector<Product> read_products(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::vector<Product> products;
  bool has_layer_and_batch = false;
  std::string row;
  for (int line = 1; std::getline(file, row); ++line) {
    if (!row.empty() && row.back() == '\r') row.pop_back();
    try {
      if (line > 1) {
        products.push_back(detail::parse_row(row, has_layer_and_batch));
      } else if (row == "model,layer,m,n,k,op_a,op_b,batch") {
        has_layer_and_batch = true;
      } else if (row != "set,m,n,k,op_a,op_b") {
        throw std::runtime_error("\"" + row + "\" is not a header that this reader knows");
      }
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ':' + std::to_string(line) + ": " + error.what());
    }
  }
  if (file.bad()) throw std::runtime_error(path + ": reading failed");
  if (products.empty()) throw std::runtime_error(path + ": holds no products");
  return products;
}

}  // namespace tessera::bench
