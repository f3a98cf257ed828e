// What the ladder is asked to climb: the products of a model, or shapes from the command line.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/shapes.hpp"

namespace tessera::ladder {

inline constexpr const char* usage =
    "02_ladder: climbs the six rungs of the ladder on real matrix products.\n"
    "  --model NAME    the products of one forward pass of a model (default: gpt2-small)\n"
    "  --shape MxNxK   this product instead, row-major; may be given several times\n"
    "  --help          this text, and the models\n";

struct Options {
  std::string model = "gpt2-small";
  std::vector<bench::Product> shapes;  // instead of the model's, unless empty
  bool help = false;
};

// Throws std::runtime_error with a sentence.
inline Options parse_options(int argc, char** argv) {
  Options options;
  bool model_given = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    // The value of "--name VALUE" or "--name=VALUE".
    const auto value_of = [&](std::string_view name) -> std::optional<std::string_view> {
      if (argument == name) {
        if (i + 1 == argc) throw std::runtime_error(std::string(name) + " needs a value");
        return argv[++i];
      }
      if (argument.starts_with(name) && argument[name.size()] == '=') {
        return argument.substr(name.size() + 1);
      }
      return {};
    };
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (const auto model = value_of("--model")) {
      options.model = *model;
      model_given = true;
    } else if (const auto shape = value_of("--shape")) {
      options.shapes.push_back(bench::parse_shape(*shape));
    } else {
      throw std::runtime_error("unknown argument \"" + std::string(argument) + "\"; see --help");
    }
  }
  if (model_given && !options.shapes.empty()) {
    throw std::runtime_error("--model and --shape exclude each other");
  }
  return options;
}

inline std::string model_names(const std::vector<bench::Product>& products) {
  std::string names;
  const std::string* last = nullptr;
  for (const bench::Product& product : products) {
    if (last == nullptr || *last != product.group) names += ' ' + product.group;
    last = &product.group;
  }
  return names;
}

inline std::vector<bench::Product> products_of(const std::string& model,
                                               const std::vector<bench::Product>& all) {
  std::vector<bench::Product> products;
  for (const bench::Product& product : all) {
    if (product.group == model) products.push_back(product);
  }
  if (products.empty()) {
    throw std::runtime_error("no model is called \"" + model + "\"; there are" + model_names(all));
  }
  return products;
}

}  // namespace tessera::ladder
