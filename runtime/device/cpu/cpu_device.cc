// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of the code variant, the check of memory, and loading of code.
#include "runtime/device/cpu/cpu_device.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/choose_variant.h"
#include "runtime/device/cpu/cpu_roofline.h"
#include "runtime/device/cpu/cpu_streams.h"
#include "runtime/device/memory_text.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {
absl::StatusOr<std::unique_ptr<CpuDevice>> CpuDevice::Create(
    Vfs& vfs, const CpuDeviceOptions& options) {
  ASSIGN_OR_RETURN(ThreadPool pool,
                   ThreadPool::Create(options.threads > 0 ? options.threads
                                                          : AvailableCores()));
  return absl::WrapUnique(new CpuDevice(vfs, options, std::move(pool)));
}

CpuDevice::CpuDevice(Vfs& vfs, const CpuDeviceOptions& options, ThreadPool pool)
    : vfs_(vfs),
      options_(options),
      cpu_(options.describe_cpu()),
      pool_(std::move(pool)) {}

std::string CpuDevice::Describe() const {
  return absl::StrCat(cpu_.brand, ", ", threads(),
                      threads() == 1 ? " thread" : " threads");
}

std::string CpuDevice::WhyNot(const planpb::Manifest& manifest,
                              int variant) const {
  const planpb::CodeVariant& code = manifest.variants(variant);
  if (code.device() != planpb::DEVICE_CPU) {
    return "is not code for a CPU";
  }
  // CPUs execute the plan's own code only.
  const std::string call =
      FindUnknownCall(manifest, variant, [](const auto&) { return false; });
  if (!call.empty()) {
    return absl::StrCat(call, ", which no CPU executes");
  }
  std::vector<absl::string_view> missing;
  for (const std::string& feature : code.features()) {
    if (!cpu_.Has(feature)) {
      missing.push_back(feature);
    }
  }
  return missing.empty() ? ""
                         : absl::StrCat("needs ", absl::StrJoin(missing, ", "));
}

absl::StatusOr<int> CpuDevice::ChooseVariant(const PlanView& plan) const {
  return ChooseFirstVariant(
      plan.manifest(),
      absl::StrCat("the plan has no code for this CPU (", cpu_.brand, ")"),
      "run it on a machine that has what it needs, or compile the model again: "
      "accelc MODEL.onnx --target=cpu",
      [&](int variant) { return WhyNot(plan.manifest(), variant); });
}

absl::StatusOr<std::unique_ptr<DeviceMemory>> CpuDevice::Allocate(
    const PlanView& plan, const MemoryLayout& layout,
    const SharedAllocator& shared) {
  RETURN_IF_ERROR(
      CheckMemory(layout, shared ? layout.binding().rank_count() : 1));
  return CpuMemory::Create(plan, layout, shared);
}

absl::Status CpuDevice::CheckMemory(const MemoryLayout& layout,
                                    uint64_t sharing) const {
  const AvailableMemory available = options_.available_memory(vfs_);
  const uint64_t needed =
      layout.PrivateBytes() +
      DivideUp(layout.SharedBytes() + layout.staging().BytesOfHost(), sharing);
  return needed <= available.bytes
             ? absl::OkStatus()
             : absl::ResourceExhaustedError(absl::StrCat(
                   "not enough memory: the plan needs ", FormatBytes(needed),
                   " (", DescribeMemory(layout), "), ",
                   FormatBytes(available.bytes), " are available by ",
                   available.source,
                   "; compile with a smaller microbatch (accelc --dim "
                   "batch=N) or free memory"));
}

absl::StatusOr<std::unique_ptr<CpuCode>> CpuCode::Load(const Plan& plan,
                                                       int variant) {
  const planpb::Manifest& manifest = plan.manifest();
  auto code = std::make_unique<CpuCode>();
  code->variant_ = manifest.variants(variant).name();
  ASSIGN_OR_RETURN(
      code->image_,
      CodeImage::Load(plan.content(), manifest.variants(variant).section()));
  for (const planpb::Kernel& kernel : manifest.kernels()) {
    const planpb::KernelEntry& entry = kernel.entries(variant);
    code->kernels_.push_back(
        {code->image_->At(entry.offset()), entry.tiles(),
         std::max<int64_t>(1, static_cast<int64_t>(entry.grain())),
         kernel.flushes_subnormals()});
  }
  return code;
}

absl::StatusOr<std::unique_ptr<DeviceCode>> CpuDevice::LoadCode(
    const Plan& plan) {
  if (plan.manifest().kernels().empty()) {
    return std::make_unique<CpuCode>();
  }
  ASSIGN_OR_RETURN(const int variant, ChooseVariant(plan.view()));
  return CpuCode::Load(plan, variant);
}

absl::StatusOr<std::unique_ptr<StreamGroup>> CpuDevice::CreateStreams(
    const PlanView& plan, const DeviceCode& code, DeviceMemory& memory,
    StreamClient& client, const StreamOptions& options) {
  return CpuStreams::Create(plan, static_cast<const CpuCode&>(code),
                            static_cast<CpuMemory&>(memory), pool_, client,
                            options);
}

absl::StatusOr<Roofline> CpuDevice::MeasureRoofline() {
  return MeasureCpuRoofline(pool_);
}

uint64_t CpuDevice::RooflineMemoryBytes() const {
  return CpuRooflineMemoryBytes();
}

}  // namespace accel::runtime
