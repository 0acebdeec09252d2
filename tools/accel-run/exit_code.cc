// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exit codes of errors.
#include "tools/accel-run/exit_code.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/executor/executor.h"

namespace accel::tools {
namespace {

constexpr absl::string_view kPayload = "accel/exit-code";

}  // namespace

absl::Status WithExitCode(absl::Status status, ExitCode code) {
  if (!status.ok() && !status.GetPayload(kPayload)) {
    status.SetPayload(
        kPayload,
        absl::Cord(absl::string_view(absl::StrCat(static_cast<int>(code)))));
  }
  return status;
}

ExitCode ExitCodeOf(const absl::Status& status, ExitCode otherwise) {
  int code = 0;
  if (status.ok()) {
    return ExitCode::kOk;
  }
  const auto payload = status.GetPayload(kPayload);
  if (payload && absl::SimpleAtoi(std::string(*payload), &code)) {
    return static_cast<ExitCode>(code);
  }
  if (status.GetPayload(runtime::kDataErrorPayload)) {
    return ExitCode::kData;
  }
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
      return ExitCode::kUnsupported;
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnavailable:
      return ExitCode::kCommunication;
    case absl::StatusCode::kInternal:
      return ExitCode::kInternal;
    default:
      return otherwise;
  }
}

}  // namespace accel::tools
