// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening and hashing of external weight files.
#include "runtime/executor/external_files.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/errors.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

// A plan must not make us read files elsewhere.
absl::Status CheckPath(absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") {
      return absl::InvalidArgumentError(
          absl::StrCat("external file '", path,
                       "': expected a path inside the plan's folder"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckContent(File& file, const std::string& digest,
                          uint64_t size) {
  Sha256 hash;
  std::vector<std::byte> piece(std::min<uint64_t>(size, uint64_t{4} << 20));
  for (uint64_t offset = 0; offset < size; offset += piece.size()) {
    const auto bytes = absl::MakeSpan(piece).first(
        std::min<uint64_t>(piece.size(), size - offset));
    RETURN_IF_ERROR(file.ReadAt(offset, bytes));
    hash.Update(bytes);
  }
  const Sha256Digest actual = hash.Finish();
  if (absl::string_view(reinterpret_cast<const char*>(actual.data()),
                        actual.size()) != digest) {
    return absl::DataLossError(absl::StrCat(
        "'", file.path(),
        "' is not the file that the plan was compiled with: its SHA-256 is ",
        ToHex(actual)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<File>> OpenOne(
    Vfs& vfs, const std::string& folder, const planpb::ExternalFile& external) {
  RETURN_IF_ERROR(CheckPath(external.path()));
  ASSIGN_OR_RETURN(
      std::unique_ptr<File> file,
      vfs.Open(JoinPath(folder, external.path()), OpenMode::kRead));
  ASSIGN_OR_RETURN(const FileStat stat, file->Stat());
  if (stat.size != external.size()) {
    return absl::DataLossError(absl::StrCat("'", file->path(), "': expected ",
                                            external.size(), " bytes, got ",
                                            stat.size));
  }
  RETURN_IF_ERROR(CheckContent(*file, external.sha256(), external.size()));
  return file;
}

}  // namespace

absl::StatusOr<ExternalFiles> ExternalFiles::Open(Vfs& vfs, const Plan& plan) {
  ExternalFiles files;
  ErrorList errors;
  const std::string folder = ParentDirectory(plan.path());
  for (const planpb::ExternalFile& external :
       plan.manifest().external_files()) {
    auto file = OpenOne(vfs, folder, external);
    errors.Add(file.status());
    if (file.ok()) {
      files.files_.push_back(*std::move(file));
    }
  }
  RETURN_IF_ERROR(errors.ToStatus("weights beside the plan"));
  return files;
}

}  // namespace accel::runtime
