// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors of a model, whether they lie in one safetensors file or in
// several that an index names.
#ifndef ACCEL_RUNTIME_IO_SAFETENSORS_SET_H_
#define ACCEL_RUNTIME_IO_SAFETENSORS_SET_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/io/safetensors.h"
#include "runtime/io/vfs.h"

namespace accel::runtime {

// Threads: const member functions may be called from any thread.
class SafetensorsSet {
 public:
  struct Tensor {
    const SafetensorsReader* file = nullptr;
    const SafetensorsEntry* entry = nullptr;
  };

  // `path` is an index if its name ends in .json. Reads the headers of all
  // files, and no data. InvalidArgument, naming the file, if an index and its
  // files name different tensors.
  static absl::StatusOr<std::unique_ptr<SafetensorsSet>> Open(
      Vfs& vfs, const std::string& path);

  // What Open would read: the file, or the index and its files.
  static absl::StatusOr<std::vector<std::string>> ListFiles(
      Vfs& vfs, const std::string& path);

  const std::string& path() const { return path_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }

  // Bytes [offset, offset + dst.size()) of a tensor of this set.
  absl::Status Read(const Tensor& tensor, uint64_t offset,
                    absl::Span<std::byte> dst) const {
    return tensor.file->Read(*tensor.entry, offset, dst);
  }

 private:
  explicit SafetensorsSet(std::string path) : path_(std::move(path)) {}

  absl::Status AddFile(Vfs& vfs, const std::string& path);
  absl::Status OpenIndexed(Vfs& vfs);

  std::string path_;
  std::vector<std::unique_ptr<SafetensorsReader>> files_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_IO_SAFETENSORS_SET_H_
