// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::thread reports by an exception; it ends here.
#include "runtime/base/start_thread.h"

#include <new>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace accel::runtime {
namespace {

absl::Status CannotStart(absl::string_view what, absl::string_view why) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "expected to start ", what, ", got '", why,
      "'; allow more threads (ulimit -u, a container's limit of pids) or "
      "memory (ulimit -v), or use fewer (--threads=N)"));
}

}  // namespace

absl::StatusOr<std::thread> StartThread(absl::string_view what,
                                        std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    return CannotStart(what, error.code().message());
  } catch (const std::bad_alloc&) {
    return CannotStart(what, "Cannot allocate memory");
  }
}

}  // namespace accel::runtime
