// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace berth {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return bad_input("{} is odd", value);
  return value / 2;
}

Result<int> quarter(int value) {
  BERTH_TRY(const int once, half(value));
  BERTH_TRY(const int twice, half(once));  // a second one in the same function
  return twice;
}

Status check_even(int value) {
  BERTH_RETURN_IF_ERROR(half(value));
  return {};
}

Status check_all_even(int a, int b) {
  BERTH_RETURN_IF_ERROR(check_even(a));
  if (a != b) BERTH_RETURN_IF_ERROR(check_even(b));
  return {};
}

Result<std::unique_ptr<int>> boxed(int value) {
  BERTH_TRY(int inner, half(value));
  return std::make_unique<int>(inner);
}

TEST(Result, HoldsAValue) {
  const auto result = half(8);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.value(), 4);
  EXPECT_EQ(*result, 4);
}

TEST(Result, HoldsAnError) {
  const auto result = half(7);
  ASSERT_FALSE(result.ok());
  EXPECT_FALSE(static_cast<bool>(result));
  EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(result.error().message, "7 is odd");
}

TEST(Result, TryPassesTheFirstErrorOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(7).error().message, "7 is odd");
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
}

TEST(Result, ReturnIfErrorTakesStatusesAndResults) {
  EXPECT_TRUE(check_all_even(2, 4).ok());
  EXPECT_EQ(check_all_even(3, 4).error().message, "3 is odd");
  EXPECT_EQ(check_all_even(2, 5).error().message, "5 is odd");
}

TEST(Result, MovesValuesThatCannotBeCopied) {
  auto result = boxed(10);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 5);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
  EXPECT_EQ(*std::move(boxed(4)).value(), 2);
}

TEST(Result, ReachesMembersAndAllowsChanges) {
  Result<std::string> result(std::string("abc"));
  EXPECT_EQ(result->size(), 3U);
  result->push_back('d');
  *result += "e";
  EXPECT_EQ(*result, "abcde");
}

TEST(Error, CarriesCodeAndContext) {
  const Error error = infeasible("{} GiB do not fit", 12);
  EXPECT_EQ(error.code, ErrorCode::kInfeasible);
  const Error outer = within("model.json", within("op 'a'", error));
  EXPECT_EQ(outer.code, ErrorCode::kInfeasible);
  EXPECT_EQ(outer.message, "model.json: op 'a': 12 GiB do not fit");
}

TEST(CheckDeathTest, EndsWithExitCodeThree) {
  EXPECT_EXIT(BERTH_CHECK(1 + 1 == 3), testing::ExitedWithCode(3), "bug: check '1 \\+ 1 == 3' failed");
  EXPECT_EXIT(static_cast<void>(half(7).value()), testing::ExitedWithCode(3), "bug");
  EXPECT_EXIT(static_cast<void>(half(8).error()), testing::ExitedWithCode(3), "bug");
  BERTH_CHECK(true);
}

}  // namespace
}  // namespace berth
