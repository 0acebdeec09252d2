// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters first, then what is stored, then one site after the other.
#include "passes/Precision/MicrobatchRewriter.h"

#include "dialects/Accel/IR/ArithmeticBuilder.h"
#include "passes/Analysis/DeadCode.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace accel;

void MicrobatchRewriter::rewrite(ArrayRef<Value> rounded,
                                 ArrayRef<OpOperand *> biases,
                                 ArrayRef<Operation *> activations) {
  if (fp8) {
    fp8->readParameters();
  }
  readParameters(biases);
  roundStored(rounded, activations);
  for (OpOperand *bias : biases) {
    lowerBias(*bias);
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

void MicrobatchRewriter::roundStored(ArrayRef<Value> rounded,
                                     ArrayRef<Operation *> activations) {
  llvm::DenseMap<Operation *, Value> sums;
  for (Operation *op : activations) {
    sums[op] = getStoredValue(op->getOperand(0));
  }
  for (Value value : rounded) {
    values.round(value);
  }
  for (Operation *op : activations) {
    auto gradient = dyn_cast<GeluGradOp>(op);
    if (!llvm::is_contained(rounded, gradient ? Value(gradient) : sums[op])) {
      continue; // all of it is f32
    }
    if (gradient) {
      gradient.getOperandMutable().assign(values.get(gradient.getOperand()));
      continue;
    }
    OpBuilder builder(op);
    op->setOperand(0, ArithmeticBuilder(builder, op->getLoc())
                          .reshapeLike(sums[op], op->getOperand(0)));
  }
}

/// The vector that `bias` repeats for all rows.
static Value getRepeated(const OpOperand &bias) {
  Value value = bias.get();
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    value = reshape.getOperand();
  }
  return value.getDefiningOp<BroadcastOp>().getOperand();
}

/// A parameter is low if every site that reads it is, and there is one, or if
/// it is a bias that a library adds; whoever else reads it, widens it.
void MicrobatchRewriter::readParameters(ArrayRef<OpOperand *> biases) {
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
  for (OpOperand *bias : biases) {
    if (ReadOp read = getParameterRead(getRepeated(*bias))) {
      isLow.try_emplace(read.getSymbolAttr().getAttr(), true);
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
      .Case<AttentionOp, GroupedMatmulOp, GatherOp>(
          [&](auto op) { lowerResult(op->getResult(0)); })
      .Case([&](AttentionGradOp op) {
        // The gradient of a bias is f32, as the bias is.
        llvm::for_each(op->getResults().take_front(3),
                       [&](OpResult result) { lowerResult(result); });
      });
}

/// Widened where it is added, so that what is in memory is low.
void MicrobatchRewriter::lowerBias(OpOperand &bias) {
  Value vector = values.get(getRepeated(bias));
  auto type = cast<RankedTensorType>(bias.get().getType());
  OpBuilder builder(bias.getOwner());
  Location loc = bias.getOwner()->getLoc();
  auto rows =
      BroadcastOp::create(builder, loc, type.clone(values.getType()), vector,
                          ArrayRef<int64_t>{type.getRank() - 1});
  bias.set(CastOp::create(builder, loc, rows, builder.getF32Type()));
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
