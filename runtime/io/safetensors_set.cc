// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the files of an index, and holds them to what it says.
#include "runtime/io/safetensors_set.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"
#include "runtime/io/safetensors_index.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kMostIndexBytes = 100'000'000;

bool IsIndex(const std::string& path) { return absl::EndsWith(path, ".json"); }

absl::StatusOr<SafetensorsIndex> ReadIndex(Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string json,
                   ReadWholeFile(vfs, path, kMostIndexBytes));
  auto index = ParseSafetensorsIndex(json);
  return index.ok() ? std::move(index)
                    : Annotate(index.status(), absl::StrCat("'", path, "'"));
}

std::set<std::string> FilesOf(const SafetensorsIndex& index,
                              const std::string& path) {
  std::set<std::string> files;
  for (const auto& [tensor, file] : index) {
    files.insert(JoinPath(ParentDirectory(path), file));
  }
  return files;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SafetensorsSet>> SafetensorsSet::Open(
    Vfs& vfs, const std::string& path) {
  std::unique_ptr<SafetensorsSet> set(new SafetensorsSet(path));
  RETURN_IF_ERROR(IsIndex(path) ? set->OpenIndexed(vfs)
                                : set->AddFile(vfs, path));
  return set;
}

absl::StatusOr<std::vector<std::string>> SafetensorsSet::ListFiles(
    Vfs& vfs, const std::string& path) {
  std::vector<std::string> files = {path};
  if (IsIndex(path)) {
    ASSIGN_OR_RETURN(const SafetensorsIndex index, ReadIndex(vfs, path));
    for (const std::string& file : FilesOf(index, path)) {
      files.push_back(file);
    }
  }
  return files;
}

absl::Status SafetensorsSet::AddFile(Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(auto file, SafetensorsReader::Open(vfs, path));
  for (const SafetensorsEntry& entry : file->entries()) {
    const auto [known, is_new] =
        tensors_.emplace(entry.name, Tensor{file.get(), &entry});
    if (!is_new) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path, "': expected each tensor in one file, got '", entry.name,
          "', which '", known->second.file->path(), "' has as well"));
    }
  }
  files_.push_back(std::move(file));
  return absl::OkStatus();
}

absl::Status SafetensorsSet::OpenIndexed(Vfs& vfs) {
  ASSIGN_OR_RETURN(const SafetensorsIndex index, ReadIndex(vfs, path_));
  for (const std::string& file : FilesOf(index, path_)) {
    RETURN_IF_ERROR(AddFile(vfs, file));
  }
  for (const auto& [tensor, file] : index) {
    const auto found = tensors_.find(tensor);
    const std::string expected = JoinPath(ParentDirectory(path_), file);
    if (found == tensors_.end() || found->second.file->path() != expected) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path_, "': expected tensor '", tensor, "' in '", expected,
          "', got ",
          found == tensors_.end()
              ? "none"
              : absl::StrCat("it in '", found->second.file->path(), "'")));
    }
  }
  for (const auto& [name, tensor] : tensors_) {
    if (index.count(name) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", path_, "': expected the names of all tensors, got none of '",
          name, "', which '", tensor.file->path(), "' has"));
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
