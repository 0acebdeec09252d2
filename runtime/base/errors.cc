// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building of error messages.
#include "runtime/base/errors.h"

#include <system_error>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace accel::runtime {

absl::Status ErrnoError(int error_number, absl::string_view what) {
  // std::generic_category, unlike strerror, is safe in threads and speaks
  // English in every locale.
  return absl::Status(
      absl::ErrnoToStatusCode(error_number),
      absl::StrCat(what, ": ", std::generic_category().message(error_number)));
}

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) {
    return status;
  }
  absl::Status annotated(status.code(),
                         absl::StrCat(context, ": ", status.message()));
  status.ForEachPayload([&](absl::string_view type, const absl::Cord& payload) {
    annotated.SetPayload(type, payload);
  });
  return annotated;
}

void ErrorList::Add(const absl::Status& status) {
  if (!status.ok()) {
    messages_.emplace_back(status.message());
  }
}

absl::Status ErrorList::ToStatus(absl::string_view heading) const {
  if (messages_.empty()) {
    return absl::OkStatus();
  }
  if (messages_.size() == 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(heading, ": ", messages_[0]));
  }
  std::string text = absl::StrCat(heading, ":");
  for (const std::string& message : messages_) {
    absl::StrAppend(&text, "\n  - ", message);
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace accel::runtime
