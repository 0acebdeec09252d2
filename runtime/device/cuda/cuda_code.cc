// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One module for all kernels of a variant.
#include "runtime/device/cuda/cuda_code.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {

absl::StatusOr<std::unique_ptr<CudaCode>> CudaCode::Load(const Gpu& gpu,
                                                         const Plan& plan,
                                                         int variant) {
  RETURN_IF_ERROR(gpu.MakeCurrent());
  const planpb::Manifest& manifest = plan.manifest();
  const planpb::CodeVariant& chosen = manifest.variants(variant);
  auto code = std::make_unique<CudaCode>(gpu);
  code->index_ = variant;
  code->name_ = chosen.name();
  // A plan may consist of calls alone.
  const planpb::Section& section =
      manifest.sections(static_cast<int>(chosen.section()));
  if (section.size() != 0) {
    ASSIGN_OR_RETURN(
        const std::string image,
        plan.content().ReadSection(chosen.section(), section.size()));
    RETURN_IF_ERROR(
        Annotate(code->LoadModule(image),
                 absl::StrCat("code variant '", chosen.name(), "'")));
  }
  for (const planpb::Kernel& kernel : manifest.kernels()) {
    const planpb::KernelEntry& entry = kernel.entries(variant);
    CudaKernel& own = code->kernels_.emplace_back();
    own.tiles = entry.tiles();
    own.threads = entry.threads();
    if (entry.has_call()) {
      code->calls_products_ |= entry.call().has_product();
      code->calls_convolutions_ |= entry.call().has_convolution();
      continue;
    }
    RETURN_IF_ERROR(
        Annotate(gpu.driver().Check(
                     gpu.driver()->cuModuleGetFunction(
                         &own.function, code->module_, kernel.name().c_str()),
                     "cuModuleGetFunction"),
                 absl::StrCat("kernel '", kernel.name(), "'")));
  }
  return code;
}

absl::Status CudaCode::LoadModule(const std::string& image) {
  std::array<char, 8192> log = {};
  std::array<int, 2> options = {kJitErrorLogBuffer,
                                kJitErrorLogBufferSizeBytes};
  // The second value is the number itself, in the pointer's place.
  std::array<void*, 2> values = {
      log.data(), reinterpret_cast<void*>(uintptr_t{log.size() - 1})};
  const absl::Status loaded = gpu_.driver().Check(
      gpu_.driver()->cuModuleLoadDataEx(&module_, image.c_str(), options.size(),
                                        options.data(), values.data()),
      "cuModuleLoadDataEx");
  return loaded.ok() || log[0] == 0
             ? loaded
             : absl::Status(loaded.code(),
                            absl::StrCat(loaded.message(), "\n", log.data()));
}

CudaCode::~CudaCode() {
  if (module_ != nullptr && gpu_.MakeCurrent().ok()) {
    gpu_.driver()->cuModuleUnload(module_);
  }
}

}  // namespace accel::runtime::cuda
