// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters first, then what is stored, then one site after the other.
#include "passes/Precision/MicrobatchRewriter.h"

#include "passes/Analysis/DeadCode.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

void MicrobatchRewriter::rewrite(ArrayRef<Value> rounded) {
  if (fp8) {
    fp8->readParameters();
  }
  readParameters();
  for (Value value : rounded) {
    values.round(value);
  }
  for (Operation *site : sites.getSites()) {
    if (sites.isLow(site) && !isFp8(site)) {
      lower(site);
    }
  }
  if (fp8) {
    fp8->lower();
  }
  eraseDeadCode(microbatch);
}

/// A parameter is low if every site that reads it is, and there is one; whoever
/// else reads it, widens it.
void MicrobatchRewriter::readParameters() {
  llvm::MapVector<StringAttr, bool> isLow;
  for (Operation *site : sites.getSites()) {
    if (isFp8(site)) {
      continue;
    }
    for (OpOperand *operand : getLowOperands(site)) {
      if (ReadOp read = getParameterRead(operand->get())) {
        auto [found, isNew] =
            isLow.try_emplace(read.getSymbolAttr().getAttr(), true);
        found->second &= sites.isLow(site);
      }
    }
  }
  for (ReadOp read : llvm::to_vector(microbatch.getOps<ReadOp>())) {
    auto parameter = SymbolTable::lookupNearestSymbolFrom<ParameterOp>(
        read, read.getSymbolAttr());
    if (!parameter || !isLow.lookup(parameter.getSymNameAttr())) {
      continue;
    }
    parameter.setComputeAttr(TypeAttr::get(values.getType()));
    OpBuilder builder(read);
    auto narrow = ReadOp::create(builder, read.getLoc(),
                                 parameter.getComputeType(), read.getSymbol());
    auto wide = CastOp::create(builder, read.getLoc(), narrow.getResult(),
                               builder.getF32Type());
    values.set(wide, narrow);
    read.replaceAllUsesWith(wide.getResult());
    read.erase();
  }
}

void MicrobatchRewriter::lower(Operation *site) {
  for (OpOperand *operand : getLowOperands(site)) {
    operand->set(values.get(operand->get()));
  }
  llvm::TypeSwitch<Operation *>(site)
      .Case([&](AttentionOp op) { lowerResult(op->getResult(0)); })
      .Case([&](AttentionGradOp op) {
        llvm::for_each(op->getResults(),
                       [&](OpResult result) { lowerResult(result); });
      })
      .Case([&](GatherOp op) { lowerResult(op->getResult(0)); });
}

/// The operation computes `result` low itself; whoever rounded it has nothing
/// left to do.
void MicrobatchRewriter::lowerResult(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  OpBuilder builder(result.getOwner());
  builder.setInsertionPointAfter(result.getOwner());
  SmallVector<Operation *> users(result.getUsers());
  result.setType(type.clone(values.getType()));
  auto wide =
      CastOp::create(builder, result.getLoc(), result, builder.getF32Type());
  for (Operation *user : users) {
    auto narrow = dyn_cast<CastOp>(user);
    if (narrow && narrow.getType() == result.getType()) {
      values.replace(narrow, result);
      narrow.replaceAllUsesWith(result);
      narrow.erase();
    } else {
      user->replaceUsesOfWith(result, wide);
    }
  }
}
