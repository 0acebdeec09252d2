// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GoogleTest matchers for absl::Status and absl::StatusOr: IsOk(),
// IsOkAndHolds(m), StatusIs(code, m), and ASSERT_OK_AND_ASSIGN.
#ifndef ACCEL_TEST_RUNTIME_STATUS_MATCHERS_H_
#define ACCEL_TEST_RUNTIME_STATUS_MATCHERS_H_

#include <ostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace accel::testing {

inline const absl::Status& StatusOf(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, negation ? "is an error" : "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return arg.ok();
}

// The whole message is matched, so that a test shows what a person reads.
MATCHER_P2(StatusIs, code, message,
           absl::StatusCodeToString(code) + " whose message " +
               ::testing::DescribeMatcher<std::string>(message, negation)) {
  const absl::Status& status = StatusOf(arg);
  *result_listener << status.ToString();
  return status.code() == code &&
         ::testing::Value(std::string(status.message()), message);
}

MATCHER_P(IsOkAndHolds, matcher, "is OK with a value as described") {
  if (!arg.ok()) {
    *result_listener << arg.status().ToString();
    return false;
  }
  return ::testing::ExplainMatchResult(matcher, *arg, result_listener);
}

#define ASSERT_OK(expression) \
  ASSERT_THAT((expression), ::accel::testing::IsOk())
#define EXPECT_OK(expression) \
  EXPECT_THAT((expression), ::accel::testing::IsOk())

#define ACCEL_TEST_CONCAT_INNER_(a, b) a##b
#define ACCEL_TEST_CONCAT_(a, b) ACCEL_TEST_CONCAT_INNER_(a, b)
#define ACCEL_TEST_ASSIGN_(result, lhs, expression) \
  auto result = (expression);                       \
  ASSERT_THAT(result, ::accel::testing::IsOk());    \
  lhs = *std::move(result)
#define ASSERT_OK_AND_ASSIGN(lhs, expression)                               \
  ACCEL_TEST_ASSIGN_(ACCEL_TEST_CONCAT_(accel_test_result_, __LINE__), lhs, \
                     expression)

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_STATUS_MATCHERS_H_
