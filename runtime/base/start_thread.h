// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place where threads are started: a system may refuse one.
#ifndef ACCEL_RUNTIME_BASE_START_THREAD_H_
#define ACCEL_RUNTIME_BASE_START_THREAD_H_

#include <functional>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// A thread that runs `body`. ResourceExhausted if there can be no further one,
// with `what` it was for: "thread 2 of 4 of the compute stream".
absl::StatusOr<std::thread> StartThread(absl::string_view what,
                                        std::function<void()> body);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_START_THREAD_H_
