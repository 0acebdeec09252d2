// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WaitUntil over file descriptors: sockets, pidfds.
#ifndef ACCEL_RUNTIME_BASE_DESCRIPTOR_WAIT_H_
#define ACCEL_RUNTIME_BASE_DESCRIPTOR_WAIT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/base/deadline.h"

namespace accel::runtime {

// Blocks until `ready()` is true or the deadline has passed. `ready` is called
// first of all, when one of the descriptors is readable or hung up, and at
// least every kLookInterval, so it may also ask for what no descriptor shows.
// `owner` as in the other WaitUntil. Descriptors below 0 are left out.
absl::Status WaitUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner,
                       absl::Span<const int> readable,
                       absl::FunctionRef<bool()> ready);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_DESCRIPTOR_WAIT_H_
