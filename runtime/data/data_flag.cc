// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the values of --data, and finds and classifies their files.
#include "runtime/data/data_flag.h"

#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/utf8.h"
#include "runtime/data/token_index.h"
#include "runtime/io/glob.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

enum class Kind { kArray, kTokens, kBlend, kOther };

Kind KindOf(absl::string_view path, TokenEncoding encoding) {
  if (encoding != TokenEncoding::kAuto || absl::EndsWith(path, ".bin") ||
      IsIndexName(path)) {
    return Kind::kTokens;
  }
  return absl::EndsWith(path, ".npy")    ? Kind::kArray
         : absl::EndsWith(path, ".toml") ? Kind::kBlend
                                         : Kind::kOther;
}

absl::Status Refuse(const DataFlag& flag, absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag.option, " ", flag.text, ": ", text));
}

absl::Status Malformed(const DataFlag& flag, absl::string_view got) {
  return absl::InvalidArgumentError(absl::StrCat(
      flag.option, " ", flag.text,
      ": expected [NAME=]FILE.npy, [NAME=]FILE.bin, ",
      "FILE.bin:u16, FILE.bin:u32, FILE.idx or FILE.toml, got ", got));
}

// The command that makes tokens of a text.
std::string PackCommand(const std::string& path) {
  const bool lines = absl::EndsWith(path, ".json") ||
                     absl::EndsWith(path, ".jsonl") ||
                     absl::EndsWith(path, ".ndjson");
  return absl::StrCat("accel-data pack ", lines ? "--field text " : "", path,
                      " -o ", FileStem(path), ".bin");
}

absl::StatusOr<bool> IsText(Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(const auto file, vfs.Open(path, OpenMode::kRead));
  std::array<char, 4096> bytes;
  ASSIGN_OR_RETURN(
      const size_t count,
      file->Read(absl::MakeSpan(reinterpret_cast<std::byte*>(bytes.data()),
                                bytes.size())));
  return LooksLikeText({bytes.data(), count});
}

absl::Status RefuseOther(Vfs& vfs, const DataFlag& flag,
                         const std::string& path) {
  ASSIGN_OR_RETURN(const bool is_text, IsText(vfs, path));
  if (is_text) {
    return Refuse(
        flag, absl::StrCat("expected tokens (FILE.bin) or an array (FILE.npy), "
                           "got the text '",
                           path, "'; make tokens of it: ", PackCommand(path)));
  }
  return Refuse(flag,
                absl::StrCat("expected tokens (FILE.bin) or an array "
                             "(FILE.npy), got '",
                             path,
                             "', which is neither; of tokens under another "
                             "name say the width: FILE:u16 or FILE:u32"));
}

absl::Status RefuseDirectory(const DataFlag& flag, const std::string& path) {
  const std::string named =
      flag.name.empty() ? "" : absl::StrCat(flag.name, "=");
  return Refuse(
      flag, absl::StrCat("expected files, got the directory '", path,
                         "'; name its files: ", flag.option, " '", named,
                         JoinPath(path, "*.bin"), "' or ", flag.option, " '",
                         flag.name.empty() ? "NAME=" : named,
                         JoinPath(path, "*.npy"), "'"));
}

// What a flag stands for, before anybody asks what it is.
absl::StatusOr<std::vector<std::string>> Expand(Vfs& vfs,
                                                const DataFlag& flag) {
  const auto stat = vfs.Stat(flag.path);
  if (!absl::IsNotFound(stat.status()) || !HasWildcard(flag.path)) {
    return std::vector<std::string>{flag.path};
  }
  auto found = Glob(vfs, flag.path);
  if (!found.ok()) {
    return Refuse(flag, found.status().message());
  }
  if (found->empty()) {
    return absl::NotFoundError(absl::StrCat(
        flag.option, " ", flag.text, ": expected files that match '", flag.path,
        "', got none; check the folder and the pattern"));
  }
  return found;
}

}  // namespace

bool DataFlag::is_array() const {
  return KindOf(path, encoding) == Kind::kArray;
}

bool DataFlag::is_blend() const {
  return name.empty() && KindOf(path, encoding) == Kind::kBlend;
}

TokenPath ParseTokenPath(absl::string_view text) {
  TokenEncoding encoding = TokenEncoding::kAuto;
  if (absl::ConsumeSuffix(&text, ":u16")) {
    encoding = TokenEncoding::kU16;
  } else if (absl::ConsumeSuffix(&text, ":u32")) {
    encoding = TokenEncoding::kU32;
  }
  return {std::string(text), encoding};
}

absl::StatusOr<DataFlag> ParseDataFlag(absl::string_view text,
                                       absl::string_view option) {
  DataFlag flag;
  flag.option = std::string(option);
  flag.text = std::string(text);
  absl::string_view path = text;
  const size_t equals = path.find('=');
  if (equals != absl::string_view::npos && equals < path.find('/')) {
    flag.name = std::string(path.substr(0, equals));
    path.remove_prefix(equals + 1);
    if (flag.name.empty()) {
      return Malformed(flag, "an empty name");
    }
  }
  TokenPath file = ParseTokenPath(path);
  if (file.path.empty()) {
    return Malformed(flag, "no file");
  }
  flag.path = std::move(file.path);
  flag.encoding = file.encoding;
  return flag;
}

absl::StatusOr<std::vector<std::string>> FindDataFiles(Vfs& vfs,
                                                       const DataFlag& flag) {
  ASSIGN_OR_RETURN(std::vector<std::string> paths, Expand(vfs, flag));
  for (const std::string& path : paths) {
    const auto stat = vfs.Stat(path);
    if (stat.ok() && stat->is_directory) {
      return RefuseDirectory(flag, path);
    }
    const Kind kind = KindOf(path, flag.encoding);
    if (kind == Kind::kBlend) {
      return Refuse(flag,
                    absl::StrCat("expected data, got the blend '", path,
                                 "'; a blend is ", flag.option,
                                 " FILE.toml, without a field's name, and the "
                                 "only ",
                                 flag.option));
    }
    if (kind == Kind::kOther && !absl::IsNotFound(stat.status())) {
      return RefuseOther(vfs, flag, path);
    }
    if (kind != KindOf(paths[0], flag.encoding)) {
      return Refuse(flag, absl::StrCat("expected files of one kind, got '",
                                       paths[0], "' and '", path,
                                       "'; give a pattern for each kind"));
    }
  }
  return paths;
}

}  // namespace accel::runtime
