// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and runs programs, with files of their own.
#include "passes/Lower/Cuda/CudaProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace accel;
using llvm::StringRef;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

//===----------------------------------------------------------------------===//
// Where it is
//===----------------------------------------------------------------------===//

/// Of a toolkit, and of the packages for CUDA 13 and 12.
static constexpr llvm::StringLiteral kPlaces[] = {"bin",
                                                  "cu13/bin",
                                                  "nvidia/cu13/bin",
                                                  "cuda_nvcc/bin",
                                                  "nvidia/cuda_nvcc/bin",
                                                  "cuda_nvdisasm/bin",
                                                  "nvidia/cuda_nvdisasm/bin"};

static std::string findBelow(StringRef folder, StringRef program) {
  for (StringRef place : kPlaces) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, place, program);
    if (llvm::sys::fs::can_execute(path)) {
      return path.str().str();
    }
  }
  return "";
}

/// VIRTUAL_ENV/lib/python3.11/site-packages
static std::string findInEnvironment(StringRef environment, StringRef program) {
  llvm::SmallString<128> folder(environment);
  llvm::sys::path::append(folder, "lib");
  std::error_code error;
  std::vector<std::string> found;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    llvm::SmallString<128> packages(it->path());
    llvm::sys::path::append(packages, "site-packages");
    if (std::string path = findBelow(packages, program); !path.empty()) {
      found.push_back(path);
    }
  }
  // Folders come in no order.
  llvm::sort(found);
  return found.empty() ? "" : found.back();
}

static std::string findAnywhere(StringRef program) {
  using llvm::sys::Process;
  std::string path;
  if (std::optional<std::string> home = Process::GetEnv("CUDA_HOME")) {
    path = findBelow(*home, program);
  }
  if (path.empty()) {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(program);
    path = found ? *found : "";
  }
  std::optional<std::string> environment = Process::GetEnv("VIRTUAL_ENV");
  return path.empty() && environment ? findInEnvironment(*environment, program)
                                     : path;
}

//===----------------------------------------------------------------------===//
// What it does
//===----------------------------------------------------------------------===//

llvm::Expected<CudaProgram> CudaProgram::find(StringRef name,
                                              StringRef cudaPath,
                                              const llvm::Twine &purpose,
                                              const llvm::Twine &remedy) {
  CudaProgram found;
  found.path =
      cudaPath.empty() ? findAnywhere(name) : findBelow(cudaPath, name);
  if (!found.path.empty()) {
    return found;
  }
  StringRef places = "below CUDA_HOME, in PATH, or in the Python environment "
                     "VIRTUAL_ENV";
  return makeError(
      "expected " + name + ", " + purpose + ", " +
      (cudaPath.empty() ? places.str() : "below " + cudaPath.str()) +
      ", got none; " + remedy);
}

llvm::Expected<std::string>
CudaProgram::run(llvm::ArrayRef<StringRef> arguments) const {
  constexpr unsigned kDeadlineSeconds = 60;
  TemporaryFile printed("txt");
  if (llvm::Error error = printed.check()) {
    return error;
  }
  llvm::SmallVector<StringRef> all{path};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), printed.getPath(),
                                          printed.getPath()};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(path, all, std::nullopt, redirects,
                                         kDeadlineSeconds, 0, &problem);
  llvm::Expected<std::string> text = printed.read();
  if (!text) {
    return text.takeError();
  }
  if (status != 0) {
    return makeError(
        path + llvm::Twine(": ") +
        (problem.empty() ? StringRef(*text).trim().str() : problem));
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TemporaryFile::TemporaryFile(StringRef suffix) {
  error = llvm::sys::fs::createTemporaryFile("accelc", suffix, path);
}

TemporaryFile::~TemporaryFile() {
  if (!error) {
    (void)llvm::sys::fs::remove(path);
  }
}

llvm::Error TemporaryFile::check() const {
  return error ? makeError("a temporary file: " + error.message())
               : llvm::Error::success();
}

llvm::Error TemporaryFile::write(StringRef content) const {
  std::error_code failure;
  llvm::raw_fd_ostream stream(path, failure);
  stream << content;
  stream.close();
  bool isBad = failure || stream.has_error();
  failure = stream.has_error() ? stream.error() : failure;
  stream.clear_error();
  return isBad ? makeError(path + ": " + failure.message())
               : llvm::Error::success();
}

llvm::Expected<std::string> TemporaryFile::read() const {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    return makeError(path + ": " + buffer.getError().message());
  }
  return (*buffer)->getBuffer().str();
}
