// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code of a plan a GPU and its driver can run.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_VARIANT_CHOICE_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_VARIANT_CHOICE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime::cuda {

struct GpuFacts {
  absl::string_view name;
  int capability = 0;      // 90 for 9.0
  int driver_version = 0;  // 13000 for 13.0
};

// The first variant whose features the GPU has. Of a feature, "sm_90" is code
// for 9.0 and later minor versions of it, "compute_90" PTX for 9.0 and all that
// comes later, "ptx80" a driver that knows PTX 8.0. Unimplemented, with what
// each variant lacks and a remedy, if there is none.
absl::StatusOr<int> ChooseGpuVariant(const PlanView& plan, const GpuFacts& gpu);

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_VARIANT_CHOICE_H_
