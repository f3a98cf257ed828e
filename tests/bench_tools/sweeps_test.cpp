// What the named sweeps hold, as the benchmark's page promises.
#include "bench/sweeps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "bench/json.hpp"

namespace tessera::bench {
namespace {

std::vector<Problem> problems_of(std::string_view name) {
  for (const Sweep& sweep : every_sweep) {
    if (name == sweep.name) return sweep.problems(TESSERA_SHAPES_DIR);
  }
  ADD_FAILURE() << "no sweep " << name;
  return {};
}

std::set<std::string> names_of(std::string_view sweep) {
  std::set<std::string> names;
  for (const Problem& problem : problems_of(sweep)) names.insert(problem.name());
  return names;
}

TEST(Sweeps, NoneIsEmptyAndNamesTellProblemsApart) {
  for (const Sweep& sweep : every_sweep) {
    const std::vector<Problem> problems = sweep.problems(TESSERA_SHAPES_DIR);
    EXPECT_FALSE(problems.empty()) << sweep.name;
    // The two files repeat some shapes.
    if (std::string_view(sweep.name) == "deepbench") continue;
    if (std::string_view(sweep.name) == "transformer") continue;
    EXPECT_EQ(names_of(sweep.name).size(), problems.size()) << sweep.name;
  }
}

TEST(Sweeps, SquaresSpanTheRange) {
  const std::set<std::string> names = names_of("squares");
  for (long long extent = 128; extent <= 16384; extent *= 2) {
    EXPECT_EQ(names.count(detail::square(extent).name()), 1u) << extent;
  }
}

TEST(Sweeps, OddHasBothNeighboursAndBothMisalignments) {
  const std::set<std::string> names = names_of("odd");
  for (const long long power : {256, 512, 1024, 2048, 4096}) {
    EXPECT_EQ(names.count(detail::square(power - 1).name()), 1u) << power;
    EXPECT_EQ(names.count(detail::square(power + 1).name()), 1u) << power;
  }
  EXPECT_EQ(names.count("RRR/4096x4096x4096/ld+3"), 1u);
  EXPECT_EQ(names.count("RRR/4096x4096x4096/offset+1"), 1u);
}

TEST(Sweeps, TranspositionsAreAllFour) {
  const std::set<std::string> names = names_of("transpositions");
  EXPECT_EQ(names.size(), 8u);
  for (const char* layouts : {"RRR", "RCR", "CRR", "CCR"}) {
    EXPECT_EQ(names.count(detail::square(8192, layouts).name()), 1u) << layouts;
  }
}

TEST(Sweeps, SkinnyStreamsEnoughInEveryLayout) {
  for (const long long thin : {1, 2, 4, 8, 16, 32}) {
    std::set<std::string> large;
    for (const Problem& problem : problems_of("skinny")) {
      const Product& p = problem.product;
      const bool thin_m = p.m == thin;
      if (!thin_m && p.n != thin) continue;
      if (4 * p.k * std::max(p.m, p.n) < 256'000'000) continue;
      large.insert(std::string(thin_m ? "B " : "A ") + (thin_m ? p.layout_b : p.layout_a));
    }
    EXPECT_EQ(large, (std::set<std::string>{"A C", "A R", "B C", "B R"})) << thin;
  }
}

TEST(Sweeps, KHeavyIsHeavyInK) {
  for (const Problem& problem : problems_of("kheavy")) {
    const Product& p = problem.product;
    EXPECT_GE(p.k, 64 * std::max(p.m, p.n)) << problem.name();
  }
  EXPECT_EQ(names_of("kheavy").count("RRR/128x128x131072"), 1u);
}

TEST(Sweeps, TransformerKeepsBatches) {
  const std::vector<Problem> problems = problems_of("transformer");
  EXPECT_TRUE(std::any_of(problems.begin(), problems.end(),
                          [](const Problem& p) { return p.product.batch > 1; }));
}

TEST(JsonObject, EscapesNestsAndLeavesOutWhatIsNotKnown) {
  JsonObject inner(2), line;
  line.add("a", 1);
  line.add("b", std::optional<int>(2));
  EXPECT_EQ(line.text(), "{\"a\": 1, \"b\": 2}");
  inner.add("list", std::vector<std::string>{"a", "b"});
  JsonObject outer(0);
  outer.add("text", "say \"no\" \\ \n");
  outer.add("number", 0.25);
  outer.add("infinite", std::numeric_limits<double>::infinity());
  outer.add("flag", false);
  outer.add("missing", std::optional<double>{});
  outer.add("inner", inner);
  EXPECT_EQ(outer.text(),
            "{\n  \"text\": \"say \\\"no\\\" \\\\ \",\n  \"number\": 0.25,\n  \"infinite\": null,\n"
            "  \"flag\": false,\n  \"inner\": {\n    \"list\": [\"a\", \"b\"]\n  }\n}");
}

}  // namespace
}  // namespace tessera::bench
