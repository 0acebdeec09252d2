// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a case for inference and compares what the plan answers.
#ifndef ACCEL_TEST_ONNX_FORWARDRUN_H
#define ACCEL_TEST_ONNX_FORWARDRUN_H

#include "test/onnx/Case.h"

#include "runtime/device/device.h"
#include "runtime/io/vfs.h"

#include <memory>
#include <string>

namespace accel::test {

/// What came of a case.
struct Outcome {
  enum class Kind {
    Pass,
    Refused,  ///< by accelc, with a code
    NotTried, ///< a type that the runner has no array for
    Wrong     ///< something else: a mistake of ours
  };
  Kind kind = Kind::Pass;
  std::string code;               ///< ACCEL-E0201, or the type
  std::string detail;             ///< for people
  std::vector<std::string> bound; ///< names of inputs that were bound
};

/// Borrows: nothing.
class ForwardRun {
public:
  /// `folder` is for files of its own.
  explicit ForwardRun(const std::string &folder);

  /// `operatorName` says which inputs are shapes, axes or settings.
  Outcome run(const Case &subject, const std::string &operatorName);

private:
  Outcome compileCase(const Case &subject, const std::vector<size_t> &bound);
  Outcome answer(const Case &subject);

  std::string plan;
  std::unique_ptr<runtime::Vfs> vfs;
  std::unique_ptr<runtime::Device> device;
};

} // namespace accel::test

#endif
