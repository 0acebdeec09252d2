// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the arithmetic of an optimizer is written with: element-wise operations
// on the slots of one segment.
#ifndef ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SEGMENTARITHMETIC_H
#define ACCEL_DIALECTS_ACCEL_IR_OPTIMIZERS_SEGMENTARITHMETIC_H

#include "dialects/Accel/IR/Optimizers/UpdateBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace accel {

/// The learning rate and the weight decay of some segments: f64 scalars of a
/// step.
struct SegmentRates {
  mlir::Value rate;
  /// Null: the hyperparameter `weight_decay`.
  mlir::Value decay = nullptr;

  mlir::Value getDecay(ScalarBuilder &scalars) const {
    return decay ? decay : scalars.read("weight_decay");
  }
};

/// One trainable segment.
struct TrainedSegment {
  SegmentRefAttr segment;
  int64_t elements;
  OptimizerGroup group;
  /// What microbatches read it as; null: as its master.
  mlir::Type compute = nullptr;
  /// Which of the rates of a step are its own.
  unsigned rates = 0;

  bool isDecayed() const { return group == OptimizerGroup::Decayed; }
};

/// The arithmetic of an optimizer: scalars once per step, then the update of
/// every segment.
class SegmentOptimizer {
public:
  virtual ~SegmentOptimizer() = default;

  /// Builds the scalars of a step: `rates` are those of its segments, gradients
  /// are to be multiplied by `gradientFactor`. Advances the optimizer's
  /// counters.
  virtual void buildScalars(UpdateBuilder &scalars,
                            llvm::ArrayRef<SegmentRates> rates,
                            mlir::Value gradientFactor) = 0;

  /// Builds one run of element-wise operations that reads the slots of
  /// `segment` and writes them back.
  virtual void buildUpdate(UpdateBuilder &scalars,
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
/// optimizer keeps it, by the optimizer's name of it. What is written takes
/// effect as `scalars` says. Borrows: both arguments.
class SegmentBuilder : public ArithmeticBuilder {
public:
  SegmentBuilder(UpdateBuilder &scalars, const TrainedSegment &segment)
      : ArithmeticBuilder(scalars.getBuilder(), scalars.getLoc()),
        scalars(scalars), segment(segment),
        type(mlir::RankedTensorType::get({segment.elements},
                                         builder.getF32Type())) {}

  Value read(SlotRole role) { return readSlot(getSlot(role), type); }
  Value read(llvm::StringRef kept) { return readSlot(getSlot(kept), type); }
  /// The numbers that `slots` hold, in f32.
  Value read(const BlockCode &slots);
  /// Stores `value`, of f32, there.
  void write(const BlockCode &slots, Value value);
  /// Requires: the slot has been read. With the master goes what microbatches
  /// read of it, unless that has 8 bits.
  void write(SlotRole role, Value value);
  void write(llvm::StringRef kept, Value value) {
    writeSlot(getSlot(kept), value);
  }

  /// -1, 0 or 1; of what is no number, that.
  Value sign(Value operand);

  /// A scalar of type f32 in every element.
  Value repeat(Value scalar) { return ArithmeticBuilder::repeat(scalar, type); }

private:
  SlotAttr getSlot(SlotRole role) const {
    return SlotAttr::get(builder.getContext(), role);
  }
  SlotAttr getSlot(llvm::StringRef kept) const {
    return SlotAttr::getKept(builder.getContext(), kept);
  }
  Value readSlot(SlotAttr slot, mlir::Type slotType);
  Value writeSlot(SlotAttr slot, Value value);
  /// One number for each block, in every element of it.
  Value repeatBlocks(Value value, int64_t block);

  UpdateBuilder &scalars;
  /// What has been read; of codes the numbers.
  llvm::DenseMap<SlotAttr, Value> old;
  const TrainedSegment &segment;
  mlir::RankedTensorType type;
};

/// An f64 scalar, rounded once to the f32 that elements are computed in.
mlir::Value roundToF32(ScalarBuilder &scalars, mlir::Value value);

/// `build` of each of `rates`, rounded like that: `segment.rates` is the place
/// of a segment's own.
inline llvm::SmallVector<mlir::Value>
roundEach(ScalarBuilder &scalars, llvm::ArrayRef<SegmentRates> rates,
          llvm::function_ref<mlir::Value(const SegmentRates &)> build) {
  return llvm::map_to_vector(rates, [&](const SegmentRates &each) {
    return roundToF32(scalars, build(each));
  });
}

} // namespace accel

#endif
