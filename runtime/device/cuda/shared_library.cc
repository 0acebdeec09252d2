// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place where the runtime finds code by its name.
#include "runtime/device/cuda/shared_library.h"

#include <dlfcn.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace accel::runtime::cuda {
namespace {

// None where there is no such folder.
std::vector<std::string> Entries(Vfs& vfs, const std::string& folder) {
  return vfs.List(folder).value_or(std::vector<std::string>());
}

// ENVIRONMENT/lib/python3.11/site-packages/nvidia/cu13/lib, and its like.
std::vector<std::string> PackageFolders(Vfs& vfs,
                                        const std::string& environment) {
  std::vector<std::string> folders;
  if (environment.empty()) {
    return folders;
  }
  const std::string lib = absl::StrCat(environment, "/lib");
  for (const std::string& python : Entries(vfs, lib)) {
    const std::string packages =
        absl::StrCat(lib, "/", python, "/site-packages/nvidia");
    if (absl::StartsWith(python, "python")) {
      for (const std::string& package : Entries(vfs, packages)) {
        folders.push_back(absl::StrCat(packages, "/", package, "/lib"));
      }
    }
  }
  return folders;
}

// What is tried, in this order.
std::vector<std::string> Candidates(Vfs& vfs,
                                    absl::Span<const absl::string_view> names,
                                    const LibrarySearch& search) {
  std::vector<std::string> candidates;
  if (!search.folder.empty()) {
    for (const absl::string_view name : names) {
      candidates.push_back(absl::StrCat(search.folder, "/", name));
    }
    return candidates;
  }
  for (const absl::string_view name : names) {
    candidates.emplace_back(name);
  }
  for (const std::string& folder :
       PackageFolders(vfs, search.python_environment)) {
    for (const std::string& entry : Entries(vfs, folder)) {
      if (std::find(names.begin(), names.end(), entry) != names.end()) {
        candidates.push_back(absl::StrCat(folder, "/", entry));
      }
    }
  }
  return candidates;
}

}  // namespace

absl::StatusOr<SharedLibrary> SharedLibrary::Open(
    Vfs& vfs, absl::Span<const absl::string_view> names,
    const LibrarySearch& search, absl::string_view remedy) {
  std::vector<std::string> problems;
  for (const std::string& candidate : Candidates(vfs, names, search)) {
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return SharedLibrary(handle, candidate);
    }
    problems.emplace_back(dlerror());
  }
  return absl::UnimplementedError(
      absl::StrCat("cannot open ", absl::StrJoin(names, " or "), " (",
                   absl::StrJoin(problems, "; "), "); ", remedy));
}

absl::StatusOr<void*> SharedLibrary::Find(const char* symbol) const {
  if (void* found = dlsym(handle_, symbol)) {
    return found;
  }
  return absl::UnimplementedError(absl::StrCat(
      "'", name_, "' has no ", symbol, "; it is too old for this accel-run"));
}

}  // namespace accel::runtime::cuda
