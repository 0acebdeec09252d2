// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A streamer of MLIR's remarks that hands them to the diagnostic engine.
#include "compiler/Remarks.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace accel;

namespace {

/// What was decided, and why: the remark's arguments, one after the other.
class DiagnosticStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit DiagnosticStreamer(std::shared_ptr<bool> isWanted)
      : isWanted(std::move(isWanted)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    if (!*isWanted) {
      return;
    }
    InFlightDiagnostic diagnostic = emitRemark(remark.getLocation());
    StringRef separator = "";
    for (const remark::detail::Remark::Arg &argument : remark.getArgs()) {
      diagnostic << separator << argument.val;
      separator = ": ";
    }
  }

private:
  std::shared_ptr<bool> isWanted;
};

} // namespace

PhaseRemarks::PhaseRemarks(MLIRContext &context, std::vector<Phase> wanted)
    : context(context), wanted(std::move(wanted)) {}

LogicalResult PhaseRemarks::enable() {
  if (wanted.empty()) {
    return success();
  }
  // A kind of remarks without a pattern of its own is left out.
  const std::string all = "accel-.*";
  remark::RemarkCategories categories{all, all, all, all, all};
  return remark::enableOptimizationRemarks(
      context, std::make_unique<DiagnosticStreamer>(isWanted),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

void PhaseRemarks::begin(Phase phase) {
  *isWanted = llvm::is_contained(wanted, phase);
}
