// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening of the driver, and its errors as statuses.
#include "runtime/device/cuda/driver.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

constexpr absl::string_view kDriverRemedy =
    "install NVIDIA's driver, or execute the plan's code for CPUs (accel-run "
    "--device=cpu)";

}  // namespace

absl::StatusOr<std::shared_ptr<const Driver>> Driver::Open(
    Vfs& vfs, const LibrarySearch& search) {
  // No folder of CUDA's libraries has the driver, nor has a package: it lies
  // where the loader finds it.
  constexpr absl::string_view kName = "libcuda.so.1";
  const std::vector<std::string> entries =
      search.folder.empty()
          ? std::vector<std::string>()
          : vfs.List(search.folder).value_or(std::vector<std::string>());
  const bool is_here =
      std::find(entries.begin(), entries.end(), kName) != entries.end();
  const LibrarySearch own = {is_here ? search.folder : "", ""};
  ASSIGN_OR_RETURN(const SharedLibrary library,
                   SharedLibrary::Open(vfs, {kName}, own, kDriverRemedy));
  std::shared_ptr<Driver> driver(new Driver);
  RETURN_IF_ERROR(driver->FindFunctions(library));
  RETURN_IF_ERROR(driver->Initialize());
  return driver;
}

absl::Status Driver::FindFunctions(const SharedLibrary& library) {
#define ACCEL_CUDA_FIND(name, ...)                                        \
  {                                                                       \
    ASSIGN_OR_RETURN(void* const found, library.Find(#name));             \
    functions_.name = reinterpret_cast<decltype(functions_.name)>(found); \
  }
  ACCEL_CUDA_DRIVER_FUNCTIONS(ACCEL_CUDA_FIND)
#undef ACCEL_CUDA_FIND
  return absl::OkStatus();
}

absl::Status Driver::Initialize() {
  const Result result = functions_.cuInit(0);
  if (result == kErrorNoDevice) {
    return absl::UnimplementedError(absl::StrCat(
        "NVIDIA's driver finds no GPU (cuInit: CUDA_ERROR_NO_DEVICE); run the "
        "plan on a machine that has one, see whether CUDA_VISIBLE_DEVICES "
        "hides it, or execute the plan's code for CPUs (accel-run "
        "--device=cpu)"));
  }
  if (result == kErrorSystemDriverMismatch) {
    return absl::UnimplementedError(
        "libcuda and the driver in the kernel have different versions (cuInit: "
        "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH); restart the machine, or install "
        "the driver again");
  }
  RETURN_IF_ERROR(Check(result, "cuInit"));
  return Check(functions_.cuDriverGetVersion(&version_), "cuDriverGetVersion");
}

std::string Driver::Version() const {
  return absl::StrCat(version_ / 1000, ".", version_ % 1000 / 10);
}

absl::Status Driver::Check(Result result, absl::string_view call) const {
  if (result == kSuccess) {
    return absl::OkStatus();
  }
  const char* name = nullptr;
  const char* text = nullptr;
  if (functions_.cuGetErrorName(result, &name) != kSuccess || name == nullptr) {
    name = "an error without a name";
  }
  if (functions_.cuGetErrorString(result, &text) != kSuccess ||
      text == nullptr) {
    text = "unknown";
  }
  const std::string message =
      absl::StrCat(call, ": ", text, " (", name, ", ", result, ")");
  return result == kErrorOutOfMemory ? absl::ResourceExhaustedError(message)
                                     : absl::InternalError(message);
}

absl::StatusOr<bool> Driver::IsDone(Result result,
                                    absl::string_view call) const {
  if (result == kErrorNotReady) {
    return false;
  }
  RETURN_IF_ERROR(Check(result, call));
  return true;
}

}  // namespace accel::runtime::cuda
