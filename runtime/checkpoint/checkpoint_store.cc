// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Renames decide: a folder is a checkpoint from the moment it has its name, and
// none from the moment it has lost it.
#include "runtime/checkpoint/checkpoint_store.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "runtime/base/status_macros.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kPrefix = "step-";
// Of folders that are being written, or removed.
constexpr absl::string_view kHidden = ".";

std::string NameOf(int64_t step) {
  return absl::StrFormat("%s%08d", kPrefix, step);
}

}  // namespace

CheckpointStore::CheckpointStore(Vfs& vfs, const std::string& run_directory)
    : vfs_(vfs), root_(JoinPath(run_directory, "checkpoints")) {}

std::string CheckpointStore::Folder(int64_t step) const {
  return JoinPath(root_, NameOf(step));
}

std::string CheckpointStore::NewFolder(int64_t step) const {
  return JoinPath(root_, absl::StrCat(kHidden, "new-", NameOf(step)));
}

absl::StatusOr<std::vector<int64_t>> CheckpointStore::List() const {
  std::vector<int64_t> steps;
  const auto names = vfs_.List(root_);
  if (absl::IsNotFound(names.status())) {
    return steps;
  }
  RETURN_IF_ERROR(names.status());
  for (absl::string_view name : *names) {
    int64_t step = 0;
    if (absl::ConsumePrefix(&name, kPrefix) && absl::SimpleAtoi(name, &step)) {
      steps.push_back(step);
    }
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

absl::Status CheckpointStore::RemoveFolder(const std::string& path) {
  ASSIGN_OR_RETURN(const auto names, vfs_.List(path));
  for (const std::string& name : names) {
    RETURN_IF_ERROR(vfs_.Remove(JoinPath(path, name)));
  }
  return vfs_.Remove(path);
}

absl::Status CheckpointStore::RemoveLeftovers() {
  ASSIGN_OR_RETURN(const auto names, vfs_.List(root_));
  for (const std::string& name : names) {
    if (absl::StartsWith(name, kHidden)) {
      RETURN_IF_ERROR(RemoveFolder(JoinPath(root_, name)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckpointStore::Begin(int64_t step) {
  const absl::Status made = vfs_.MakeDirectory(root_);
  if (made.ok()) {
    RETURN_IF_ERROR(vfs_.SyncDirectory(ParentDirectory(root_)));
  } else if (!absl::IsAlreadyExists(made)) {
    return made;
  }
  RETURN_IF_ERROR(RemoveLeftovers());
  if (vfs_.Stat(Folder(step)).ok()) {
    return absl::AlreadyExistsError(absl::StrCat(
        "'", Folder(step), "': there is a checkpoint of this step already"));
  }
  return vfs_.MakeDirectory(NewFolder(step));
}

absl::Status CheckpointStore::Commit(int64_t step,
                                     const CheckpointManifest& manifest) {
  RETURN_IF_ERROR(WriteFileAtomically(vfs_,
                                      JoinPath(NewFolder(step), kManifestName),
                                      SerializeManifest(manifest)));
  RETURN_IF_ERROR(vfs_.Rename(NewFolder(step), Folder(step)));
  return vfs_.SyncDirectory(root_);
}

absl::Status CheckpointStore::SetAside(int64_t step) {
  const std::string name = absl::StrCat("damaged-", NameOf(step));
  std::string path = JoinPath(root_, name);
  for (int i = 2; vfs_.Stat(path).ok(); ++i) {
    path = JoinPath(root_, absl::StrCat(name, "-", i));
  }
  // Durable with the new one's name.
  return vfs_.Rename(Folder(step), path);
}

void CheckpointStore::Abandon(int64_t step) {
  // What cannot be removed now is when the next one is begun.
  static_cast<void>(RemoveFolder(NewFolder(step)));
}

absl::Status CheckpointStore::Prune(const Retention& retention) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> steps, List());
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool is_new = static_cast<int64_t>(i) < retention.keep;
    const bool is_kept =
        retention.keep_every > 0 && steps[i] % retention.keep_every == 0;
    if (is_new || is_kept) {
      continue;
    }
    const std::string removed =
        JoinPath(root_, absl::StrCat(kHidden, "old-", NameOf(steps[i])));
    RETURN_IF_ERROR(vfs_.Rename(Folder(steps[i]), removed));
    RETURN_IF_ERROR(RemoveFolder(removed));
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
