// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ptxas until every kernel has the launch bound that LaunchBoundSearch
// decides on.
#include "passes/Lower/Cuda/Cubin.h"

#include "passes/ErrorCodes.h"
#include "passes/Lower/Cuda/LaunchBound.h"
#include "passes/Lower/Cuda/Ptxas.h"
#include "passes/Target/Cuda/CudaTarget.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace accel;

//===----------------------------------------------------------------------===//
// Bounds in the text of PTX
//===----------------------------------------------------------------------===//

/// A line in front of a kernel's body.
static constexpr llvm::StringLiteral kDirective = "\n.minnctapersm ";
static constexpr llvm::StringLiteral kBody = "\n{";

/// The bound that a kernel's text has; 0: none.
static unsigned getBound(StringRef kernel) {
  unsigned bound = 0;
  StringRef head = kernel.split(kBody).first;
  (void)head.split(kDirective).second.consumeInteger(10, bound);
  return bound;
}

/// Adds a kernel's text with `bound` instead of its own.
static void appendBounded(std::string &ptx, StringRef kernel, unsigned bound) {
  auto [head, body] = kernel.split(kBody);
  auto [before, own] = head.split(kDirective);
  ptx += before;
  ptx += kDirective;
  ptx += llvm::utostr(bound);
  ptx += own.drop_while(llvm::isDigit);
  ptx += kBody;
  ptx += body;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {

/// All kernels of a module of PTX are searched at the same time: each run of
/// ptxas tries one bound of every kernel whose search is not over.
class CubinSearch {
public:
  /// ptxas has `seconds` for each run.
  CubinSearch(const Ptxas &ptxas, unsigned seconds, const CodeImage &ptx,
              const CodeVariant &variant)
      : ptxas(ptxas), seconds(seconds), ptx(ptx), variant(variant) {}

  llvm::Expected<CodeImage> run();

private:
  StringRef getText() const { return {ptx.code.data(), ptx.code.size()}; }
  /// What stands in front of all kernels.
  StringRef getHead() const {
    return ptx.entries.empty() ? getText()
                               : getText().take_front(ptx.entries[0].offset);
  }
  StringRef getKernel(size_t i) const {
    return getText().substr(ptx.entries[i].offset, ptx.entries[i].size);
  }
  llvm::Expected<PtxasOutput> assemble(StringRef text) const {
    return ptxas.assemble(text, variant.processor, seconds);
  }
  llvm::Error begin();
  llvm::Expected<bool> tryNext();
  llvm::Error finish();
  llvm::Error checkSpills() const;
  CodeImage makeImage();

  const Ptxas &ptxas;
  const unsigned seconds;
  const CodeImage &ptx;
  const CodeVariant &variant;
  PtxasOutput output; ///< of all kernels
  std::vector<LaunchBoundSearch> searches;
};

} // namespace

/// Assembles everything as LLVM has written it.
llvm::Error CubinSearch::begin() {
  llvm::Expected<PtxasOutput> first = assemble(getText());
  if (!first) {
    return first.takeError();
  }
  output = std::move(*first);
  for (size_t i = 0; i < ptx.entries.size(); ++i) {
    searches.emplace_back(getProcessorThreads(variant),
                          output.kernels[ptx.entries[i].kernel],
                          getBound(getKernel(i)));
  }
  return llvm::Error::success();
}

/// Tries a bound of each kernel that has one to try; false: none has.
llvm::Expected<bool> CubinSearch::tryNext() {
  std::string text = getHead().str();
  SmallVector<size_t> tried;
  for (auto [i, search] : llvm::enumerate(searches)) {
    if (search.getNext() != 0) {
      appendBounded(text, getKernel(i), search.getNext());
      tried.push_back(i);
    }
  }
  if (tried.empty()) {
    return false;
  }
  llvm::Expected<PtxasOutput> found = assemble(text);
  if (!found) {
    return found.takeError();
  }
  for (size_t i : tried) {
    searches[i].add(found->kernels[ptx.entries[i].kernel]);
  }
  return true;
}

/// Assembles everything again where a kernel has another bound than LLVM has
/// written.
llvm::Error CubinSearch::finish() {
  std::string text = getHead().str();
  bool isOther = false;
  for (auto [i, search] : llvm::enumerate(searches)) {
    StringRef kernel = getKernel(i);
    if (search.getBound() == getBound(kernel)) {
      text += kernel;
      continue;
    }
    appendBounded(text, kernel, search.getBound());
    isOther = true;
  }
  if (!isOther) {
    return llvm::Error::success();
  }
  llvm::Expected<PtxasOutput> last = assemble(text);
  if (!last) {
    return last.takeError();
  }
  output = std::move(*last);
  return llvm::Error::success();
}

/// Spilled registers are slow, and no kernel of ours needs them.
llvm::Error CubinSearch::checkSpills() const {
  for (const CodeEntry &entry : ptx.entries) {
    if (unsigned bytes = output.kernels.lookup(entry.kernel).spilledBytes) {
      return llvm::createStringError(
          ptxas.getPath() + ": " + variant.processor + ": kernel '" +
          entry.kernel + "' spills " + llvm::Twine(bytes) +
          " bytes of registers although it may use all that a thread can "
          "have; write compute_ for sm_ in --target, which leaves it to the "
          "driver");
    }
  }
  return llvm::Error::success();
}

CodeImage CubinSearch::makeImage() {
  CodeImage image;
  image.code = std::move(output.cubin);
  image.assembler = ("ptxas " + ptxas.getVersion()).str();
  for (auto [entry, search] : llvm::zip_equal(ptx.entries, searches)) {
    const AssembledKernel &kernel = output.kernels[entry.kernel];
    image.entries.push_back(
        {entry.kernel,
         kernel.offset,
         kernel.size,
         {kernel.registers, search.getBlocks(), search.getBound()}});
  }
  return image;
}

llvm::Expected<CodeImage> CubinSearch::run() {
  if (llvm::Error error = begin()) {
    return error;
  }
  llvm::Expected<bool> isGoingOn = true;
  while (isGoingOn && *isGoingOn) {
    isGoingOn = tryNext();
  }
  if (!isGoingOn) {
    return isGoingOn.takeError();
  }
  llvm::Error error = finish();
  error = error ? std::move(error) : checkSpills();
  if (error) {
    return error;
  }
  return makeImage();
}

FailureOr<CodeImage> accel::assemblePtx(ModuleOp module, const CodeImage &ptx,
                                        const CodeVariant &variant,
                                        const CodeTools &tools) {
  auto fail = [&](llvm::Error error) -> FailureOr<CodeImage> {
    bool isLate = error.isA<ProgramTimeout>();
    InFlightDiagnostic diagnostic =
        module.emitError("variant '")
        << variant.name << "': " << llvm::toString(std::move(error));
    if (!isLate) {
      return diagnostic;
    }
    return withCode(std::move(diagnostic), codes::AssemblerTimeout)
           << "; wait longer (--ptxas-timeout=SECONDS), or write compute_ for "
              "sm_ in --target, which needs no ptxas";
  };
  llvm::Expected<Ptxas> ptxas = Ptxas::find(tools.cudaPath);
  if (!ptxas) {
    return fail(ptxas.takeError());
  }
  llvm::Expected<CodeImage> image =
      CubinSearch(*ptxas, tools.ptxasSeconds, ptx, variant).run();
  if (!image) {
    return fail(image.takeError());
  }
  return std::move(*image);
}
