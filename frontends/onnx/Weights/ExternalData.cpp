// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens external data one path component at a time, relative to the folder's
// descriptor and never through a link.
#include "frontends/onnx/Weights/ExternalData.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace accel::onnx {
namespace {

/// Owns: a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0) {
      ::close(number);
    }
  }
  int get() const { return number; }

private:
  int number;
};

llvm::Error checkLocation(llvm::StringRef location) {
  llvm::SmallVector<llvm::StringRef> parts;
  location.split(parts, '/');
  bool escapes = location.starts_with("/") || llvm::is_contained(parts, "..");
  if (escapes) {
    return llvm::createStringError(
        "expected external data inside the model's folder, got the location '" +
        location +
        "', which leaves it; put the file into that folder and name it by a "
        "relative path without '..'");
  }
  if (location.empty() || llvm::is_contained(parts, "") ||
      location.contains('\0') || location.contains('\\')) {
    return llvm::createStringError(
        "expected a relative path with '/' as the location of "
        "external data, got '" +
        location + "'");
  }
  return llvm::Error::success();
}

/// Opens `location` beneath `folder`; an absent file is an invalid descriptor.
llvm::Expected<Descriptor> openBeneath(llvm::StringRef folder,
                                       llvm::StringRef location) {
  if (llvm::Error error = checkLocation(location)) {
    return error;
  }
  std::string root = folder.empty() ? "." : folder.str();
  Descriptor current(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  llvm::SmallVector<llvm::StringRef> parts;
  location.split(parts, '/');
  for (auto [index, part] : llvm::enumerate(parts)) {
    bool last = index + 1 == parts.size();
    // O_NONBLOCK: a FIFO in the place of the file must be refused, not waited
    // for.
    int flags = O_NOFOLLOW | O_CLOEXEC |
                (last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY);
    int next = ::openat(current.get(), part.str().c_str(), flags);
    if (next < 0 && errno == ENOENT) {
      return Descriptor(-1);
    }
    if (next < 0 && (errno == ELOOP || errno == ENOTDIR)) {
      return llvm::createStringError(
          "expected a regular file as external data '" + location +
          "', got a path with a symbolic link or without a folder at '" + part +
          "'; put the file itself beside the model");
    }
    if (next < 0) {
      return llvm::createStringError(
          "cannot read external data '" + location +
          "': " + std::generic_category().message(errno));
    }
    current = Descriptor(next);
  }
  return current;
}

llvm::Expected<uint64_t> regularFileSize(const Descriptor &file,
                                         llvm::StringRef location) {
  struct stat status;
  if (::fstat(file.get(), &status) != 0) {
    return llvm::createStringError(
        "cannot read external data '" + location +
        "': " + std::generic_category().message(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return llvm::createStringError(
        "expected a regular file as external data '" + location +
        "', got something else; put the file itself beside the "
        "model");
  }
  return static_cast<uint64_t>(status.st_size);
}

llvm::Error checkRange(const TensorBytes &bytes, uint64_t fileSize) {
  if (bytes.offset > fileSize || bytes.length > fileSize - bytes.offset) {
    return llvm::createStringError(
        "external data '" + bytes.location + "' is too short: expected " +
        llvm::Twine(bytes.length) + " bytes at offset " +
        llvm::Twine(bytes.offset) + ", got a file of " + llvm::Twine(fileSize) +
        " bytes; copy the file again beside the model");
  }
  return llvm::Error::success();
}

llvm::Error parseEntries(const pb::TensorProto &tensor, TensorBytes &bytes,
                         uint64_t size) {
  bytes.length = size;
  for (const pb::StringStringEntryProto &entry : tensor.external_data()) {
    llvm::StringRef value = entry.value();
    if (entry.key() == "location") {
      bytes.location = entry.value();
    } else if (entry.key() == "offset" &&
               value.getAsInteger(10, bytes.offset)) {
      return llvm::createStringError(
          "expected a number as the offset of external data, got '" + value +
          "'");
    } else if (entry.key() == "length" &&
               value.getAsInteger(10, bytes.length)) {
      return llvm::createStringError(
          "expected a number as the length of external data, got '" + value +
          "'");
    }
  }
  if (bytes.length != size) {
    return llvm::createStringError(
        "expected external data of " + llvm::Twine(size) +
        " bytes for this type, got a length of " + llvm::Twine(bytes.length));
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<ExternalLocation>
locateExternalData(const pb::TensorProto &tensor, llvm::StringRef folder,
                   uint64_t size) {
  ExternalLocation result;
  result.bytes.folder = folder.str();
  if (llvm::Error error = parseEntries(tensor, result.bytes, size)) {
    return error;
  }
  llvm::Expected<Descriptor> file = openBeneath(folder, result.bytes.location);
  if (!file) {
    return file.takeError();
  }
  if (file->get() < 0) {
    result.absent = true;
    return result;
  }
  llvm::Expected<uint64_t> fileSize =
      regularFileSize(*file, result.bytes.location);
  if (!fileSize) {
    return fileSize.takeError();
  }
  if (llvm::Error error = checkRange(result.bytes, *fileSize)) {
    return error;
  }
  return result;
}

std::vector<std::string> listExternalFiles(const pb::ModelProto &model,
                                           llvm::StringRef folder) {
  std::vector<std::string> files;
  llvm::StringSet<> seen;
  for (const pb::TensorProto &tensor : model.graph().initializer()) {
    for (const pb::StringStringEntryProto &entry : tensor.external_data()) {
      if (entry.key() != "location" || !seen.insert(entry.value()).second ||
          llvm::errorToBool(checkLocation(entry.value()))) {
        continue;
      }
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, entry.value());
      if (llvm::sys::fs::exists(path)) {
        files.push_back(path.str().str());
      }
    }
  }
  return files;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readExternalData(const TensorBytes &bytes) {
  llvm::Expected<Descriptor> file = openBeneath(bytes.folder, bytes.location);
  if (!file) {
    return file.takeError();
  }
  if (file->get() < 0) {
    return llvm::createStringError("external data '" + bytes.location +
                                   "' is gone");
  }
  llvm::Expected<uint64_t> fileSize = regularFileSize(*file, bytes.location);
  if (!fileSize) {
    return fileSize.takeError();
  }
  if (llvm::Error error = checkRange(bytes, *fileSize)) {
    return error;
  }
  if (bytes.length == 0) {
    return llvm::MemoryBuffer::getMemBuffer("", bytes.location,
                                            /*RequiresNullTerminator=*/false);
  }
  auto buffer = llvm::MemoryBuffer::getOpenFileSlice(
      file->get(), bytes.location, bytes.length,
      static_cast<int64_t>(bytes.offset));
  if (!buffer) {
    return llvm::createStringError("cannot read external data '" +
                                   bytes.location +
                                   "': " + buffer.getError().message());
  }
  return std::move(*buffer);
}

} // namespace accel::onnx
