// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors are written in the order in which they lie, so that their hashes are
// those of one stream.
#include "runtime/checkpoint/state_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/path.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {
namespace {

constexpr char kHashes[] = "sha256";
absl::StatusOr<OwnedRange> RangeToWrite(const StateTensor& tensor,
                                        const Executor& executor,
                                        const ProcessPlace& place) {
  if (!tensor.slot.IsSharded()) {
    return ShareOf(tensor.elements, place.index, place.count);
  }
  ASSIGN_OR_RETURN(const OwnedRange held, executor.HeldElements(tensor.slot));
  const uint64_t begin = std::max(held.begin, tensor.first);
  const uint64_t end = std::min(held.end, tensor.first + tensor.elements);
  if (begin >= end) {
    return OwnedRange{};
  }
  if (place.count > 1) {
    ASSIGN_OR_RETURN(const SlotPiece piece,
                     FindPiece(executor.layout(), tensor.slot, begin, 1));
    if (piece.rank != executor.layout().binding().rank()) {
      return OwnedRange{};  // another one has it, too
    }
  }
  return OwnedRange{begin - tensor.first, end - tensor.first};
}

std::string NameOf(const StatePart& part) {
  return absl::StrCat(part.tensor->name, "@[", part.begin, ":", part.end, ")");
}

// The table's size is known before its content.
std::string EmptyTable(const std::vector<StatePart>& parts) {
  uint64_t bytes = 0;
  for (const StatePart& part : parts) {
    bytes += (part.end - part.begin) * part.tensor->slot.width;
  }
  return std::string(CountChunks(bytes) * kHexDigits, '0');
}

}  // namespace

absl::StatusOr<std::vector<StatePart>> PartsToWrite(
    const std::vector<StateTensor>& tensors, const Executor& executor,
    const ProcessPlace& place) {
  std::vector<StatePart> parts;
  for (const StateTensor& tensor : tensors) {
    ASSIGN_OR_RETURN(const OwnedRange range,
                     RangeToWrite(tensor, executor, place));
    if (range.size() > 0) {
      parts.push_back({&tensor, range.begin, range.end});
    }
  }
  return parts;
}

StateReader ReaderOf(const Executor& executor) {
  return [&executor](const StatePart& part, uint64_t first,
                     absl::Span<std::byte> dst) {
    return executor.ReadHeld(part.tensor->slot, part.tensor->first + first,
                             dst);
  };
}

absl::StatusOr<CheckpointFile> WriteStateFile(
    Vfs& vfs, const std::string& folder, const std::vector<StatePart>& parts,
    const StateReader& read, const ProcessPlace& place,
    const std::function<void()>& progress) {
  CheckpointFile file;
  file.name = absl::StrFormat("state-%05d-of-%05d.safetensors", place.index,
                              place.count);
  std::vector<SafetensorsSpec> specs;
  std::map<std::string, const StatePart*> by_name;
  for (const StatePart& part : parts) {
    specs.push_back({NameOf(part),
                     part.tensor->dtype,
                     {static_cast<int64_t>(part.end - part.begin)}});
    by_name[NameOf(part)] = &part;
  }
  SafetensorsWriter::Sort(specs);
  ASSIGN_OR_RETURN(
      const auto writer,
      SafetensorsWriter::Create(vfs, JoinPath(folder, file.name), specs,
                                {{kHashes, EmptyTable(parts)}}));
  ChunkHashes hashes;
  std::vector<std::byte> piece;
  for (const SafetensorsSpec& spec : specs) {
    const StatePart& part = *by_name[spec.name];
    const StateTensor& tensor = *part.tensor;
    const uint64_t step = kHashedBytes / tensor.slot.width;
    for (uint64_t first = part.begin; first < part.end; first += step) {
      const uint64_t elements = std::min(step, part.end - first);
      piece.resize(elements * tensor.slot.width);
      RETURN_IF_ERROR(read(part, first, absl::MakeSpan(piece)));
      hashes.Update(piece);
      RETURN_IF_ERROR(writer->Append(spec.name, piece));
      progress();
    }
  }
  RETURN_IF_ERROR(writer->SetMetadata(kHashes, hashes.Finish()));
  file.bytes = writer->file_bytes();
  file.header_sha256 = ToHex(Sha256::Of(absl::MakeConstSpan(
      reinterpret_cast<const std::byte*>(writer->header().data()),
      writer->header().size())));
  RETURN_IF_ERROR(writer->Finish());
  return file;
}

absl::StatusOr<std::unique_ptr<StateFile>> StateFile::Open(
    Vfs& vfs, const std::string& folder, const CheckpointFile& expected) {
  const std::string path = JoinPath(folder, expected.name);
  const auto damaged = [&](absl::string_view what) {
    return absl::DataLossError(absl::StrCat("'", path, "': ", what));
  };
  ASSIGN_OR_RETURN(const FileStat stat, vfs.Stat(path));
  if (stat.size != expected.bytes) {
    return damaged(absl::StrCat("expected ", expected.bytes,
                                " bytes, which the manifest says, got ",
                                stat.size));
  }
  auto reader = SafetensorsReader::Open(vfs, path);
  if (!reader.ok()) {
    return absl::DataLossError(reader.status().message());
  }
  if (ToHex((*reader)->header_digest()) != expected.header_sha256) {
    return damaged("its header is not the one that was written");
  }
  const auto hashes = (*reader)->metadata().find(kHashes);
  if (hashes == (*reader)->metadata().end() ||
      hashes->second.size() !=
          CountChunks((*reader)->data_bytes()) * kHexDigits) {
    return damaged("it has not a hash for each 4 MiB");
  }
  std::string table = hashes->second;
  return std::unique_ptr<StateFile>(
      new StateFile(*std::move(reader), std::move(table)));
}

std::string StateFile::TensorsIn(uint64_t begin, uint64_t end) const {
  std::string first;
  std::string last;
  for (const SafetensorsEntry& entry : entries()) {
    if (entry.end > begin && entry.begin < end) {
      first = first.empty() ? entry.name : first;
      last = entry.name;
    }
  }
  return first == last ? absl::StrCat("they are of tensor '", first, "'")
                       : absl::StrCat("they begin with tensor '", first,
                                      "' and end with '", last, "'");
}

absl::Status StateFile::Load(uint64_t number) {
  if (loaded_ == number) {
    return absl::OkStatus();
  }
  loaded_ = ~uint64_t{0};
  const uint64_t begin = number * kHashedBytes;
  chunk_.resize(std::min(kHashedBytes, reader_->data_bytes() - begin));
  RETURN_IF_ERROR(reader_->ReadData(begin, absl::MakeSpan(chunk_)));
  if (ToHex(Sha256::Of(chunk_)) !=
      hashes_.substr(number * kHexDigits, kHexDigits)) {
    return absl::DataLossError(absl::StrCat(
        "'", path(), "': the data at bytes [", begin, ", ",
        begin + chunk_.size(), ") are not those that were written; ",
        TensorsIn(begin, begin + chunk_.size())));
  }
  loaded_ = number;
  return absl::OkStatus();
}

absl::Status StateFile::Read(const SafetensorsEntry& entry, uint64_t offset,
                             absl::Span<std::byte> dst) {
  for (uint64_t at = entry.begin + offset; !dst.empty();) {
    RETURN_IF_ERROR(Load(at / kHashedBytes));
    const uint64_t within = at % kHashedBytes;
    const size_t part = std::min<uint64_t>(dst.size(), chunk_.size() - within);
    std::copy_n(chunk_.begin() + static_cast<ptrdiff_t>(within), part,
                dst.begin());
    dst.remove_prefix(part);
    at += part;
  }
  return absl::OkStatus();
}

absl::Status StateFile::Verify(const std::function<void()>& progress) {
  for (uint64_t number = 0; number < chunks(); ++number) {
    RETURN_IF_ERROR(Load(number));
    progress();
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
