// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks at the view between what a kernel of rows reads and what it returns.
#include "passes/Analysis/TransposedOperand.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/ComposedView.h"
#include "passes/Analysis/IterationDomain.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

std::optional<TransposedOperand> TransposedOperand::find(func::FuncOp kernel) {
  FailureOr<IterationDomain> domain = IterationDomain::get(kernel);
  if (failed(domain) || kernel.isExternal() || domain->kind != LoopKind::Rows ||
      domain->columns != 1 || kernel.getNumResults() != 1) {
    return std::nullopt;
  }
  Value result = kernel.getBody().front().getTerminator()->getOperand(0);
  Value root = getViewRoot(result);
  auto source = dyn_cast<BlockArgument>(root);
  std::optional<AffineView> view =
      source && elementTypeOf(root) == elementTypeOf(result)
          ? getComposedView(result, root)
          : std::nullopt;
  if (!view || view->strides.empty() || view->strides.back() == 1) {
    return std::nullopt;
  }
  const auto *neighbours = llvm::find(view->strides, 1);
  if (neighbours == view->strides.end()) {
    return std::nullopt;
  }
  auto rowsOf = static_cast<size_t>(neighbours - view->strides.begin());
  return TransposedOperand{{*view, rowsOf}, source};
}

int64_t TransposedMatrix::resultColumns() const {
  return llvm::product_of(ArrayRef(view.sizes).drop_front(rowsOf + 1));
}

int64_t TransposedMatrix::countBlocks(int64_t rows) const {
  return llvm::product_of(ArrayRef(view.sizes).take_front(rowsOf)) *
         llvm::divideCeil(view.sizes[rowsOf], rows);
}
