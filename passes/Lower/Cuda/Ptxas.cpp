// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds and runs the program, with files of its own.
#include "passes/Lower/Cuda/Ptxas.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
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

/// Of a toolkit, and of the packages nvidia-cuda-nvcc and
/// nvidia-cuda-nvcc-cu12.
static constexpr llvm::StringLiteral kPlaces[] = {
    "bin/ptxas", "cu13/bin/ptxas", "nvidia/cu13/bin/ptxas",
    "cuda_nvcc/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas"};

static std::string findBelow(StringRef folder) {
  for (StringRef place : kPlaces) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, place);
    if (llvm::sys::fs::can_execute(path)) {
      return path.str().str();
    }
  }
  return "";
}

/// VIRTUAL_ENV/lib/python3.11/site-packages
static std::string findInEnvironment(StringRef environment) {
  llvm::SmallString<128> folder(environment);
  llvm::sys::path::append(folder, "lib");
  std::error_code error;
  std::vector<std::string> found;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error)) {
    llvm::SmallString<128> packages(it->path());
    llvm::sys::path::append(packages, "site-packages");
    if (std::string path = findBelow(packages); !path.empty()) {
      found.push_back(path);
    }
  }
  // Folders come in no order.
  llvm::sort(found);
  return found.empty() ? "" : found.back();
}

static std::string findAnywhere() {
  using llvm::sys::Process;
  std::string path;
  if (std::optional<std::string> home = Process::GetEnv("CUDA_HOME")) {
    path = findBelow(*home);
  }
  if (path.empty()) {
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas");
    path = found ? *found : "";
  }
  std::optional<std::string> environment = Process::GetEnv("VIRTUAL_ENV");
  return path.empty() && environment ? findInEnvironment(*environment) : path;
}

//===----------------------------------------------------------------------===//
// What it does
//===----------------------------------------------------------------------===//

namespace {

/// A file that is gone when this is.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    error = llvm::sys::fs::createTemporaryFile("accelc", suffix, path);
  }
  ~TemporaryFile() {
    if (!error) {
      (void)llvm::sys::fs::remove(path);
    }
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  StringRef getPath() const { return path; }
  llvm::Error check() const {
    return error ? makeError("a temporary file: " + error.message())
                 : llvm::Error::success();
  }
  llvm::Error write(StringRef text) const {
    std::error_code failure;
    llvm::raw_fd_ostream stream(path, failure);
    stream << text;
    stream.close();
    bool isBad = failure || stream.has_error();
    failure = stream.has_error() ? stream.error() : failure;
    stream.clear_error();
    return isBad ? makeError(path + ": " + failure.message())
                 : llvm::Error::success();
  }
  llvm::Expected<std::string> read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      return makeError(path + ": " + buffer.getError().message());
    }
    return (*buffer)->getBuffer().str();
  }

private:
  std::error_code error;
  llvm::SmallString<128> path;
};

} // namespace

/// Runs it; what it prints. A minute is a hundred times what any plan takes.
static llvm::Expected<std::string> run(StringRef program,
                                       llvm::ArrayRef<StringRef> arguments) {
  constexpr unsigned kDeadlineSeconds = 60;
  TemporaryFile printed("txt");
  if (llvm::Error error = printed.check()) {
    return error;
  }
  llvm::SmallVector<StringRef> all{program};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), printed.getPath(),
                                          printed.getPath()};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects,
                                         kDeadlineSeconds, 0, &problem);
  llvm::Expected<std::string> text = printed.read();
  if (!text) {
    return text.takeError();
  }
  if (status != 0) {
    return makeError(
        program + llvm::Twine(": ") +
        (problem.empty() ? StringRef(*text).trim().str() : problem));
  }
  return text;
}

llvm::Expected<Ptxas> Ptxas::find(StringRef cudaPath) {
  Ptxas found;
  found.path = cudaPath.empty() ? findAnywhere() : findBelow(cudaPath);
  if (found.path.empty()) {
    return makeError(
        "expected ptxas, which makes code of GPUs, " +
        (cudaPath.empty()
             ? std::string("below CUDA_HOME, in PATH, or in the Python "
                           "environment VIRTUAL_ENV")
             : "below " + cudaPath.str()) +
        ", got none; install the CUDA toolkit or the package "
        "nvidia-cuda-nvcc, say --cuda-path=DIR, or write compute_ for sm_ in "
        "--target: PTX needs no ptxas");
  }
  llvm::Expected<std::string> text = run(found.path, {"--version"});
  if (!text) {
    return text.takeError();
  }
  llvm::SmallVector<StringRef> parts;
  if (!llvm::Regex("release [0-9.]+, V[0-9.]+").match(*text, &parts)) {
    return makeError(found.path + " --version: expected a release, got '" +
                     StringRef(*text).trim() + "'");
  }
  found.version = parts.front().str();
  return found;
}

/// The first kernel that ptxas -v reports bytes of spills for; empty: none.
static std::string findSpills(StringRef printed) {
  static const llvm::Regex compiled("Compiling entry function '([^']+)'");
  static const llvm::Regex spills("([1-9][0-9]*) bytes spill stores");
  std::string kernel;
  for (StringRef line : llvm::split(printed, '\n')) {
    llvm::SmallVector<StringRef> parts;
    if (compiled.match(line, &parts)) {
      kernel = parts[1].str();
    } else if (spills.match(line, &parts)) {
      return "kernel '" + kernel + "' spills " + parts[1].str() +
             " bytes of registers";
    }
  }
  return "";
}

llvm::Expected<std::vector<char>> Ptxas::assemble(StringRef ptx,
                                                  StringRef chip) const {
  TemporaryFile source("ptx"), cubin("cubin");
  llvm::Error bad = llvm::joinErrors(source.check(), cubin.check());
  bad = bad ? std::move(bad) : source.write(ptx);
  if (bad) {
    return bad;
  }
  std::string arch = ("-arch=" + chip).str();
  llvm::Expected<std::string> printed =
      run(path, {"-v", "-O3", arch, source.getPath(), "-o", cubin.getPath()});
  if (!printed) {
    return printed.takeError();
  }
  if (std::string spills = findSpills(*printed); !spills.empty()) {
    return makeError(path + ": " + chip + ": " + spills);
  }
  llvm::Expected<std::string> code = cubin.read();
  if (!code) {
    return code.takeError();
  }
  return std::vector<char>(code->begin(), code->end());
}
