// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on path names.
#include "runtime/io/path.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace accel::runtime {

std::string JoinPath(absl::string_view directory, absl::string_view name) {
  if (directory.empty() || (!name.empty() && name.front() == '/')) {
    return std::string(name);
  }
  if (name.empty()) {
    return std::string(directory);
  }
  const bool has_slash = directory.back() == '/';
  return absl::StrCat(directory, has_slash ? "" : "/", name);
}

std::string ParentDirectory(absl::string_view path) {
  while (path.size() > 1 && path.back() == '/') {
    path.remove_suffix(1);
  }
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) {
    return ".";
  }
  path = path.substr(0, slash);
  while (!path.empty() && path.back() == '/') {
    path.remove_suffix(1);
  }
  return path.empty() ? "/" : std::string(path);
}

std::string FileName(absl::string_view path) {
  while (path.size() > 1 && path.back() == '/') {
    path.remove_suffix(1);
  }
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos || path == "/") {
    return std::string(path);
  }
  return std::string(path.substr(slash + 1));
}

std::string FileStem(absl::string_view path) {
  const std::string name = FileName(path);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

std::optional<int> DescriptorOfPath(absl::string_view path) {
  if (path == "/dev/stdout") {
    return 1;
  }
  if (path == "/dev/stderr") {
    return 2;
  }
  int number = 0;
  if ((absl::ConsumePrefix(&path, "/dev/fd/") ||
       absl::ConsumePrefix(&path, "/proc/self/fd/")) &&
      !path.empty() && absl::ascii_isdigit(path.front()) &&
      absl::SimpleAtoi(path, &number)) {
    return number;
  }
  return std::nullopt;
}

}  // namespace accel::runtime
