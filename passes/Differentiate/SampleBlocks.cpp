// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move or compute single elements keep blocks; others are asked
// what they make of the dimension that counts samples.
#include "passes/Differentiate/SampleBlocks.h"

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/ShapeChecks.h"
#include "passes/Differentiate/SampleAxis.h"
#include "passes/Differentiate/SampleNumbers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel {

SampleBlocks::SampleBlocks(Block &block, int64_t batch) : batch(batch) {
  for (BlockArgument argument : block.getArguments()) {
    bool isBatch =
        !shapeOf(argument).empty() && shapeOf(argument).front() == batch;
    places[argument] = isBatch ? placeInFront(argument) : Place();
  }
  for (Operation &op : block) {
    for (Value result : op.getResults()) {
      places[result] = classify(&op, result);
    }
  }
}

std::optional<int64_t> SampleBlocks::getBlockSize(Value value) const {
  if (batch == 1) {
    return elementCount(value);
  }
  Place place = places.lookup(value);
  return place.kind == Kind::Separate ? std::optional(place.blockSize)
                                      : std::nullopt;
}

bool SampleBlocks::areInFront(Value value) const {
  std::optional<int64_t> size = getBlockSize(value);
  return size && *size * batch == elementCount(value);
}

Operation *SampleBlocks::findMixing(Value value) const {
  if (getBlockSize(value)) {
    return nullptr;
  }
  Operation *op = value.getDefiningOp();
  while (op) {
    auto mixed = llvm::find_if(op->getOperands(),
                               [&](Value operand) { return isMixed(operand); });
    if (mixed == op->operand_end()) {
      return op;
    }
    op = (*mixed).getDefiningOp();
  }
  return nullptr;
}

SampleBlocks::Place SampleBlocks::placeInFront(Value value) const {
  return {Kind::Separate, elementCount(value) / batch};
}

SampleBlocks::Place SampleBlocks::classify(Operation *op, Value result) const {
  if (auto input = dyn_cast<InputOp>(op)) {
    return input.getName() == "seed" ? Place{Kind::Common, 0}
                                     : placeInFront(result);
  }
  if (llvm::any_of(op->getOperands(),
                   [&](Value operand) { return isMixed(operand); })) {
    return {};
  }
  if (llvm::all_of(op->getOperands(),
                   [&](Value operand) { return isCommon(operand); })) {
    return {Kind::Common, 0};
  }
  return classifySeparate(op, result);
}

SampleBlocks::Place SampleBlocks::classifySeparate(Operation *op,
                                                   Value result) const {
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    // Samples that are the same everywhere draw the same everywhere.
    if (isCommon(dropout.getSamples())) {
      return places.lookup(dropout.getOperand());
    }
    return isCommon(dropout.getOperand()) ? placeInFront(result)
                                          : places.lookup(dropout.getOperand());
  }
  bool keepsBlocks = isa<ReshapeOp>(op) || isElementwise(op);
  Place found;
  for (OpOperand &operand : op->getOpOperands()) {
    if (isCommon(operand.get())) {
      continue;
    }
    Place place = places.lookup(operand.get());
    if (!keepsBlocks) {
      auto axis =
          findSampleAxis(shapeOf(operand.get()), place.blockSize, batch);
      axis = axis ? carrySampleAxis(operand, *axis, result, batch) : axis;
      // A result of lower rank may not have the dimension.
      if (!axis || axis->dimension >= std::ssize(shapeOf(result))) {
        return {};
      }
      place.blockSize = accel::getBlockSize(shapeOf(result), *axis);
    }
    if (found.kind == Kind::Separate && found.blockSize != place.blockSize) {
      return {};
    }
    found = place;
  }
  return numbersSamples(op, result, found) ? Place() : found;
}

/// Whether `op`, with `result` at `place`, combines samples with what depends
/// on none, but is another number for each.
bool SampleBlocks::numbersSamples(Operation *op, Value result,
                                  Place place) const {
  auto axis = findSampleAxis(shapeOf(result), place.blockSize, batch);
  return axis && llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
           auto own = isCommon(operand.get())
                          ? traceSampleAxis(operand, *axis, result, batch)
                          : std::nullopt;
           return own && tellsSamplesApart(operand.get(), *own, batch);
         });
}

} // namespace accel
