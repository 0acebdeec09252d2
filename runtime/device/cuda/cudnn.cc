// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening of cuDNN, its errors as statuses, and descriptors that end.
#include "runtime/device/cuda/cudnn.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime::cuda {
namespace {

constexpr absl::string_view kDnnRemedy =
    "the plan's convolutions are cuDNN's: install cuDNN 9 or the Python "
    "package nvidia-cudnn-cu13 (nvidia-cudnn-cu12 for a driver before CUDA "
    "13), in the environment that VIRTUAL_ENV names, or name the libraries' "
    "folder (accel-run --cuda-libs DIR)";

}  // namespace

absl::StatusOr<std::unique_ptr<Cudnn>> Cudnn::Open(Vfs& vfs,
                                                   const LibrarySearch& search,
                                                   const Gpu& gpu) {
  constexpr size_t kOldest = 90000;
  ASSIGN_OR_RETURN(
      const SharedLibrary opened,
      SharedLibrary::Open(vfs, {{"libcudnn.so.9"}}, search, kDnnRemedy));
  auto library = absl::WrapUnique(new Cudnn(gpu));
  RETURN_IF_ERROR(library->FindFunctions(opened));
  if ((*library)->cudnnGetVersion() < kOldest) {
    return absl::UnimplementedError(
        absl::StrCat("'", opened.name(), "' is cuDNN ", library->Version(),
                     ", and cuDNN 9 is needed; ", kDnnRemedy));
  }
  RETURN_IF_ERROR(Annotate(
      library->Check((*library)->cudnnCreate(&library->handle_), "cudnnCreate"),
      absl::StrCat("'", opened.name(), "' with a driver for CUDA ",
                   gpu.driver().Version())));
  return library;
}

Cudnn::~Cudnn() {
  if (handle_ != nullptr && gpu_.MakeCurrent().ok()) {
    functions_.cudnnDestroy(handle_);
  }
}

absl::Status Cudnn::FindFunctions(const SharedLibrary& library) {
#define ACCEL_CUDNN_FIND(result, name, ...)                               \
  {                                                                       \
    ASSIGN_OR_RETURN(void* const found, library.Find(#name));             \
    functions_.name = reinterpret_cast<decltype(functions_.name)>(found); \
  }
  ACCEL_CUDNN_FUNCTIONS(ACCEL_CUDNN_FIND)
#undef ACCEL_CUDNN_FIND
  return absl::OkStatus();
}

std::string Cudnn::Version() const {
  // 92801; before 9, 8907.
  const size_t version = functions_.cudnnGetVersion();
  return version >= 10000
             ? absl::StrCat(version / 10000, ".", version % 10000 / 100, ".",
                            version % 100)
             : absl::StrCat(version / 1000, ".", version % 1000 / 100, ".",
                            version % 100);
}

bool Cudnn::IsRefusal(DnnStatus status) {
  return status >= kDnnNotSupported && status < kDnnInternalError;
}

std::string Cudnn::LastError() const {
  std::array<char, 512> text = {};
  functions_.cudnnGetLastErrorString(text.data(), text.size());
  text.back() = 0;
  return text.data();
}

absl::Status Cudnn::Check(DnnStatus status, absl::string_view call) const {
  if (status == kDnnSuccess) {
    return absl::OkStatus();
  }
  const char* const text = functions_.cudnnGetErrorString(status);
  const std::string details = LastError();
  const std::string message = absl::StrCat(
      call, " of cuDNN ", Version(), ": ", text == nullptr ? "unknown" : text,
      " (", status, ")", details.empty() ? "" : ": ", details);
  if (status == kDnnHostAllocationFailed ||
      status == kDnnDeviceAllocationFailed) {
    return absl::ResourceExhaustedError(message);
  }
  return IsRefusal(status) ? absl::UnimplementedError(message)
                           : absl::InternalError(message);
}

absl::StatusOr<DnnObject> DnnObject::Create(const Cudnn& library, int type) {
  DnnDescriptor descriptor = nullptr;
  RETURN_IF_ERROR(
      library.Check(library->cudnnBackendCreateDescriptor(type, &descriptor),
                    "cudnnBackendCreateDescriptor"));
  DnnObject made;
  made.state_ = std::make_shared<State>(library, descriptor);
  return made;
}

absl::Status DnnObject::Set(int attribute, int type, int64_t count,
                            const void* values) const {
  return library().Check(library()->cudnnBackendSetAttribute(
                             get(), attribute, type, count, values),
                         "cudnnBackendSetAttribute");
}

absl::Status DnnObject::Set(int attribute, const DnnObject& value) const {
  const DnnDescriptor descriptor = value.get();
  state_->referred.push_back(value.state_);
  return Set(attribute, kDnnTypeDescriptor, 1, &descriptor);
}

absl::Status DnnObject::Finalize() const {
  return library().Check(library()->cudnnBackendFinalize(get()),
                         "cudnnBackendFinalize");
}

absl::StatusOr<int64_t> DnnObject::Get(int attribute, int type, int64_t most,
                                       void* values) const {
  int64_t count = 0;
  RETURN_IF_ERROR(
      library().Check(library()->cudnnBackendGetAttribute(
                          get(), attribute, type, most, &count, values),
                      "cudnnBackendGetAttribute"));
  return std::min(count, most);
}

absl::StatusOr<int64_t> DnnObject::GetInt64(int attribute) const {
  int64_t value = 0;
  RETURN_IF_ERROR(Get(attribute, kDnnTypeInt64, 1, &value).status());
  return value;
}

absl::StatusOr<std::vector<DnnObject>> DnnObject::GetObjects(
    int attribute, int of, int64_t most) const {
  std::vector<DnnObject> objects;
  std::vector<DnnDescriptor> descriptors;
  for (int64_t i = 0; i < most; ++i) {
    ASSIGN_OR_RETURN(DnnObject object, Create(library(), of));
    descriptors.push_back(object.get());
    object.state_->referred.push_back(state_);
    objects.push_back(std::move(object));
  }
  ASSIGN_OR_RETURN(const int64_t count, Get(attribute, kDnnTypeDescriptor, most,
                                            descriptors.data()));
  objects.resize(static_cast<size_t>(count));
  return objects;
}

}  // namespace accel::runtime::cuda
