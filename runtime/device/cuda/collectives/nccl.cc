// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening of NCCL, and its errors as statuses.
#include "runtime/device/cuda/collectives/nccl.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

constexpr absl::string_view kNcclRemedy =
    "install NCCL or the Python package nvidia-nccl-cu13, in the environment "
    "that VIRTUAL_ENV names, name its folder (accel-run --cuda-libs DIR), or "
    "let collectives go through the host (accel-run --collectives=host)";
// The first with communicators that do not block.
constexpr int kOldestVersion = 21400;

}  // namespace

absl::StatusOr<std::shared_ptr<const Nccl>> Nccl::Open(
    Vfs& vfs, const LibrarySearch& search) {
  ASSIGN_OR_RETURN(
      const SharedLibrary opened,
      SharedLibrary::Open(vfs, {{"libnccl.so.2"}}, search, kNcclRemedy));
  std::shared_ptr<Nccl> library(new Nccl);
  RETURN_IF_ERROR(library->FindVersion(opened));
  if (library->version_ < kOldestVersion) {
    return absl::UnimplementedError(
        absl::StrCat("'", opened.name(), "' is NCCL ", library->Version(),
                     ", expected 2.14 or later; ", kNcclRemedy));
  }
  RETURN_IF_ERROR(library->FindFunctions(opened));
  return library;
}

// Alone: an old library does not have the other functions.
absl::Status Nccl::FindVersion(const SharedLibrary& library) {
  ASSIGN_OR_RETURN(void* const found, library.Find("ncclGetVersion"));
  const auto get_version =
      reinterpret_cast<decltype(functions_.ncclGetVersion)>(found);
  const NcclResult result = get_version(&version_);
  return result == kNcclSuccess
             ? absl::OkStatus()
             : absl::InternalError(absl::StrCat("ncclGetVersion of '",
                                                library.name(), "': ", result));
}

absl::Status Nccl::FindFunctions(const SharedLibrary& library) {
#define ACCEL_NCCL_FIND(result, name, ...)                                \
  {                                                                       \
    ASSIGN_OR_RETURN(void* const found, library.Find(#name));             \
    functions_.name = reinterpret_cast<decltype(functions_.name)>(found); \
  }
  ACCEL_NCCL_FUNCTIONS(ACCEL_NCCL_FIND)
#undef ACCEL_NCCL_FIND
  return absl::OkStatus();
}

std::string Nccl::Version() const {
  return absl::StrCat(version_ / 10000, ".", version_ % 10000 / 100, ".",
                      version_ % 100);
}

absl::Status Nccl::Check(NcclResult result, NcclComm comm,
                         absl::string_view call) const {
  if (result == kNcclSuccess || result == kNcclInProgress) {
    return absl::OkStatus();
  }
  const char* const text = functions_.ncclGetErrorString(result);
  const char* const last = functions_.ncclGetLastError(comm);
  const std::string message = absl::StrCat(
      call, " of NCCL ", Version(), ": ", text == nullptr ? "unknown" : text,
      " (", result, ")",
      last == nullptr || *last == 0 ? "" : absl::StrCat(": ", last),
      "; NCCL_DEBUG=WARN shows more, accel-run --collectives=host does without "
      "NCCL");
  return result == kNcclRemoteError || result == kNcclSystemError
             ? absl::UnavailableError(message)
             : absl::InternalError(message);
}

}  // namespace accel::runtime::cuda
