// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations, the chains of operations that they end, and who reads them.
#include "passes/Precision/StoredValues.h"

#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Analysis/TensorAccess.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace accel;

static bool isElementwise(Operation *op) {
  auto fusable = dyn_cast<FusionOpInterface>(op);
  return isa<DropoutOp>(op) ||
         (fusable && fusable.getFusionKind() == FusionKind::Elementwise);
}

static bool isF32(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32();
}

/// Everything that the sums over a microbatch, of losses and of targets, are
/// computed of; the rest of the function are gradients.
static llvm::DenseSet<Operation *> findForward(func::FuncOp microbatch) {
  SmallVector<Operation *> sums;
  microbatch.walk([&](AccumulateOp accumulate) {
    if (SymbolTable::lookupNearestSymbolFrom<StateOp>(
            accumulate, accumulate.getSymbolAttr())) {
      sums.push_back(accumulate);
    }
  });
  llvm::DenseSet<Operation *> forward;
  collectProducers(std::move(sums), forward);
  return forward;
}

StoredValues::StoredValues(func::FuncOp microbatch, const PrecisionSites &sites,
                           bool keepsResidual, ArrayRef<Value> storedSums)
    : sites(sites), keepsResidual(keepsResidual),
      storedSums(storedSums.begin(), storedSums.end()),
      forward(findForward(microbatch)) {
  SmallVector<Operation *> inForward;
  llvm::copy_if(sites.getSites(), std::back_inserter(inForward),
                [&](Operation *site) { return forward.contains(site); });
  collectProducers(std::move(inForward), inModel);
  for (Operation &op : microbatch.getBody().front()) {
    findActivations(op);
    if (isStoredView(&op)) {
      continue;
    }
    Chain chain = getChain(op);
    for (Value result : op.getResults()) {
      if (!isActivation(result)) {
        continue;
      }
      if (mustRound(result, chain)) {
        rounded.push_back(result);
      } else {
        chains[result] = chain;
      }
    }
  }
}

/// Activations have numbers for every element of what a parameter was applied
/// to. A sum over rows or columns, as a statistic, a loss or a gradient of a
/// parameter, is none.
void StoredValues::findActivations(Operation &op) {
  auto add = [&](Value value) {
    if (isF32(value)) {
      activations.insert(value);
    }
  };
  if (auto product = dyn_cast<MatmulOp>(op)) {
    if (product.getRole() != ProductRole::WeightGradient) {
      add(product.getResult());
    }
    return;
  }
  if (isa<AttentionGradOp>(op)) {
    // The gradient of a bias is a sum over samples.
    llvm::for_each(op.getResults().take_front(3), add);
    return;
  }
  if (isa<AttentionOp, LayerNormOp, GroupedMatmulOp>(op) ||
      (isa<GatherOp>(op) && isPrecisionSite(&op))) {
    return add(op.getResult(0)); // what is behind it are statistics
  }
  bool passesOn = isElementwise(&op) || isViewOp(&op) ||
                  isa<ConcatOp, SoftmaxOp, GatherOp>(op);
  if (passesOn && llvm::any_of(op.getOperands(), [&](Value operand) {
        return isActivation(operand);
      })) {
    llvm::for_each(op.getResults(), add);
  }
}

/// A sum of two activations that both have all of its elements.
bool StoredValues::isResidual(Value value) const {
  auto sum = value.getDefiningOp<AddOp>();
  auto isWhole = [&](Value operand) {
    return isActivation(operand) &&
           !isa_and_nonnull<BroadcastOp>(operand.getDefiningOp());
  };
  return keepsResidual && sum && isWhole(sum.getLhs()) && isWhole(sum.getRhs());
}

bool StoredValues::isExcluded(Operation *op) const {
  return isPrecisionSite(op) && !sites.isLow(op);
}

/// Whether `op` computes element by element, and not of the loss: behind the
/// last product that is what reads neither activations nor parameters, targets
/// for instance, or statistics of a row.
bool StoredValues::continuesChain(Operation *op) const {
  bool isOfModel = inModel.contains(op) || !forward.contains(op);
  return isElementwise(op) &&
         (isOfModel || llvm::all_of(op->getOperands(), [&](Value operand) {
            Value root = getViewRoot(operand);
            return isActivation(operand) ||
                   isa_and_nonnull<ReadOp, ConstantOp>(root.getDefiningOp());
          }));
}

/// That of what `op` computes: begun by it, or passed on element by element.
StoredValues::Chain StoredValues::getChain(Operation &op) const {
  if (isExcluded(&op)) {
    return Chain::Excluded;
  }
  if (isa<GatherOp>(op)) {
    return Chain::Table;
  }
  if (isa<MatmulOp, GroupedMatmulOp, AttentionOp, AttentionGradOp, LayerNormOp,
          SoftmaxOp>(op)) {
    return Chain::Product;
  }
  Chain chain = Chain::None;
  if (continuesChain(&op)) {
    for (Value operand : op.getOperands()) {
      auto found = chains.find(getStoredValue(operand));
      if (found != chains.end()) {
        chain = std::max(chain, found->second);
      }
    }
  }
  return chain;
}

/// Whether `value`, which ends up in memory, must not go on in a register: it
/// has several readers, or one that is not element by element.
bool StoredValues::endsChain(Value value, Chain chain,
                             ArrayRef<Operation *> readers) const {
  if (chain == Chain::None || readers.empty()) {
    return false;
  }
  bool goesOn = readers.size() == 1 && continuesChain(readers.front());
  if (!goesOn) {
    return !(chain == Chain::Table && keepsResidual);
  }
  // A residual stream of f32 gets what was rounded.
  return chain == Chain::Product &&
         llvm::any_of(readers.front()->getResults(),
                      [&](Value result) { return isResidual(result); });
}

bool StoredValues::mustRound(Value value, Chain chain) const {
  llvm::SetVector<Operation *> readers;
  collectReaders(value, readers);
  if (isResidual(value)) {
    return false;
  }
  bool isReadLow = llvm::any_of(readers, [&](Operation *reader) {
    return isPrecisionSite(reader) && sites.isLow(reader) &&
           llvm::any_of(getLowOperands(reader), [&](OpOperand *operand) {
             return getStoredValue(operand->get()) == value;
           });
  });
  if (isReadLow) {
    return true;
  }
  // What is in f32 because a rule says so is stored in f32.
  bool isReadWide = llvm::any_of(
      readers, [&](Operation *reader) { return isExcluded(reader); });
  bool isStoredSum = storedSums.contains(value);
  return chain != Chain::Excluded && !isReadWide &&
         (isStoredSum || endsChain(value, chain, readers.getArrayRef()) ||
          isKept(value, readers.getArrayRef()));
}

/// Whether the forward program keeps `value` for its gradients, outside of the
/// loss and of a residual stream of f32.
bool StoredValues::isKept(Value value, ArrayRef<Operation *> readers) const {
  bool isStream = keepsResidual && llvm::any_of(readers, [&](Operation *op) {
                    return llvm::any_of(op->getResults(), [&](Value result) {
                      return isResidual(result);
                    });
                  });
  return !isStream && inModel.contains(value.getDefiningOp()) &&
         llvm::any_of(readers, [&](Operation *reader) {
           return !forward.contains(reader);
         });
}
