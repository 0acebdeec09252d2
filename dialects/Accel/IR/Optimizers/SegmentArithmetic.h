// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the arithmetic of an optimizer is written with: element-wise operations
// on the slots of one segment.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SEGMENTARITHMETIC_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SEGMENTARITHMETIC_H

#include "dialects/Accel/IR/ScalarBuilder.h"

namespace accel {

/// One trainable segment.
struct TrainedSegment {
  SegmentRefAttr segment;
  int64_t elements;
  OptimizerGroup group;

  bool isDecayed() const { return group == OptimizerGroup::Decayed; }
};

/// The arithmetic of an optimizer: scalars once per step, then the update of
/// every segment.
class SegmentOptimizer {
public:
  virtual ~SegmentOptimizer() = default;

  /// Builds the scalars of a step: `rate` is its learning rate, gradients are
  /// to be multiplied by `gradientFactor`. Advances the optimizer's counters.
  virtual void buildScalars(ScalarBuilder &scalars, mlir::Value rate,
                            mlir::Value gradientFactor) = 0;

  /// Builds one run of element-wise operations that reads the slots of
  /// `segment` and writes them back.
  virtual void buildUpdate(ScalarBuilder &scalars,
                           const TrainedSegment &segment) = 0;
};

/// Two slots that hold numbers as 8-bit codes: numbers over the scale of their
/// block, which is the largest magnitude there.
struct BlockCode {
  llvm::StringLiteral codes;
  llvm::StringLiteral scales;
  ByteCode code;
  int64_t block; ///< elements with one scale
};

/// Element-wise f32 arithmetic on the slots of one segment; scalars are
/// repeated where they are used. A slot is named by its role or, if the
/// optimizer keeps it, by the optimizer's name of it. Borrows: both arguments.
class SegmentBuilder : public ArithmeticBuilder {
public:
  SegmentBuilder(ScalarBuilder &scalars, const TrainedSegment &segment)
      : ArithmeticBuilder(scalars.getBuilder(), scalars.getLoc()),
        segment(segment), type(mlir::RankedTensorType::get(
                              {segment.elements}, builder.getF32Type())) {}

  Value read(SlotRole role) {
    return create<ReadOp>(type, getName(SlotAttr::get(getContext(), role)));
  }
  Value read(llvm::StringRef kept) {
    return create<ReadOp>(type, getKeptName(kept));
  }
  /// The numbers that `slots` hold, in f32.
  Value read(const BlockCode &slots);
  /// Stores `value`, of f32, there.
  void write(const BlockCode &slots, Value value);
  void write(SlotRole role, Value value) {
    WriteOp::create(builder, loc, getName(SlotAttr::get(getContext(), role)),
                    value);
  }
  void write(llvm::StringRef kept, Value value) {
    WriteOp::create(builder, loc, getKeptName(kept), value);
  }

  /// -1, 0 or 1; of what is no number, that.
  Value sign(Value operand);

  /// A scalar of type f32 in every element.
  Value repeat(Value scalar) {
    return create<BroadcastOp>(type, scalar, llvm::ArrayRef<int64_t>{});
  }

private:
  mlir::MLIRContext *getContext() const { return builder.getContext(); }
  /// The symbols of the segment's slots.
  std::string getName(SlotAttr slot) const {
    return segment.segment.getSlotName(slot);
  }
  std::string getKeptName(llvm::StringRef kept) const {
    return getName(SlotAttr::getKept(getContext(), kept));
  }

  /// One number for each block, in every element of it.
  Value repeatBlocks(Value value, int64_t block);

  const TrainedSegment &segment;
  mlir::RankedTensorType type;
};

/// An f64 scalar, rounded once to the f32 that elements are computed in.
mlir::Value roundToF32(ScalarBuilder &scalars, mlir::Value value);

/// Multiplies the counter `power` by `base` and returns it.
mlir::Value advancePower(ScalarBuilder &scalars, llvm::StringRef power,
                         mlir::Value base);

} // namespace accel

#endif
