// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes safetensors files: the layout is decided and the header written before
// the first byte of data.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"
#include "runtime/io/safetensors.h"

namespace accel::runtime {
namespace {

using Json = nlohmann::ordered_json;

// Whether a header can hold `text`.
absl::Status CheckUtf8(const std::string& text) {
  try {
    static_cast<void>(Json(text).dump());
    return absl::OkStatus();
  } catch (const Json::type_error&) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected names and metadata in UTF-8, got '",
        Json(text).dump(-1, ' ', true, Json::error_handler_t::replace), "'"));
  }
}

absl::Status CheckNames(const std::vector<SafetensorsSpec>& sorted) {
  std::vector<std::string> names;
  for (const SafetensorsSpec& spec : sorted) {
    names.push_back(spec.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor '", *twice, "' is there twice"));
  }
  if (std::binary_search(names.begin(), names.end(), "__metadata__")) {
    return absl::InvalidArgumentError(
        "a tensor cannot be called '__metadata__': the format reserves it");
  }
  return absl::OkStatus();
}

struct Layout {
  std::string header;           // with its length in front and its padding
  std::vector<uint64_t> sizes;  // of the tensors in their order
};

absl::StatusOr<Layout> MakeLayout(
    const std::vector<SafetensorsSpec>& specs,
    const std::map<std::string, std::string>& metadata) {
  Layout layout;
  Json header = Json::object();
  for (const auto& [key, value] : metadata) {
    RETURN_IF_ERROR(CheckUtf8(key));
    RETURN_IF_ERROR(CheckUtf8(value));
    header["__metadata__"][key] = value;
  }
  uint64_t end = 0;
  for (const SafetensorsSpec& spec : specs) {
    RETURN_IF_ERROR(CheckUtf8(spec.name));
    const auto size = DenseByteSize(spec.shape, spec.dtype);
    if (!size.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("tensor '", spec.name,
                                                     "': impossible shape ",
                                                     FormatShape(spec.shape)));
    }
    const uint64_t begin = end;
    end += static_cast<uint64_t>(*size);
    layout.sizes.push_back(static_cast<uint64_t>(*size));
    header[spec.name] = {
        {"dtype", std::string(SafetensorsDTypeName(spec.dtype))},
        {"shape", spec.shape},
        {"data_offsets", {begin, end}}};
  }
  std::string json = header.dump();
  json.append((8 - json.size() % 8) % 8, ' ');
  for (int i = 0; i < 8; ++i) {
    layout.header.push_back(static_cast<char>(json.size() >> (8 * i)));
  }
  layout.header += json;
  return layout;
}

}  // namespace

void SafetensorsWriter::Sort(std::vector<SafetensorsSpec>& specs) {
  std::sort(specs.begin(), specs.end(),
            [](const SafetensorsSpec& a, const SafetensorsSpec& b) {
              const int64_t wide_a = ByteWidth(a.dtype);
              const int64_t wide_b = ByteWidth(b.dtype);
              return wide_a != wide_b ? wide_a > wide_b : a.name < b.name;
            });
}

absl::StatusOr<std::unique_ptr<SafetensorsWriter>> SafetensorsWriter::Create(
    Vfs& vfs, const std::string& path, std::vector<SafetensorsSpec> specs,
    const std::map<std::string, std::string>& metadata) {
  Sort(specs);
  RETURN_IF_ERROR(CheckNames(specs));
  ASSIGN_OR_RETURN(Layout layout, MakeLayout(specs, metadata));
  ASSIGN_OR_RETURN(std::unique_ptr<AtomicFile> file,
                   AtomicFile::Create(vfs, path));
  std::unique_ptr<SafetensorsWriter> writer(
      new SafetensorsWriter(path, std::move(file)));
  uint64_t offset = layout.header.size();
  for (size_t i = 0; i < specs.size(); ++i) {
    writer->slots_[specs[i].name] = {offset, layout.sizes[i], 0};
    offset += layout.sizes[i];
  }
  writer->specs_ = std::move(specs);
  writer->metadata_ = metadata;
  writer->header_ = std::move(layout.header);
  writer->file_bytes_ = offset;
  RETURN_IF_ERROR(writer->WriteHeader());
  return writer;
}

absl::StatusOr<uint64_t> SafetensorsWriter::FileBytes(
    std::vector<SafetensorsSpec> specs,
    const std::map<std::string, std::string>& metadata) {
  Sort(specs);
  ASSIGN_OR_RETURN(const Layout layout, MakeLayout(specs, metadata));
  return std::accumulate(layout.sizes.begin(), layout.sizes.end(),
                         static_cast<uint64_t>(layout.header.size()));
}

absl::Status SafetensorsWriter::WriteHeader() {
  return file_->file().WriteAt(
      0, absl::MakeConstSpan(reinterpret_cast<const std::byte*>(header_.data()),
                             header_.size()));
}

absl::Status SafetensorsWriter::SetMetadata(const std::string& key,
                                            const std::string& value) {
  metadata_[key] = value;
  ASSIGN_OR_RETURN(Layout layout, MakeLayout(specs_, metadata_));
  if (layout.header.size() != header_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path_, "': metadata '", key,
                     "': expected as many characters as before"));
  }
  header_ = std::move(layout.header);
  return WriteHeader();
}

absl::Status SafetensorsWriter::Append(absl::string_view name,
                                       absl::Span<const std::byte> src) {
  const auto found = slots_.find(name);
  if (found == slots_.end()) {
    return absl::NotFoundError(
        absl::StrCat("'", path_, "': no tensor '", name, "' was announced"));
  }
  Slot& slot = found->second;
  if (src.size() > slot.size - slot.written) {
    return absl::OutOfRangeError(
        absl::StrCat("'", path_, "': tensor '", name, "' has ", slot.size,
                     " bytes, got ", slot.written + src.size()));
  }
  RETURN_IF_ERROR(file_->file().WriteAt(slot.offset + slot.written, src));
  slot.written += src.size();
  return absl::OkStatus();
}

absl::Status SafetensorsWriter::Finish() {
  for (const auto& [name, slot] : slots_) {
    if (slot.written == slot.size) {
      continue;
    }
    return absl::FailedPreconditionError(absl::StrCat(
        "'", path_, "': tensor '", name, "' is incomplete: expected ",
        slot.size, " bytes, got ", slot.written));
  }
  return file_->Commit();
}

}  // namespace accel::runtime
