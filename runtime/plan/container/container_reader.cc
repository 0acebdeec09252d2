// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of plan files, header first, every claim checked before it is used.
#include "runtime/plan/container/container_reader.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/errors.h"
#include "runtime/base/start_thread.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/features.h"

namespace accel::runtime {
namespace {

uint64_t BytesOfChunk(const planpb::Section& section, uint64_t chunk) {
  return std::min(kChunkSize, section.size() - chunk * kChunkSize);
}

bool DigestMatches(const planpb::Section& section, uint64_t chunk,
                   const Sha256Digest& digest) {
  return std::memcmp(section.chunk_digests().data() + chunk * digest.size(),
                     digest.data(), digest.size()) == 0;
}

absl::Status CheckHeaderRanges(const PlanHeader& header, uint64_t size) {
  if (header.file_size != size) {
    return absl::DataLossError(absl::StrCat(
        "expected a file of ", header.file_size, " bytes, got ", size,
        size < header.file_size ? "; the file was cut short"
                                : "; something was appended"));
  }
  if (header.manifest_size > kMaxMessageSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a manifest of at most ", kMaxMessageSize,
                     " bytes, got ", header.manifest_size));
  }
  if (header.manifest_offset % kSectionAlignment != 0 ||
      header.manifest_offset < kPlanHeaderSize ||
      header.manifest_offset > size ||
      header.manifest_size != size - header.manifest_offset) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the manifest does not lie where the file ends: offset ",
        header.manifest_offset, ", size ", header.manifest_size, " of ", size));
  }
  return absl::OkStatus();
}

absl::StatusOr<PlanHeader> ReadHeader(File& file) {
  ASSIGN_OR_RETURN(const FileStat stat, file.Stat());
  std::vector<std::byte> bytes(kPlanHeaderSize);
  if (stat.size < kPlanHeaderSize) {
    // The magic first: "cut short" would mislead about a file of another kind.
    const size_t known = std::min<uint64_t>(stat.size, kPlanMagic.size());
    RETURN_IF_ERROR(file.ReadAt(0, absl::MakeSpan(bytes).first(known)));
    if (known < kPlanMagic.size() ||
        std::memcmp(bytes.data(), kPlanMagic.data(), known) != 0) {
      return DecodeHeader(std::vector<std::byte>(kPlanHeaderSize));
    }
    return absl::DataLossError(
        absl::StrCat("expected a plan header of ", kPlanHeaderSize,
                     " bytes, got ", stat.size, "; the file was cut short"));
  }
  RETURN_IF_ERROR(file.ReadAt(0, absl::MakeSpan(bytes)));
  ASSIGN_OR_RETURN(const PlanHeader header, DecodeHeader(bytes));
  RETURN_IF_ERROR(CheckHeaderRanges(header, stat.size));
  return header;
}

absl::StatusOr<planpb::Manifest> ReadManifest(File& file,
                                              const PlanHeader& header) {
  std::vector<std::byte> bytes(header.manifest_size);
  RETURN_IF_ERROR(file.ReadAt(header.manifest_offset, absl::MakeSpan(bytes)));
  if (Sha256::Of(bytes) != header.manifest_digest) {
    return absl::DataLossError(
        "the manifest is damaged: it does not have the hash that the header "
        "names");
  }
  planpb::Manifest manifest;
  if (!manifest.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("the manifest cannot be parsed");
  }
  return manifest;
}

absl::Status CheckFeatures(const planpb::Manifest& manifest) {
  std::vector<absl::string_view> unknown;
  for (const std::string& feature : manifest.required_features()) {
    if (std::find(kKnownFeatures.begin(), kKnownFeatures.end(), feature) ==
        kKnownFeatures.end()) {
      unknown.push_back(feature);
    }
  }
  if (unknown.empty()) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("the plan requires '", absl::StrJoin(unknown, "', '"),
                   "', which this release does not know (it knows '",
                   absl::StrJoin(kKnownFeatures, "', '"),
                   "'); run it with the release of "
                   "its compiler, ",
                   manifest.producer()));
}

// Names the file, and what to do about one that is not as it was written.
absl::Status InPlan(const absl::Status& status, absl::string_view path) {
  const std::string context = absl::StrCat("'", path, "'");
  if (!absl::IsDataLoss(status)) {
    return Annotate(status, context);
  }
  return absl::DataLossError(absl::StrCat(
      context, ": ", status.message(),
      "; copy the plan again, or compile the model again with accelc"));
}

absl::StatusOr<std::unique_ptr<File>> OpenPlan(Vfs& vfs,
                                               const std::string& path) {
  auto file = vfs.Open(path, OpenMode::kRead);
  if (absl::IsNotFound(file.status())) {
    return absl::NotFoundError(absl::StrCat(
        "'", path, "': expected a plan, got no such file; check the path, or ",
        "write the plan with 'accelc MODEL.onnx -o ", path, "'"));
  }
  return file;
}

}  // namespace

ContainerReader::ContainerReader(std::unique_ptr<File> file, PlanHeader header,
                                 planpb::Manifest manifest)
    : file_(std::move(file)), header_(header), manifest_(std::move(manifest)) {}

absl::Status ContainerReader::InFile(const absl::Status& status) const {
  return InPlan(status, path());
}

absl::StatusOr<std::unique_ptr<ContainerReader>> ContainerReader::Open(
    Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, OpenPlan(vfs, path));
  auto header = ReadHeader(*file);
  if (!header.ok()) {
    return InPlan(header.status(), path);
  }
  auto manifest = ReadManifest(*file, *header);
  if (!manifest.ok()) {
    return InPlan(manifest.status(), path);
  }
  RETURN_IF_ERROR(InPlan(CheckFeatures(*manifest), path));
  std::unique_ptr<ContainerReader> reader(
      new ContainerReader(std::move(file), *header, *std::move(manifest)));
  RETURN_IF_ERROR(reader->InFile(reader->CheckSections()));
  return reader;
}

absl::Status ContainerReader::CheckSection(const planpb::Section& section,
                                           uint64_t previous_end) const {
  const std::string name = absl::StrCat("section '", section.name(), "'");
  if (section.kind() <= planpb::SECTION_UNSPECIFIED ||
      section.kind() > planpb::SECTION_EXPORT) {
    return absl::UnimplementedError(
        absl::StrCat(name, " is of unknown kind ", section.kind()));
  }
  if (section.offset() % kSectionAlignment != 0 ||
      section.offset() < previous_end ||
      section.offset() > header_.manifest_offset ||
      section.size() > header_.manifest_offset - section.offset()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " (offset ", section.offset(), ", size ",
                     section.size(), ") does not lie between its neighbours"));
  }
  const uint64_t expected = ChunkCount(section.size()) * sizeof(Sha256Digest);
  if (section.chunk_digests().size() != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected ", expected, " bytes of hashes, got ",
                     section.chunk_digests().size()));
  }
  return absl::OkStatus();
}

absl::Status ContainerReader::CheckSections() const {
  uint64_t end = kPlanHeaderSize;
  std::set<absl::string_view> names;
  for (const planpb::Section& section : manifest_.sections()) {
    RETURN_IF_ERROR(CheckSection(section, end));
    end = section.offset() + section.size();
    if (!names.insert(section.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two sections are named '", section.name(), "'"));
    }
  }
  return absl::OkStatus();
}

absl::Status ContainerReader::CheckGaps() const {
  uint64_t end = kPlanHeaderSize;
  const auto check = [&](uint64_t next, absl::string_view before) {
    if (next - end >= kSectionAlignment) {
      return absl::InvalidArgumentError(
          absl::StrCat("unused bytes before ", before));
    }
    std::array<std::byte, kSectionAlignment> bytes;
    const auto gap = absl::MakeSpan(bytes).first(next - end);
    RETURN_IF_ERROR(file_->ReadAt(end, gap));
    if (std::any_of(gap.begin(), gap.end(),
                    [](std::byte b) { return b != std::byte{0}; })) {
      return absl::DataLossError(absl::StrCat("the padding before ", before,
                                              " is damaged: it is not zero"));
    }
    return absl::OkStatus();
  };
  for (const planpb::Section& section : manifest_.sections()) {
    RETURN_IF_ERROR(check(section.offset(),
                          absl::StrCat("section '", section.name(), "'")));
    end = section.offset() + section.size();
  }
  return check(header_.manifest_offset, "the manifest");
}

absl::Status ContainerReader::ReadHashed(const planpb::Section& section,
                                         uint64_t chunk,
                                         absl::Span<std::byte> dst) const {
  const uint64_t offset = section.offset() + chunk * kChunkSize;
  RETURN_IF_ERROR(file_->ReadAt(offset, dst));
  if (!DigestMatches(section, chunk, Sha256::Of(dst))) {
    return absl::DataLossError(absl::StrCat(
        "section '", section.name(), "' is damaged: bytes [", offset, ", ",
        offset + dst.size(),
        ") of the file do not have the hash that the manifest names"));
  }
  return absl::OkStatus();
}

absl::Status ContainerReader::ReadChunk(uint32_t section, uint64_t chunk,
                                        absl::Span<std::byte> dst) const {
  return InFile(ReadHashed(manifest_.sections(section), chunk, dst));
}

uint64_t ContainerReader::ChunkBytes(uint32_t section, uint64_t chunk) const {
  return BytesOfChunk(manifest_.sections(section), chunk);
}

absl::Status ContainerReader::CheckRange(uint32_t index, uint64_t offset,
                                         uint64_t size) const {
  const planpb::Section& section = manifest_.sections(index);
  if (offset <= section.size() && size <= section.size() - offset) {
    return absl::OkStatus();
  }
  return InFile(absl::OutOfRangeError(absl::StrCat(
      "section '", section.name(), "': expected ", size, " bytes at offset ",
      offset, ", got a section of ", section.size())));
}

absl::Status ContainerReader::Read(uint32_t section, uint64_t offset,
                                   absl::Span<std::byte> dst) const {
  RETURN_IF_ERROR(CheckRange(section, offset, dst.size()));
  std::vector<std::byte> whole_chunk;
  while (!dst.empty()) {
    const uint64_t chunk = offset / kChunkSize;
    const uint64_t skip = offset % kChunkSize;
    const uint64_t bytes = ChunkBytes(section, chunk);
    const size_t count = std::min<uint64_t>(dst.size(), bytes - skip);
    if (count == bytes) {
      RETURN_IF_ERROR(ReadChunk(section, chunk, dst.first(count)));
    } else {
      whole_chunk.resize(bytes);
      RETURN_IF_ERROR(ReadChunk(section, chunk, absl::MakeSpan(whole_chunk)));
      std::memcpy(dst.data(), whole_chunk.data() + skip, count);
    }
    dst.remove_prefix(count);
    offset += count;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ContainerReader::ReadSection(uint32_t index,
                                                         uint64_t limit) const {
  const planpb::Section& section = manifest_.sections(index);
  if (section.size() > limit) {
    return InFile(absl::ResourceExhaustedError(
        absl::StrCat("section '", section.name(), "': expected at most ", limit,
                     " bytes, got ", section.size())));
  }
  std::string bytes(section.size(), '\0');
  RETURN_IF_ERROR(
      Read(index, 0,
           absl::MakeSpan(reinterpret_cast<std::byte*>(bytes.data()),
                          bytes.size())));
  return bytes;
}

absl::Status ContainerReader::Verify(
    absl::FunctionRef<bool(const planpb::Section&)> wanted) const {
  struct Chunk {
    const planpb::Section* section;
    uint64_t index;
  };
  std::vector<Chunk> chunks;
  uint64_t largest = 0;
  for (const planpb::Section& section : manifest_.sections()) {
    const uint64_t count = wanted(section) ? ChunkCount(section.size()) : 0;
    for (uint64_t i = 0; i < count; ++i) {
      chunks.push_back({&section, i});
      largest = std::max(largest, BytesOfChunk(section, i));
    }
  }
  std::vector<absl::Status> results(chunks.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    std::vector<std::byte> bytes(largest);
    for (size_t i = next++; i < chunks.size(); i = next++) {
      const Chunk& chunk = chunks[i];
      results[i] = ReadHashed(*chunk.section, chunk.index,
                              absl::MakeSpan(bytes).first(
                                  BytesOfChunk(*chunk.section, chunk.index)));
    }
  };
  // A thread is worth its start from some full chunks on.
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t useful = chunks.size() / 4;
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(cores, useful); ++i) {
    // One less takes longer and finds the same.
    auto helper = StartThread("a thread that hashes the plan", work);
    if (!helper.ok()) {
      break;
    }
    helpers.push_back(*std::move(helper));
  }
  work();
  for (std::thread& helper : helpers) {
    helper.join();
  }
  // The first damage in the file, whichever thread found it.
  for (const absl::Status& result : results) {
    RETURN_IF_ERROR(InFile(result));
  }
  return InFile(CheckGaps());
}

}  // namespace accel::runtime
