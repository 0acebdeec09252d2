// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Capabilities, drivers and the libraries that are called.
#include "runtime/device/cuda/variant_choice.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/device/choose_variant.h"

namespace accel::runtime::cuda {
namespace {

// The version of CUDA that came with a version of PTX (NVIDIA's PTX ISA,
// "Release History"), as drivers tell it.
struct PtxRelease {
  int ptx, driver;
};
constexpr PtxRelease kPtxReleases[] = {
    {71, 11010}, {80, 12000}, {81, 12010}, {86, 12070}, {87, 12080}};

// The driver that knows a version of PTX, or 0.
int DriverOf(int ptx) {
  for (const PtxRelease& release : kPtxReleases) {
    if (ptx <= release.ptx) {
      return release.driver;
    }
  }
  return 0;
}

std::string VersionText(int driver) {
  return absl::StrCat(driver / 1000, ".", driver % 1000 / 10);
}

// What is missing for a feature, or "".
std::string Missing(absl::string_view feature, const GpuFacts& gpu) {
  absl::string_view number = feature;
  int value = 0;
  if (absl::ConsumePrefix(&number, "ptx") && absl::SimpleAtoi(number, &value)) {
    const int driver = DriverOf(value);
    return driver != 0 && gpu.driver_version >= driver
               ? ""
               : absl::StrCat("needs a driver for CUDA ", VersionText(driver),
                              ", which knows ", feature,
                              ", and this one is for ",
                              VersionText(gpu.driver_version));
  }
  if (absl::ConsumePrefix(&number, "sm_") && absl::SimpleAtoi(number, &value)) {
    return gpu.capability / 10 == value / 10 && gpu.capability >= value
               ? ""
               : absl::StrCat("is code for sm_", value);
  }
  if (absl::ConsumePrefix(&number, "compute_") &&
      absl::SimpleAtoi(number, &value)) {
    return gpu.capability >= value
               ? ""
               : absl::StrCat("is PTX for sm_", value, " and later");
  }
  return absl::StrCat("needs ", feature, ", which is unknown here");
}

bool IsKnown(const planpb::LibraryCall& call) {
  return (call.library() == "cublasLt" && call.has_product()) ||
         (call.library() == "cudnn" && call.has_convolution());
}

std::string WhyNot(const planpb::Manifest& manifest, int variant,
                   const GpuFacts& gpu) {
  const planpb::CodeVariant& code = manifest.variants(variant);
  if (code.device() != planpb::DEVICE_CUDA) {
    return "is not code for a GPU";
  }
  for (const std::string& feature : code.features()) {
    if (std::string missing = Missing(feature, gpu); !missing.empty()) {
      return missing;
    }
  }
  const std::string call = FindUnknownCall(manifest, variant, IsKnown);
  return call.empty() ? ""
                      : absl::StrCat(call, ", which this accel-run does not");
}

}  // namespace

absl::StatusOr<int> ChooseGpuVariant(const PlanView& plan,
                                     const GpuFacts& gpu) {
  return ChooseFirstVariant(
      plan.manifest(),
      absl::StrCat("the plan has no code for this GPU (", gpu.name, ", sm_",
                   gpu.capability, ")"),
      "compile the model again with PTX, which all GPUs from sm_80 on execute: "
      "accelc MODEL.onnx --target=compute_80",
      [&](int variant) { return WhyNot(plan.manifest(), variant, gpu); });
}

}  // namespace accel::runtime::cuda
