// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the frame of .npy files: magic, version, dictionary, size.
#include "runtime/io/npy.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/format.h"
#include "runtime/base/status_macros.h"

namespace accel::runtime {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
// NumPy itself refuses beyond 10,000 unless told otherwise.
constexpr uint64_t kMaxHeaderSize = 65536;

struct Frame {
  uint64_t header_offset = 0;
  uint64_t header_size = 0;
};

absl::Status NotNpy(absl::string_view got) {
  return absl::InvalidArgumentError(
      absl::StrCat("expected a .npy file, got ", got,
                   "; write it with numpy.save(FILE, ARRAY)"));
}

absl::StatusOr<Frame> ReadFrame(File& file, uint64_t file_size) {
  std::array<std::byte, 12> bytes = {};
  const size_t available =
      file_size < bytes.size() ? static_cast<size_t>(file_size) : bytes.size();
  RETURN_IF_ERROR(file.ReadAt(0, absl::MakeSpan(bytes.data(), available)));
  const absl::string_view start(reinterpret_cast<const char*>(bytes.data()),
                                available);
  if (start.substr(0, 4) == absl::string_view("PK\x03\x04", 4)) {
    return NotNpy("a zip archive (.npz)");
  }
  if (start.substr(0, kMagic.size()) != kMagic || available < bytes.size()) {
    return NotNpy(absl::StrCat("other content (", file_size, " bytes)"));
  }
  const int major = std::to_integer<int>(bytes[6]);
  if (major < 1 || major > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected .npy format version 1, 2 or 3, got ", major));
  }
  Frame frame;
  const int length_size = major == 1 ? 2 : 4;
  frame.header_offset = 8 + static_cast<uint64_t>(length_size);
  for (int i = 0; i < length_size; ++i) {
    frame.header_size |= std::to_integer<uint64_t>(bytes[8 + i]) << (8 * i);
  }
  if (frame.header_size > kMaxHeaderSize ||
      frame.header_size > file_size - frame.header_offset) {
    return absl::InvalidArgumentError(
        absl::StrCat("the .npy header says ", frame.header_size,
                     " bytes, the file has ", file_size - frame.header_offset,
                     " after it and at most ", kMaxHeaderSize, " are allowed"));
  }
  return frame;
}

absl::StatusOr<NpyLayout> ReadLayout(File& file) {
  ASSIGN_OR_RETURN(const FileStat stat, file.Stat());
  ASSIGN_OR_RETURN(const Frame frame, ReadFrame(file, stat.size));
  std::string text(frame.header_size, '\0');
  RETURN_IF_ERROR(file.ReadAt(
      frame.header_offset,
      absl::MakeSpan(reinterpret_cast<std::byte*>(text.data()), text.size())));
  NpyLayout layout;
  ASSIGN_OR_RETURN(layout.header, ParseNpyHeader(text));
  layout.data_offset = frame.header_offset + frame.header_size;
  layout.data_size = stat.size - layout.data_offset;
  const auto expected = DenseByteSize(layout.header.shape, layout.header.dtype);
  if (expected.has_value() &&
      static_cast<uint64_t>(*expected) == layout.data_size) {
    return layout;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(FormatShape(layout.header.shape), " of ",
                   DTypeName(layout.header.dtype), " takes ",
                   expected.has_value() ? absl::StrCat(*expected, " bytes")
                                        : "more bytes than can be counted",
                   ", the file has ", layout.data_size, " after its header"));
}

}  // namespace

absl::StatusOr<NpyLayout> ReadNpyLayout(File& file) {
  auto layout = ReadLayout(file);
  if (!layout.ok()) {
    return Annotate(layout.status(), absl::StrCat("'", file.path(), "'"));
  }
  return layout;
}

}  // namespace accel::runtime
