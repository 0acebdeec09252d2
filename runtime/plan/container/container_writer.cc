// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams sections behind a header that is written last.
#include "runtime/plan/container/container_writer.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/container/container_format.h"

namespace accel::runtime {
namespace {

absl::Span<const std::byte> AsBytes(absl::string_view text) {
  return absl::MakeConstSpan(reinterpret_cast<const std::byte*>(text.data()),
                             text.size());
}

}  // namespace

std::string SerializeDeterministically(
    const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

ContainerWriter::ContainerWriter(std::string path,
                                 std::unique_ptr<AtomicFile> file)
    : path_(std::move(path)), file_(std::move(file)) {}

ContainerWriter::~ContainerWriter() = default;

absl::StatusOr<std::unique_ptr<ContainerWriter>> ContainerWriter::Create(
    Vfs& vfs, const std::string& path, AtomicFile::Announce announce) {
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file,
                   AtomicFile::Create(vfs, path, std::move(announce)));
  std::unique_ptr<ContainerWriter> writer(
      new ContainerWriter(path, std::move(file)));
  const std::vector<std::byte> header(kPlanHeaderSize);
  RETURN_IF_ERROR(writer->Emit(header));
  return writer;
}

absl::Status ContainerWriter::Emit(absl::Span<const std::byte> bytes) {
  RETURN_IF_ERROR(file_->file().AppendAll(bytes));
  position_ += bytes.size();
  return absl::OkStatus();
}

absl::Status ContainerWriter::Align() {
  static constexpr std::array<std::byte, kSectionAlignment> kZeros = {};
  const uint64_t excess = position_ % kSectionAlignment;
  if (excess == 0) {
    return absl::OkStatus();
  }
  return Emit(absl::MakeConstSpan(kZeros).first(kSectionAlignment - excess));
}

absl::StatusOr<uint32_t> ContainerWriter::BeginSection(
    absl::string_view name, planpb::SectionKind kind) {
  if (section_open_) {
    return absl::FailedPreconditionError(
        absl::StrCat("section '", name, "' begins inside another one"));
  }
  RETURN_IF_ERROR(Align());
  planpb::Section* section = sections_.Add();
  section->set_name(std::string(name));
  section->set_kind(kind);
  section->set_offset(position_);
  section_open_ = true;
  chunk_.emplace();
  chunk_bytes_ = 0;
  return static_cast<uint32_t>(sections_.size() - 1);
}

absl::Status ContainerWriter::Append(absl::string_view bytes) {
  return Append(AsBytes(bytes));
}

absl::Status ContainerWriter::Append(absl::Span<const std::byte> bytes) {
  if (!section_open_) {
    return absl::FailedPreconditionError("bytes outside of a section");
  }
  while (!bytes.empty()) {
    const size_t count =
        std::min<uint64_t>(bytes.size(), kChunkSize - chunk_bytes_);
    const absl::Span<const std::byte> piece = bytes.first(count);
    chunk_->Update(piece);
    chunk_bytes_ += count;
    RETURN_IF_ERROR(Emit(piece));
    if (chunk_bytes_ == kChunkSize) {
      EndChunk();
    }
    bytes.remove_prefix(count);
  }
  return absl::OkStatus();
}

void ContainerWriter::EndChunk() {
  const Sha256Digest digest = chunk_->Finish();
  std::string* digests =
      sections_.Mutable(sections_.size() - 1)->mutable_chunk_digests();
  digests->append(reinterpret_cast<const char*>(digest.data()), digest.size());
  chunk_.emplace();
  chunk_bytes_ = 0;
}

absl::Status ContainerWriter::EndSection() {
  if (!section_open_) {
    return absl::FailedPreconditionError("there is no section to end");
  }
  if (chunk_bytes_ > 0) {
    EndChunk();
  }
  planpb::Section* section = sections_.Mutable(sections_.size() - 1);
  section->set_size(position_ - section->offset());
  section_open_ = false;
  return absl::OkStatus();
}

absl::Status ContainerWriter::Sync() { return file_->file().Sync(); }

absl::StatusOr<uint32_t> ContainerWriter::AddSection(absl::string_view name,
                                                     planpb::SectionKind kind,
                                                     absl::string_view bytes) {
  ASSIGN_OR_RETURN(const uint32_t index, BeginSection(name, kind));
  RETURN_IF_ERROR(Append(bytes));
  RETURN_IF_ERROR(EndSection());
  return index;
}

absl::StatusOr<Sha256Digest> ContainerWriter::Finish(
    planpb::Manifest manifest) {
  if (section_open_) {
    return absl::FailedPreconditionError("a section is still open");
  }
  RETURN_IF_ERROR(Align());
  *manifest.mutable_sections() = sections_;
  if (manifest.ByteSizeLong() > kMaxMessageSize) {
    return absl::ResourceExhaustedError(
        absl::StrCat("'", path_, "': expected a manifest of at most ",
                     kMaxMessageSize, " bytes, got ", manifest.ByteSizeLong()));
  }
  const std::string bytes = SerializeDeterministically(manifest);
  PlanHeader header;
  header.manifest_offset = position_;
  header.manifest_size = bytes.size();
  header.file_size = position_ + bytes.size();
  header.manifest_digest = Sha256::Of(AsBytes(bytes));
  RETURN_IF_ERROR(Emit(AsBytes(bytes)));
  std::vector<std::byte> encoded(kPlanHeaderSize);
  EncodeHeader(header, absl::MakeSpan(encoded));
  RETURN_IF_ERROR(file_->file().WriteAt(0, encoded));
  RETURN_IF_ERROR(file_->Commit());
  return header.root;
}

}  // namespace accel::runtime
