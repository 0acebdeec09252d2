// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every claim of the header is checked before it is used.
#include "runtime/plan/container/opened_plan.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/features.h"

namespace accel::runtime {
namespace {

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

absl::StatusOr<std::unique_ptr<File>> OpenFile(Vfs& vfs,
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

absl::Status InPlan(const absl::Status& status, absl::string_view path) {
  const std::string context = absl::StrCat("'", path, "'");
  if (!absl::IsDataLoss(status)) {
    return Annotate(status, context);
  }
  return absl::DataLossError(absl::StrCat(
      context, ": ", status.message(),
      "; copy the plan again, or compile the model again with accelc"));
}

absl::StatusOr<OpenedPlan> OpenedPlan::Open(Vfs& vfs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, OpenFile(vfs, path));
  auto header = ReadHeader(*file);
  if (!header.ok()) {
    return InPlan(header.status(), path);
  }
  auto manifest = ReadManifest(*file, *header);
  if (!manifest.ok()) {
    return InPlan(manifest.status(), path);
  }
  RETURN_IF_ERROR(InPlan(CheckFeatures(*manifest), path));
  return OpenedPlan{std::move(file), *header, *std::move(manifest)};
}

}  // namespace accel::runtime
