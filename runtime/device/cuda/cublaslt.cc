// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening of cuBLASLt, and its errors as statuses.
#include "runtime/device/cuda/cublaslt.h"

#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

constexpr absl::string_view kBlasRemedy =
    "install the CUDA libraries or the Python package nvidia-cublas, in the "
    "environment that VIRTUAL_ENV names, or name their folder (accel-run "
    "--cuda-libs DIR)";

}  // namespace

absl::StatusOr<std::unique_ptr<CublasLt>> CublasLt::Open(
    Vfs& vfs, const LibrarySearch& search, const Gpu& gpu) {
  // One for a later driver opens, and then finds no GPU.
  constexpr int kCuda13 = 13000;
  std::vector<absl::string_view> names = {"libcublasLt.so.12"};
  if (gpu.driver().version() >= kCuda13) {
    names.insert(names.begin(), "libcublasLt.so.13");
  }
  ASSIGN_OR_RETURN(const SharedLibrary opened,
                   SharedLibrary::Open(vfs, names, search, kBlasRemedy));
  auto library = absl::WrapUnique(new CublasLt(gpu));
  RETURN_IF_ERROR(library->FindFunctions(opened));
  RETURN_IF_ERROR(
      Annotate(library->Check((*library)->cublasLtCreate(&library->handle_),
                              "cublasLtCreate"),
               absl::StrCat("'", opened.name(), "' with a driver for CUDA ",
                            gpu.driver().Version())));
  return library;
}

CublasLt::~CublasLt() {
  if (handle_ != nullptr && gpu_.MakeCurrent().ok()) {
    functions_.cublasLtDestroy(handle_);
  }
}

absl::Status CublasLt::FindFunctions(const SharedLibrary& library) {
#define ACCEL_CUBLASLT_FIND(result, name, ...)                            \
  {                                                                       \
    ASSIGN_OR_RETURN(void* const found, library.Find(#name));             \
    functions_.name = reinterpret_cast<decltype(functions_.name)>(found); \
  }
  ACCEL_CUBLASLT_FUNCTIONS(ACCEL_CUBLASLT_FIND)
#undef ACCEL_CUBLASLT_FIND
  return absl::OkStatus();
}

std::string CublasLt::Version() const {
  // 130100; before 13, 120103.
  const size_t version = functions_.cublasLtGetVersion();
  return absl::StrCat(version / 10000, ".", version % 10000 / 100, ".",
                      version % 100);
}

absl::Status CublasLt::Check(BlasStatus status, absl::string_view call) const {
  if (status == kBlasSuccess) {
    return absl::OkStatus();
  }
  const char* const text = functions_.cublasLtGetStatusString(status);
  const std::string message =
      absl::StrCat(call, " of cuBLASLt ", Version(), ": ",
                   text == nullptr ? "unknown" : text, " (", status, ")");
  return status == kBlasAllocFailed ? absl::ResourceExhaustedError(message)
                                    : absl::InternalError(message);
}

}  // namespace accel::runtime::cuda
