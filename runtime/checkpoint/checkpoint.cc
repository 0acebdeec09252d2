// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the pieces of each tensor, and that there are no gaps between them.
#include "runtime/checkpoint/checkpoint.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/atomic_file.h"
#include "runtime/io/path.h"

namespace accel::runtime {
namespace {

constexpr uint64_t kMostManifestBytes = uint64_t{64} << 20;

// "NAME@[begin:end)"
struct PartName {
  std::string tensor;
  uint64_t begin = 0;
  uint64_t end = 0;
};

bool ParsePartName(absl::string_view text, PartName& name) {
  const size_t at = text.rfind("@[");
  if (at == absl::string_view::npos) {
    return false;
  }
  absl::string_view range = text.substr(at + 2);
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(range, absl::MaxSplits(':', 1));
  name.tensor = std::string(text.substr(0, at));
  return absl::SimpleAtoi(ends.first, &name.begin) &&
         absl::SimpleAtoi(absl::StripSuffix(ends.second, ")"), &name.end) &&
         name.begin < name.end;
}

}  // namespace

absl::StatusOr<CheckpointManifest> ReadManifest(Vfs& vfs,
                                                const std::string& folder) {
  const std::string path = JoinPath(folder, kManifestName);
  ASSIGN_OR_RETURN(const std::string text,
                   ReadWholeFile(vfs, path, kMostManifestBytes));
  auto manifest = ParseManifest(text);
  return manifest.ok()
             ? std::move(manifest)
             : Annotate(manifest.status(), absl::StrCat("'", path, "'"));
}

absl::StatusOr<std::unique_ptr<Checkpoint>> Checkpoint::Open(
    Vfs& vfs, const std::string& folder) {
  ASSIGN_OR_RETURN(CheckpointManifest manifest, ReadManifest(vfs, folder));
  std::unique_ptr<Checkpoint> checkpoint(
      new Checkpoint(folder, std::move(manifest)));
  for (const CheckpointFile& expected : checkpoint->manifest_.files) {
    ASSIGN_OR_RETURN(auto file, StateFile::Open(vfs, folder, expected));
    RETURN_IF_ERROR(checkpoint->AddFile(std::move(file)));
  }
  RETURN_IF_ERROR(checkpoint->CheckPieces());
  return checkpoint;
}

absl::Status Checkpoint::AddFile(std::unique_ptr<StateFile> file) {
  for (const SafetensorsEntry& entry : file->entries()) {
    PartName name;
    if (!ParsePartName(entry.name, name) || entry.shape.size() != 1 ||
        entry.shape[0] != static_cast<int64_t>(name.end - name.begin)) {
      return absl::DataLossError(absl::StrCat(
          "'", file->path(), "': expected elements of a flat tensor, got '",
          entry.name, "'"));
    }
    Tensor& tensor = tensors_[name.tensor];
    std::vector<Piece>& pieces = pieces_[name.tensor];
    if (!pieces.empty() && tensor.dtype != entry.dtype) {
      return absl::DataLossError(
          absl::StrCat("'", file->path(), "': tensor '", name.tensor,
                       "' is of another type than in other files"));
    }
    tensor.dtype = entry.dtype;
    tensor.elements = std::max(tensor.elements, name.end);
    pieces.push_back({name.begin, name.end, file.get(), &entry});
  }
  files_.push_back(std::move(file));
  return absl::OkStatus();
}

absl::Status Checkpoint::CheckPieces() {
  for (auto& [name, pieces] : pieces_) {
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    uint64_t end = 0;
    for (const Piece& piece : pieces) {
      if (piece.begin != end) {
        return absl::DataLossError(absl::StrCat(
            "'", folder_, "': tensor '", name,
            "': expected the part from element ", end, " on, got the one from ",
            piece.begin, " on in '", piece.file->path(), "'"));
      }
      end = piece.end;
    }
  }
  return absl::OkStatus();
}

absl::Status Checkpoint::Read(const std::string& name, uint64_t first,
                              absl::Span<std::byte> dst) {
  const std::vector<Piece>& pieces = pieces_.at(name);
  const auto width = static_cast<uint64_t>(ByteWidth(tensors_.at(name).dtype));
  auto piece = std::upper_bound(
      pieces.begin(), pieces.end(), first,
      [](uint64_t element, const Piece& each) { return element < each.end; });
  for (; !dst.empty(); ++piece) {
    const size_t part =
        std::min<uint64_t>(dst.size(), (piece->end - first) * width);
    RETURN_IF_ERROR(piece->file->Read(
        *piece->entry, (first - piece->begin) * width, dst.first(part)));
    dst.remove_prefix(part);
    first = piece->end;
  }
  return absl::OkStatus();
}

absl::Status Checkpoint::Verify(size_t number,
                                const std::function<void()>& progress) {
  return files_[number]->Verify(progress);
}

}  // namespace accel::runtime
