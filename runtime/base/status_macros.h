// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RETURN_IF_ERROR and ASSIGN_OR_RETURN: the two ways in which an absl::Status
// travels upwards. They are macros because only a macro can return for its
// caller; Debian's Abseil brings none.
#ifndef ACCEL_RUNTIME_BASE_STATUS_MACROS_H_
#define ACCEL_RUNTIME_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// RETURN_IF_ERROR(file->Sync());
#define RETURN_IF_ERROR(expression)                                   \
  do {                                                                \
    if (absl::Status accel_status = (expression); !accel_status.ok()) \
      return accel_status;                                            \
  } while (false)

// ASSIGN_OR_RETURN(const uint64_t size, file->Size());
#define ASSIGN_OR_RETURN(lhs, expression)                              \
  ACCEL_ASSIGN_OR_RETURN_(ACCEL_CONCAT_(accel_result_, __LINE__), lhs, \
                          expression)

#define ACCEL_ASSIGN_OR_RETURN_(result, lhs, expression) \
  auto result = (expression);                            \
  if (!result.ok())                                      \
    return std::move(result).status();                   \
  lhs = *std::move(result)
#define ACCEL_CONCAT_(a, b) ACCEL_CONCAT_INNER_(a, b)
#define ACCEL_CONCAT_INNER_(a, b) a##b

#endif  // ACCEL_RUNTIME_BASE_STATUS_MACROS_H_
