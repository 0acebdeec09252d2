// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the steps of a view with those of rows.
#include "passes/Analysis/TurnedResult.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/ComposedView.h"
#include "passes/Analysis/IterationDomain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace accel;

int64_t TurnedView::getRows(int64_t most) const {
  return llvm::MinAlign(most, places.sizes.back());
}

int64_t TurnedView::getSide(int64_t most) const {
  return llvm::MinAlign(getRows(most), sourceColumns());
}

/// The dimensions of `view`, the one with the smallest step in its source
/// first.
static SmallVector<size_t> sortByStride(const AffineView &view) {
  auto dimensions = llvm::to_vector(llvm::seq(view.strides.size()));
  llvm::sort(dimensions, [&](size_t a, size_t b) {
    return view.strides[a] < view.strides[b];
  });
  return dimensions;
}

/// Whether the view, whose dimensions are `sorted`, has each element of its
/// source once.
static bool isPermutation(const AffineView &view, ArrayRef<size_t> sorted) {
  int64_t expected = 1;
  for (size_t dimension : sorted) {
    if (view.strides[dimension] != expected) {
      return false;
    }
    expected *= view.sizes[dimension];
  }
  return view.offset == 0;
}

/// Where the source's elements lie in the view.
static AffineView invert(const AffineView &view, ArrayRef<size_t> sorted) {
  AffineView back;
  for (size_t dimension : llvm::reverse(sorted)) {
    back.sizes.push_back(view.sizes[dimension]);
    back.strides.push_back(
        llvm::product_of(ArrayRef(view.sizes).drop_front(dimension + 1)));
  }
  return back;
}

std::optional<TurnedView> accel::getTurnedView(Value tensor, Value source) {
  if (elementTypeOf(tensor) != elementTypeOf(source) ||
      getNumElements(tensor) != getNumElements(source)) {
    return std::nullopt;
  }
  std::optional<AffineView> places = getComposedView(tensor, source);
  if (!places || places->sizes.size() < 2) {
    return std::nullopt;
  }
  SmallVector<size_t> sorted = sortByStride(*places);
  if (!isPermutation(*places, sorted) ||
      sorted[1] != places->sizes.size() - 1) {
    return std::nullopt;
  }
  TurnedView view{*places, invert(*places, sorted), sorted[0]};
  return view.getSide(TurnedView::kLeastSide) == TurnedView::kLeastSide
             ? std::optional(view)
             : std::nullopt;
}

/// The number of the result that is `root`, element by element.
static std::optional<unsigned> findResult(ValueRange results, Value root) {
  auto found = llvm::find_if(results, [&](Value result) {
    return getViewRoot(result, [&](Value v) { return v == root; }) == root &&
           getAccessRelation(result, root).kind == AccessKind::Identity &&
           elementTypeOf(result) == elementTypeOf(root);
  });
  return found == results.end()
             ? std::nullopt
             : std::optional<unsigned>(std::distance(results.begin(), found));
}

/// Whether `kernel` stores results of rows alone, each with an element for
/// every one of its domain.
static bool storesRows(func::FuncOp kernel, const IterationDomain &domain) {
  auto numbers = llvm::seq(kernel.getNumResults());
  return domain.kind == LoopKind::Rows && domain.columns != 1 &&
         llvm::all_of(numbers, [&](unsigned number) {
           auto type = cast<RankedTensorType>(kernel.getResultTypes()[number]);
           return type.getNumElements() == domain.elements &&
                  !isAccumulated(kernel, number);
         });
}

std::optional<TurnedResult> TurnedResult::find(func::FuncOp kernel) {
  FailureOr<IterationDomain> domain = IterationDomain::get(kernel);
  if (failed(domain) || kernel.isExternal() || !storesRows(kernel, *domain)) {
    return std::nullopt;
  }
  ValueRange results = kernel.getBody().front().getTerminator()->getOperands();
  for (auto [number, result] : llvm::enumerate(results)) {
    Value root = getViewRoot(result);
    std::optional<unsigned> source = findResult(results, root);
    std::optional<TurnedView> view =
        source ? getTurnedView(result, root) : std::nullopt;
    if (view && view->sourceColumns() == domain->columns) {
      return TurnedResult{unsigned(number), *source, *view};
    }
  }
  return std::nullopt;
}
