// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// poll() in slices. Signals only shorten a slice.
#include "runtime/base/descriptor_wait.h"

#include <poll.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"

namespace accel::runtime {

absl::Status WaitUntil(const Deadline& deadline,
                       absl::FunctionRef<std::string()> owner,
                       absl::Span<const int> readable,
                       absl::FunctionRef<bool()> ready) {
  std::vector<struct pollfd> entries;
  entries.reserve(readable.size());
  for (const int descriptor : readable) {
    entries.push_back({descriptor, POLLIN, 0});
  }
  Looks looks(deadline);
  while (true) {
    // Asked before the last call of `ready`: who is ready at the deadline is
    // ready.
    const auto sleep = looks.Next(kLookInterval);
    if (ready()) {
      return absl::OkStatus();
    }
    if (sleep.count() == 0) {
      return absl::DeadlineExceededError(absl::StrCat(
          "waited ", FormatDuration(deadline.budget()), " for ", owner()));
    }
    poll(entries.data(), entries.size(),
         static_cast<int>(
             std::chrono::ceil<std::chrono::milliseconds>(sleep).count()));
  }
}

}  // namespace accel::runtime
