// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Size and hashes of a file of weights.
#include "runtime/plan/container/external_file.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/container/container_format.h"

namespace accel::runtime {

absl::StatusOr<planpb::ExternalFile> DescribeExternalFile(
    Vfs& vfs, const std::string& path, const std::string& name) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                   vfs.Open(path, OpenMode::kRead));
  ASSIGN_OR_RETURN(const FileStat stat, file->Stat());
  planpb::ExternalFile external;
  external.set_path(name);
  external.set_size(stat.size);
  std::vector<std::byte> chunk(std::min(stat.size, kChunkSize));
  for (uint64_t offset = 0; offset < stat.size; offset += kChunkSize) {
    const auto bytes =
        absl::MakeSpan(chunk).first(std::min(kChunkSize, stat.size - offset));
    RETURN_IF_ERROR(file->ReadAt(offset, bytes));
    const Sha256Digest digest = Sha256::Of(bytes);
    external.mutable_chunk_digests()->append(
        reinterpret_cast<const char*>(digest.data()), digest.size());
  }
  return external;
}

}  // namespace accel::runtime
