// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Capabilities, drivers and the libraries that are called.
#include "runtime/device/cuda/variant_choice.h"

#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

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

// The first kernel whose work no library does that we call, or "".
std::string UnknownCall(const planpb::Manifest& manifest, int variant) {
  for (const planpb::Kernel& kernel : manifest.kernels()) {
    const planpb::KernelEntry& entry = kernel.entries(variant);
    if (entry.has_call() &&
        (entry.call().library() != "cublasLt" || !entry.call().has_product())) {
      return absl::StrCat("calls ", entry.call().function(), " of library ",
                          entry.call().library(), " for kernel '",
                          kernel.name(), "', which this accel-run does not");
    }
  }
  return "";
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
  return UnknownCall(manifest, variant);
}

}  // namespace

absl::StatusOr<int> ChooseGpuVariant(const PlanView& plan,
                                     const GpuFacts& gpu) {
  std::vector<std::string> refused;
  const planpb::Manifest& manifest = plan.manifest();
  for (int i = 0; i < manifest.variants_size(); ++i) {
    const std::string reason = WhyNot(manifest, i, gpu);
    if (reason.empty()) {
      return i;
    }
    refused.push_back(
        absl::StrCat("'", manifest.variants(i).name(), "' ", reason));
  }
  return absl::UnimplementedError(absl::StrCat(
      "the plan has no code for this GPU (", gpu.name, ", sm_", gpu.capability,
      "): ", absl::StrJoin(refused, "; "),
      "; compile the model again with PTX, which all GPUs from sm_80 on "
      "execute: accelc MODEL.onnx --target=compute_80"));
}

}  // namespace accel::runtime::cuda
