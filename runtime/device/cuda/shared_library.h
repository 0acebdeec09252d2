// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's libraries, which are opened when a plan needs them: one build of
// accel-run starts on every machine.
#ifndef ACCEL_RUNTIME_DEVICE_CUDA_SHARED_LIBRARY_H_
#define ACCEL_RUNTIME_DEVICE_CUDA_SHARED_LIBRARY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/io/vfs.h"

namespace accel::runtime::cuda {

// Where libraries are looked for.
struct LibrarySearch {
  // Only here, but for the driver; empty: where the loader looks, then in
  // `python_environment`.
  std::string folder;
  // Of the packages that pip installs, the folder that VIRTUAL_ENV names.
  std::string python_environment;
};

// Stays open as long as the process lives: drivers have threads that run its
// code.
//
// Threads: everything may be called from any thread.
class SharedLibrary {
 public:
  // Opens the first of `names` that there is. Unimplemented, with what the
  // loader says of each place and `remedy`, if there is none.
  static absl::StatusOr<SharedLibrary> Open(
      Vfs& vfs, absl::Span<const absl::string_view> names,
      const LibrarySearch& search, absl::string_view remedy);

  // Unimplemented, naming the library's file, if it has no such symbol, which
  // an old one has not.
  absl::StatusOr<void*> Find(const char* symbol) const;

  // A path, or a name that the loader knows.
  const std::string& name() const { return name_; }

 private:
  SharedLibrary(void* handle, std::string name)
      : handle_(handle), name_(std::move(name)) {}

  void* handle_;
  std::string name_;
};

}  // namespace accel::runtime::cuda

#endif  // ACCEL_RUNTIME_DEVICE_CUDA_SHARED_LIBRARY_H_
