// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What planners ask of the target that they plan for. Only
// InsertPrecisionCasts, Fuse, PlaceGathers, AssignStreams, Memory and Lower do;
// docs/rationale/targets.md says what a new target must write.
#ifndef ACCEL_PASSES_TARGET_TARGET_H
#define ACCEL_PASSES_TARGET_TARGET_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Plan/IR/PlanOps.h"
#include "passes/Analysis/IterationDomain.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace accel {

/// An answer to "may I?": yes, or no and why.
class Decision {
public:
  static Decision yes() { return Decision(); }
  /// `reason` is a clause: "it has 96 operations, as many as registers hold".
  static Decision no(std::string reason) {
    Decision decision;
    decision.reason = std::move(reason);
    return decision;
  }

  explicit operator bool() const { return reason.empty(); }
  llvm::StringRef getReason() const { return reason; }

private:
  std::string reason;
};

/// What a target can do with floats of 8 bits.
enum class Fp8Support {
  None,     ///< it has no code for their products
  Emulated, ///< code computes with the same numbers, at the speed of others
  Native    ///< it has units for them
};

/// A kind of processor that code is made for.
struct CodeVariant {
  std::string name; ///< "x86-64-v3"
  plan::DeviceKind device = plan::DeviceKind::Cpu;
  std::string processor; ///< LLVM's name of what it is tuned for
  std::vector<std::string>
      features; ///< LLVM's names of what the processor must have, and, with
                ///< `fast-` in front, of what it is known to be fast with
  /// Into how many sums code cuts a reduction over neighbouring elements: the
  /// same in all variants of a plan, as it is part of what code computes.
  int64_t lanes = 0;
};

/// A stream of the plans that are made for a target.
struct PlannedStream {
  std::string name;
  plan::StreamKind kind = plan::StreamKind::Compute;
};

/// Operations that are to be one kernel, as far as the planner has come.
struct KernelCandidate {
  LoopKind kind = LoopKind::Rows;
  llvm::ArrayRef<mlir::Operation *> ops;
  int64_t rows = 0, columns = 0; ///< columns: 0 while no operation needs rows
};

/// Answers for all its variants: the least capable decides how the program is
/// planned. Its answers are functions of their arguments, so that equal
/// programs get equal plans.
/// Threads: answers may be asked for on any thread.
class Target {
public:
  virtual ~Target();

  /// The code variants of `program`, whose kernels are outlined; a run takes
  /// the first that it can execute.
  virtual llvm::SmallVector<CodeVariant>
  getVariants(mlir::ModuleOp program) const = 0;

  //===--------------------------------------------------------------------===//
  // Precision
  //===--------------------------------------------------------------------===//

  /// For operands with a scale for so many neighbours, or, if 0, for each whole
  /// tensor.
  virtual Fp8Support getFp8Support(int64_t block) const = 0;
  /// Whether the sums of products go to memory before anything is computed of
  /// them. Then they are rounded, as all is that kernels store for each other.
  virtual bool storesSums() const = 0;
  /// Whether convolutions store all that they sum in the type of what they
  /// read: gradients of weights as well, which other products store in f32.
  virtual bool roundsConvolutions() const = 0;
  /// What adds a vector to all rows of `product` before its sums are stored,
  /// and which of its operands that is; null if nothing does. The vector is
  /// read in the type that is stored.
  virtual mlir::OpOperand *getBias(MatmulOp product) const = 0;
  /// What is made of the sums of `product`, with their bias, before they are
  /// stored: a GELU, whose operand then is the sums before they are rounded, or
  /// GELU's gradient, whose `gradient` they are; null if nothing is.
  virtual mlir::Operation *getActivation(MatmulOp product) const = 0;

  //===--------------------------------------------------------------------===//
  // Fuse
  //===--------------------------------------------------------------------===//

  /// Whether `op` may become one more operation of `kernel`, whose loop can
  /// serve it. `readsRows`: it computes elements of a row of what the kernel
  /// makes of the whole row.
  virtual Decision mayJoin(const KernelCandidate &kernel, mlir::Operation *op,
                           bool readsRows) const = 0;
  /// Whether `op`, which works element by element, may be computed of the sums
  /// of `product` while they are close.
  virtual Decision mayFollow(MatmulOp product, mlir::Operation *op) const = 0;
  /// Whether the kernel of `op`, a product or an attention, reads `operand`
  /// where it lies, as a view of `root`; otherwise it gets a copy.
  virtual Decision readsInPlace(mlir::Operation *op, mlir::Value operand,
                                mlir::Value root) const = 0;
  /// Into rows of how many elements a kernel is cut that needs none, and whose
  /// accesses are runs of `columns`; `columns` itself if that is short enough.
  virtual int64_t getRowLength(int64_t columns) const = 0;
  /// Of a sum over `rows` for each of `columns`: the most rows that are added
  /// one after the other; `rows` if it need not be cut.
  virtual int64_t getSumLength(int64_t rows, int64_t columns) const = 0;
  /// Into how many equal parts the summed index of `product`, which sums the
  /// rows of both operands, had better be cut, whose sums are added behind it;
  /// 1: it is summed in one go.
  virtual int64_t getSummedParts(MatmulOp product) const = 0;
  /// From how many bytes on what forward computes element by element had better
  /// be computed again in backward than kept; 0: all of it is kept.
  virtual int64_t getRecomputedBytes() const = 0;
  /// Of how many elements the rows of `product`'s operands and result had
  /// better be a multiple; 1: any length will do.
  virtual int64_t getRowMultiple(MatmulOp product) const = 0;
  /// Whether `product` is only multiplied of operands whose summed index comes
  /// last.
  virtual bool wantsSummedLast(MatmulOp product) const = 0;
  /// Elements of the sums of `product` that are added in one go.
  virtual int64_t getSumBlock(MatmulOp product) const = 0;

  /// `kernel`'s entry in one of the variants: a plan::CodeAttr, which is the
  /// geometry of its code, or a plan::LibraryCallAttr. `mayUseTf32`: products
  /// of f32 may round their operands to TF32. Null after an error.
  virtual mlir::Attribute getEntry(mlir::func::FuncOp kernel,
                                   const CodeVariant &variant,
                                   bool mayUseTf32) const = 0;

  //===--------------------------------------------------------------------===//
  // Schedule and Memory
  //===--------------------------------------------------------------------===//

  /// The streams of a rank, in the order of the plan; each kind once.
  virtual llvm::ArrayRef<PlannedStream> getStreams() const = 0;

  /// Whose memory gathered parameters lie in: a device's own, or that of all
  /// ranks of a host.
  virtual plan::Space getGatheredSpace() const = 0;
  /// What buffers begin at multiples of, in bytes: a power of two, at least
  /// plan::kAlignment.
  virtual int64_t getAlignment() const = 0;
};

/// Finds the target of a list of variants, "x86-64-v4,x86-64-v3", or a short
/// form of one, "cpu". Null after `complain` was called with what was expected
/// and what was found.
const Target *
findTarget(llvm::StringRef list,
           llvm::function_ref<void(const llvm::Twine &)> complain);

/// The same for a pass: the complaint is an error on `op`.
const Target *findTarget(llvm::StringRef list, mlir::Operation *op);

/// Makes `target` known as `name`. Owns: the target, as long as the process
/// lives. Threads: before any target is looked up.
void registerTarget(llvm::StringRef name, std::unique_ptr<Target> target);

} // namespace accel

#endif
