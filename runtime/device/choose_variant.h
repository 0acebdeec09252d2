// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of a plan's code variants a device runs.
#ifndef ACCEL_RUNTIME_DEVICE_CHOOSE_VARIANT_H_
#define ACCEL_RUNTIME_DEVICE_CHOOSE_VARIANT_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// The first variant that nothing speaks against: `why_not` says what does, in
// words that follow its name, or "". Unimplemented if there is none:
// "<heading>: 'a' needs avx512f; 'b' is not code for a CPU; <remedy>".
absl::StatusOr<int> ChooseFirstVariant(
    const planpb::Manifest& manifest, absl::string_view heading,
    absl::string_view remedy,
    absl::FunctionRef<std::string(int variant)> why_not);

// "calls multiply of library matrices for kernel 'k'": the first kernel whose
// work is done by a call that is not `known`; "" if there is none.
std::string FindUnknownCall(
    const planpb::Manifest& manifest, int variant,
    absl::FunctionRef<bool(const planpb::LibraryCall&)> known);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DEVICE_CHOOSE_VARIANT_H_
