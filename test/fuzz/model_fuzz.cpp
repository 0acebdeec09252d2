// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX files, imported as accelc imports them. MLIR itself is not instrumented:
// what it does with memory is seen where it calls malloc, and no further.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "frontends/onnx/ImportOnnx.h"
#include "mlir/IR/Verifier.h"

using namespace accel::onnx;

/// A file in memory, as the importer opens files by their paths.
static std::string makeFile(const uint8_t* data, size_t size) {
  static const int descriptor = memfd_create("model.onnx", MFD_CLOEXEC);
  if (ftruncate(descriptor, 0) != 0 ||
      pwrite(descriptor, data, size, 0) != static_cast<ssize_t>(size)) {
    abort();
  }
  return "/proc/self/fd/" + std::to_string(descriptor);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic&) { return mlir::success(); });
  ImportOptions options;
  options.dimensions = {{"batch", 2}, {"seq", 3}};
  options.keepsGoing = true;
  auto model = importOnnx(makeFile(data, size), options, context);
  // What is imported is a module that the rest of the compiler may trust.
  if (mlir::succeeded(model) && mlir::failed(mlir::verify(*model->module))) {
    abort();
  }
  return 0;
}
