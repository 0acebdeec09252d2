// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuDNN, opened, with a handle, and the descriptors of its backend API.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_CUDNN_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_CUDNN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/device/cuda/abi/cudnn.h"
#include "runtime/device/cuda/gpu.h"
#include "runtime/device/cuda/shared_library.h"

namespace accel::runtime::cuda {

// Threads: one at a time.
class Cudnn {
 public:
  // Borrows: the GPU. Requires: its context is current, and is whenever this is
  // used.
  static absl::StatusOr<std::unique_ptr<Cudnn>> Open(
      Vfs& vfs, const LibrarySearch& search, const Gpu& gpu);
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  const DnnFunctions* operator->() const { return &functions_; }
  DnnHandle handle() const { return handle_; }
  // "9.28.1"
  std::string Version() const;

  absl::Status Check(DnnStatus status, absl::string_view call) const;
  // Whether it says that it does not do what it was asked for, which is no
  // fault of whoever asked.
  static bool IsRefusal(DnnStatus status);
  // What it says of its last error.
  std::string LastError() const;

 private:
  explicit Cudnn(const Gpu& gpu) : gpu_(gpu) {}

  absl::Status FindFunctions(const SharedLibrary& library);

  const Gpu& gpu_;
  DnnFunctions functions_;
  DnnHandle handle_ = nullptr;
};

// A descriptor. It keeps those that it refers to: cuDNN does not say that a
// descriptor may end before those that were made of it.
//
// Threads: one at a time.
class DnnObject {
 public:
  DnnObject() = default;
  // `type`: a cudnnBackendDescriptorType_t. Borrows: the library.
  static absl::StatusOr<DnnObject> Create(const Cudnn& library, int type);

  DnnDescriptor get() const { return state_->descriptor; }

  // `type` is what `values` are: kDnnType...
  absl::Status Set(int attribute, int type, int64_t count,
                   const void* values) const;
  absl::Status Set(int attribute, const DnnObject& value) const;
  absl::Status Set(int attribute, absl::Span<const int64_t> values) const {
    return Set(attribute, kDnnTypeInt64, static_cast<int64_t>(values.size()),
               values.data());
  }
  absl::Status SetEnum(int attribute, int type, int value) const {
    return Set(attribute, type, 1, &value);
  }
  absl::Status Finalize() const;

  // Up to `most` of the values that there are; `values` has room for them.
  absl::StatusOr<int64_t> Get(int attribute, int type, int64_t most,
                              void* values) const;
  absl::StatusOr<int64_t> GetInt64(int attribute) const;
  // All descriptors, of type `of`, up to `most`.
  absl::StatusOr<std::vector<DnnObject>> GetObjects(int attribute, int of,
                                                    int64_t most) const;

 private:
  struct State {
    State(const Cudnn& library, DnnDescriptor descriptor)
        : library(library), descriptor(descriptor) {}
    ~State() { library->cudnnBackendDestroyDescriptor(descriptor); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const Cudnn& library;
    const DnnDescriptor descriptor;
    std::vector<std::shared_ptr<const State>> referred;
  };

  const Cudnn& library() const { return state_->library; }

  std::shared_ptr<State> state_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_CUDNN_H_
