// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan's file, header and manifest.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_OPENED_PLAN_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_OPENED_PLAN_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/container/container_format.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

struct OpenedPlan {
  std::unique_ptr<File> file;
  PlanHeader header;
  planpb::Manifest manifest;

  // Opens the file and checks the header, the manifest's place and hash, and
  // that this release knows the features that the plan requires. Errors begin
  // with the file's path.
  static absl::StatusOr<OpenedPlan> Open(Vfs& vfs, const std::string& path);
};

// `status` with the plan's path before it, and behind it what to do about a
// file that is not as it was written.
absl::Status InPlan(const absl::Status& status, absl::string_view path);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_OPENED_PLAN_H_
