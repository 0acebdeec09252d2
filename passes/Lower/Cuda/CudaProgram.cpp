// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and runs programs, with files of their own.
#include "passes/Lower/Cuda/CudaProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

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

char ProgramTimeout::ID = 0;

void ProgramTimeout::log(llvm::raw_ostream &stream) const {
  stream << program << ": expected it to end within " << seconds
         << (seconds == 1 ? " second" : " seconds")
         << ", got no end: this machine is busy, or the program hangs";
}

std::error_code ProgramTimeout::convertToErrorCode() const {
  return std::make_error_code(std::errc::timed_out);
}

/// Whether the process ends in time. LLVM's own wait has a deadline by an alarm
/// of the whole process, which interrupts any of its threads.
static llvm::Expected<bool> endsWithin(std::chrono::seconds patience,
                                       llvm::sys::procid_t process) {
  using Clock = std::chrono::steady_clock;
  int watch = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (watch < 0) {
    return llvm::errorCodeToError(
        std::error_code(errno, std::generic_category()));
  }
  Clock::time_point end = Clock::now() + patience;
  pollfd descriptor{watch, POLLIN, 0};
  int ready = 0;
  while (ready == 0 && Clock::now() < end) {
    // Rounded up, and again after a signal.
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    ready = std::max(0, poll(&descriptor, 1, static_cast<int>(left.count())));
  }
  close(watch);
  return ready > 0;
}

/// Runs to its end what has been started; the status, or why there is none.
static llvm::Expected<int> awaitEnd(const llvm::sys::ProcessInfo &process,
                                    StringRef path, unsigned seconds,
                                    std::string &problem) {
  llvm::Expected<bool> isOver =
      endsWithin(std::chrono::seconds(seconds), process.Pid);
  bool isEnded = isOver && *isOver;
  if (!isEnded) {
    kill(process.Pid, SIGKILL);
  }
  int status = llvm::sys::Wait(process, std::nullopt, &problem).ReturnCode;
  if (!isOver) {
    return isOver.takeError();
  }
  if (!isEnded) {
    return llvm::make_error<ProgramTimeout>(path, seconds);
  }
  return status;
}

llvm::Expected<std::string>
CudaProgram::run(llvm::ArrayRef<StringRef> arguments, unsigned seconds) const {
  TemporaryFile printed("txt");
  if (llvm::Error error = printed.check()) {
    return error;
  }
  llvm::SmallVector<StringRef> all{path};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), printed.getPath(),
                                          printed.getPath()};
  std::string problem;
  bool hasFailed = false;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      path, all, std::nullopt, redirects, 0, &problem, &hasFailed);
  if (hasFailed) {
    return makeError(path + llvm::Twine(": ") + problem);
  }
  llvm::Expected<int> status = awaitEnd(process, path, seconds, problem);
  if (!status) {
    return status.takeError();
  }
  llvm::Expected<std::string> text = printed.read();
  if (!text) {
    return text.takeError();
  }
  if (*status != 0) {
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
