// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What needs a driver: memory, code and streams.
#include "runtime/device/cuda/cuda_device.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/device/cuda/collectives/create_collectives.h"
#include "runtime/device/cuda/cuda_code.h"
#include "runtime/device/cuda/cuda_memory.h"
#include "runtime/device/cuda/cuda_streams.h"
#include "runtime/device/cuda/product_tuning.h"
#include "runtime/device/cuda/variant_choice.h"
#include "runtime/device/memory_text.h"

namespace accel::runtime::cuda {

absl::StatusOr<std::unique_ptr<CudaDevice>> CudaDevice::Create(
    Vfs& vfs, const CudaDeviceOptions& options) {
  auto device = absl::WrapUnique(new CudaDevice(vfs, options));
  ASSIGN_OR_RETURN(auto driver, Driver::Open(vfs, options.libraries));
  ASSIGN_OR_RETURN(device->gpu_, Gpu::Open(std::move(driver), options.gpu,
                                           options.is_abandoned));
  ASSIGN_OR_RETURN(device->memory_, device->gpu_->ReadMemory());
  return device;
}

std::string CudaDevice::Describe() const {
  return absl::StrCat(gpu_->name(), ", sm_", gpu_->capability(),
                      ", driver for CUDA ", gpu_->driver().Version());
}

absl::StatusOr<int> CudaDevice::ChooseVariant(const PlanView& plan) const {
  return ChooseGpuVariant(
      plan, {gpu_->name(), gpu_->capability(), gpu_->driver().version()});
}

absl::StatusOr<std::unique_ptr<DeviceCode>> CudaDevice::LoadCode(
    const Plan& plan) {
  if (plan.manifest().kernels().empty()) {
    return std::make_unique<CudaCode>(*gpu_);
  }
  ASSIGN_OR_RETURN(const int variant, ChooseVariant(plan.view()));
  return CudaCode::Load(*gpu_, plan, variant);
}

absl::StatusOr<std::unique_ptr<DeviceMemory>> CudaDevice::Allocate(
    const PlanView&, const MemoryLayout& layout, const SharedAllocator&) {
  RETURN_IF_ERROR(CheckMemory(layout, 1));
  absl::StatusOr<std::unique_ptr<CudaMemory>> memory =
      CudaMemory::Create(*gpu_, layout);
  // Code and libraries take some besides, so that what was free may not be.
  if (absl::IsResourceExhausted(memory.status())) {
    return NoRoom(layout);
  }
  return memory;
}

uint64_t CudaDevice::FreeBytes() const {
  return memory_.free / static_cast<uint64_t>(options_.ranks_on_gpu);
}

absl::Status CudaDevice::CheckMemory(const MemoryLayout& layout,
                                     uint64_t) const {
  return layout.PrivateBytes() + layout.SharedBytes() <= FreeBytes()
             ? absl::OkStatus()
             : NoRoom(layout);
}

absl::Status CudaDevice::NoRoom(const MemoryLayout& layout) const {
  return absl::ResourceExhaustedError(absl::StrCat(
      "not enough memory on the GPU (", gpu_->name(), "): the plan needs ",
      FormatBytes(layout.PrivateBytes() + layout.SharedBytes()), " (",
      DescribeMemory(layout), "), ", FormatBytes(FreeBytes()), " were free",
      options_.ranks_on_gpu == 1
          ? ""
          : absl::StrCat(" for each of ", options_.ranks_on_gpu, " ranks"),
      " of ", FormatBytes(memory_.total),
      "; compile with a smaller microbatch (accelc --dim batch=N), on more "
      "ranks with --fsdp, or end what else runs on the GPU (nvidia-smi)"));
}

absl::StatusOr<std::unique_ptr<StreamGroup>> CudaDevice::CreateStreams(
    const PlanView& plan, const DeviceCode& code, DeviceMemory& memory,
    StreamClient& client, const StreamOptions& options) {
  const auto& own = static_cast<const CudaCode&>(code);
  RETURN_IF_ERROR(gpu_->MakeCurrent());
  CudaLibraries libraries;
  if (own.calls_convolutions()) {
    ASSIGN_OR_RETURN(libraries.convolutions,
                     Cudnn::Open(vfs_, options_.libraries, *gpu_));
  }
  if (own.calls_products()) {
    ASSIGN_OR_RETURN(libraries.products,
                     CublasLt::Open(vfs_, options_.libraries, *gpu_));
    if (options.tuned != nullptr) {
      RETURN_IF_ERROR(
          CheckMachine(*options.tuned, Machine(*libraries.products)));
    }
  }
  if (options.communicator != nullptr) {
    libraries.make_collectives = [&](HostWait& wait) {
      return CreateCollectives(
          vfs_,
          {options_.collectives, options_.ranks_on_gpu, options_.libraries},
          *gpu_, *options.communicator, *options.watchdog, wait);
    };
  }
  return CudaStreams::Create(*gpu_, plan, own, static_cast<CudaMemory&>(memory),
                             std::move(libraries), client, options);
}

TuningMachine CudaDevice::Machine(const CublasLt& library) const {
  return {gpu_->name(),
          absl::StrCat(gpu_->capability() / 10, ".", gpu_->capability() % 10),
          absl::StrCat("cuBLASLt ", library.Version())};
}

absl::StatusOr<TunedProducts> CudaDevice::TuneProducts(
    const PlanView& plan, const MemoryLayout& layout,
    const TuningOptions& options) {
  ASSIGN_OR_RETURN(const int variant, ChooseVariant(plan));
  RETURN_IF_ERROR(gpu_->MakeCurrent());
  ASSIGN_OR_RETURN(auto library,
                   CublasLt::Open(vfs_, options_.libraries, *gpu_));
  TunedProducts tuned;
  tuned.machine = Machine(*library);
  tuned.driver = gpu_->driver().Version();
  ASSIGN_OR_RETURN(
      ProductCalls products,
      ProductCalls::Create(std::move(library), plan, variant, layout));
  ProductTuning tuning(*gpu_, products, plan, layout, options);
  ASSIGN_OR_RETURN(tuned.products, tuning.Run());
  return tuned;
}

absl::StatusOr<Roofline> CudaDevice::MeasureRoofline() {
  return absl::UnimplementedError("what a GPU can do at most is not measured");
}

}  // namespace accel::runtime::cuda
