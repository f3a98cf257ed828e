// Status: a small value that says why (contract 4).
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <tessera/status.hpp>
#include <type_traits>

namespace tessera {
namespace {

TEST(Status, DefaultIsSuccess) {
  constexpr Status s;
  static_assert(s.ok() && static_cast<bool>(s));
  EXPECT_EQ(s.reason(), Reason::ok);
  EXPECT_EQ(s.operand(), Operand::none);
  EXPECT_EQ(s.cuda_error(), 0);
  EXPECT_STREQ(s.message(), "success");
}

TEST(Status, RefusalKeepsReasonAndOperand) {
  constexpr Status s(Reason::invalid_ld, Operand::b);
  static_assert(!s.ok() && !s);
  EXPECT_EQ(s.reason(), Reason::invalid_ld);
  EXPECT_EQ(s.operand(), Operand::b);
  EXPECT_EQ(s.cuda_error(), 0);
}

TEST(Status, CudaErrorKeepsCodeAndText) {
  const Status s = Status::from_cuda(209, "no kernel image is available");
  EXPECT_FALSE(s.ok());
  EXPECT_EQ(s.reason(), Reason::cuda_error);
  EXPECT_EQ(s.cuda_error(), 209);
  EXPECT_STREQ(s.message(), "no kernel image is available");
}

TEST(Status, EqualityLooksAtReasonOperandAndCode) {
  EXPECT_EQ(Status(Reason::null_pointer, Operand::a), Status(Reason::null_pointer, Operand::a));
  EXPECT_FALSE(Status(Reason::null_pointer, Operand::a) ==
               Status(Reason::null_pointer, Operand::b));
  EXPECT_FALSE(Status(Reason::null_pointer, Operand::a) == Status(Reason::invalid_ld, Operand::a));
  EXPECT_FALSE(Status::from_cuda(1, "x") == Status::from_cuda(2, "x"));
  EXPECT_FALSE(Status() == Status::from_cuda(0, ""));
}

TEST(Status, EveryRefusalHasItsOwnSentenceAboutItsOperand) {
  std::set<std::string> sentences;
  int count = 0;
  for (const Reason reason :
       {Reason::negative_size, Reason::invalid_ld, Reason::shape_mismatch, Reason::size_limit,
        Reason::null_pointer, Reason::misaligned_pointer}) {
    for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
      const std::string sentence = Status(reason, operand).message();
      const char letter = operand == Operand::a ? 'A' : operand == Operand::b ? 'B' : 'C';
      EXPECT_NE(sentence.find(letter), std::string::npos) << sentence;
      sentences.insert(sentence);
      ++count;
    }
  }
  EXPECT_EQ(static_cast<int>(sentences.size()), count);
}

TEST(Status, IsASmallTrivialValue) {
  static_assert(std::is_trivially_copyable_v<Status>);
  static_assert(sizeof(Status) <= 24);
}

}  // namespace
}  // namespace tessera
