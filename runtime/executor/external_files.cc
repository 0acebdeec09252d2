// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening and hashing of external weight files.
#include "runtime/executor/external_files.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/errors.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"
#include "runtime/plan/container/container_format.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kRemedy =
    "; put the file that the model was compiled with there, name its folder "
    "with --weights-dir, or compile the model again with accelc";

// A plan must not make us read files elsewhere.
absl::Status CheckPath(absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") {
      return absl::InvalidArgumentError(
          absl::StrCat("external file '", path,
                       "': expected a path inside the folder of the weights"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDigests(const planpb::ExternalFile& external) {
  const uint64_t expected = ChunkCount(external.size()) * sizeof(Sha256Digest);
  if (external.chunk_digests().size() == expected) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("external file '", external.path(), "': expected ", expected,
                   " bytes of hashes, got ", external.chunk_digests().size()));
}

absl::StatusOr<std::unique_ptr<File>> OpenOne(
    Vfs& vfs, const std::string& folder, const planpb::ExternalFile& external) {
  RETURN_IF_ERROR(CheckPath(external.path()));
  RETURN_IF_ERROR(CheckDigests(external));
  const std::string path = JoinPath(folder, external.path());
  auto file = vfs.Open(path, OpenMode::kRead);
  if (absl::IsNotFound(file.status())) {
    return absl::NotFoundError(
        absl::StrCat("'", path, "': expected the weights that the plan refers ",
                     "to, got no such file", kRemedy));
  }
  RETURN_IF_ERROR(file.status());
  ASSIGN_OR_RETURN(const FileStat stat, (*file)->Stat());
  if (stat.is_directory || stat.size != external.size()) {
    return absl::DataLossError(absl::StrCat(
        "'", path, "': expected a file of ", external.size(), " bytes, got ",
        stat.is_directory ? "a folder" : absl::StrCat(stat.size), kRemedy));
  }
  return file;
}

}  // namespace

absl::StatusOr<ExternalFiles> ExternalFiles::Open(Vfs& vfs, const Plan& plan,
                                                  const std::string& folder) {
  ExternalFiles files;
  ErrorList errors;
  const std::string root =
      folder.empty() ? ParentDirectory(plan.path()) : folder;
  for (const planpb::ExternalFile& external :
       plan.manifest().external_files()) {
    auto file = OpenOne(vfs, root, external);
    errors.Add(file.status());
    if (file.ok()) {
      files.files_.push_back({*std::move(file), &external});
    }
  }
  RETURN_IF_ERROR(errors.ToStatus("weights of the plan"));
  return files;
}

uint64_t ExternalFiles::ChunkBytes(uint32_t index, uint64_t chunk) const {
  return std::min(kChunkSize,
                  files_[index].expected->size() - chunk * kChunkSize);
}

absl::Status ExternalFiles::CheckRange(uint32_t index, uint64_t offset,
                                       uint64_t size) const {
  const OpenFile& file = files_[index];
  const uint64_t end = file.expected->size();
  if (offset <= end && size <= end - offset) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(
      absl::StrCat("'", file.file->path(), "': expected ", size,
                   " bytes at offset ", offset, ", got a file of ", end));
}

absl::Status ExternalFiles::ReadChunk(uint32_t index, uint64_t chunk,
                                      absl::Span<std::byte> dst) const {
  const OpenFile& file = files_[index];
  const uint64_t offset = chunk * kChunkSize;
  RETURN_IF_ERROR(file.file->ReadAt(offset, dst));
  const Sha256Digest actual = Sha256::Of(dst);
  Sha256Digest expected;
  std::memcpy(expected.data(),
              &file.expected->chunk_digests()[chunk * sizeof(Sha256Digest)],
              sizeof(Sha256Digest));
  if (actual == expected) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(
      "'", file.file->path(), "' is not the file that the plan was compiled ",
      "with: bytes [", offset, ", ", offset + dst.size(),
      "): expected SHA-256 ", ToHex(expected), ", got ", ToHex(actual),
      kRemedy));
}

}  // namespace accel::runtime
