// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of the `plan` dialect.
#include "dialects/Plan/IR/PlanDialect.h"

#include "dialects/Plan/IR/PlanOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Plan/IR/PlanDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/IR/PlanAttrs.cpp.inc"

using namespace accel::plan;

llvm::LogicalResult
ShardAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                  int64_t elements, int64_t granule,
                  llvm::ArrayRef<mlir::StringAttr> axes) {
  if (elements <= 0 || granule <= 0) {
    return emitError() << "expected positive numbers of elements and of a "
                          "granule, got "
                       << elements << " and " << granule;
  }
  llvm::SmallPtrSet<mlir::Attribute, 4> seen(axes.begin(), axes.end());
  if (axes.empty() || seen.size() != axes.size()) {
    return emitError() << "expected at least one axis, each once, got "
                       << axes.size() << " of which " << seen.size()
                       << " differ";
  }
  return llvm::success();
}

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Plan/IR/PlanAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/IR/PlanOps.cpp.inc"
      >();
}
