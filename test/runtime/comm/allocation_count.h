// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what operator new hands out, in the whole program that it is linked
// to.
#ifndef ACCEL_TEST_RUNTIME_COMM_ALLOCATION_COUNT_H_
#define ACCEL_TEST_RUNTIME_COMM_ALLOCATION_COUNT_H_

#include <cstddef>

namespace accel::testing {

size_t AllocationsOfThisThread();

}  // namespace accel::testing

#endif  // ACCEL_TEST_RUNTIME_COMM_ALLOCATION_COUNT_H_
