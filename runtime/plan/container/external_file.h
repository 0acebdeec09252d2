// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan records of a file of weights that it does not contain.
#ifndef ACCEL_RUNTIME_PLAN_CONTAINER_EXTERNAL_FILE_H_
#define ACCEL_RUNTIME_PLAN_CONTAINER_EXTERNAL_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Reads and hashes the file at `path`, which the plan will call `name`.
// Cost: one read of the whole file; one chunk is in memory at a time.
absl::StatusOr<planpb::ExternalFile> DescribeExternalFile(
    Vfs& vfs, const std::string& path, const std::string& name);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_CONTAINER_EXTERNAL_FILE_H_
