// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building of error messages: errno as a Status, context put before a message,
// and lists that report every fault at once instead of the first one only.
#ifndef ACCEL_RUNTIME_BASE_ERRORS_H_
#define ACCEL_RUNTIME_BASE_ERRORS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace accel::runtime {

// The Status of a failed system call: its code follows `error_number`, its
// message is "<what>: <text of the error>", e.g. "cannot open 'a.bin': No such
// file or directory".
absl::Status ErrnoError(int error_number, absl::string_view what);

// `status` with "<context>: " before its message and its payloads; OK stays OK.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

// Collects faults that are independent of each other, so that a person fixes
// all of them at once.
class ErrorList {
 public:
  void Add(std::string message) { messages_.push_back(std::move(message)); }
  // Takes over the message of `status` if it is an error.
  void Add(const absl::Status& status);

  bool empty() const { return messages_.empty(); }
  size_t size() const { return messages_.size(); }

  // OK if nothing was added. Otherwise InvalidArgument: "<heading>: <message>"
  // for one fault, the heading and one "  - <message>" per line for several.
  absl::Status ToStatus(absl::string_view heading) const;

 private:
  std::vector<std::string> messages_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_BASE_ERRORS_H_
