// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The weights of a forward program and the products that read them.
#ifndef ACCEL_PASSES_IMPORT_WEIGHTPRODUCTS_H
#define ACCEL_PASSES_IMPORT_WEIGHTPRODUCTS_H

#include "dialects/Accel/IR/AccelOps.h"
#include "dialects/Accel/IR/Adapters.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace accel {

/// A parameter that is a weight: a matrix, or called so.
struct WeightUse {
  ParameterOp parameter;
  /// Of which it is the right operand, in program order.
  llvm::SmallVector<MatmulOp, 1> products;
  mlir::Operation *other = nullptr; ///< the first that reads it otherwise
  /// Some product of it reaches another weight's: it is no output head.
  bool isFollowed = false;

  explicit WeightUse(ParameterOp parameter) : parameter(parameter) {}

  /// Whether it is called as the weight of a layer; else it is a parameter that
  /// stands for itself, as the projection of PyTorch's MultiheadAttention.
  bool isLayer() const {
    return getModule().size() < ParameterOp(parameter).getSymName().size();
  }
  llvm::StringRef getModule() const {
    return getModuleOfWeight(ParameterOp(parameter).getSymName());
  }
  mlir::RankedTensorType getType() const {
    return llvm::cast<mlir::RankedTensorType>(ParameterOp(parameter).getType());
  }
  /// Whether products alone read it, all of one module of the user's program
  /// and in one orientation, in f32.
  bool isAdaptable() const;
  /// Why it is not: `an embedding reads as well`.
  std::string describeObstacle() const;
  /// Requires: isAdaptable().
  bool isFanInFanOut() const {
    return !MatmulOp(products.front()).getTransposeRhs();
  }
  int64_t getIn() const {
    return getType().getDimSize(isFanInFanOut() ? 0 : 1);
  }
  int64_t getOut() const {
    return getType().getDimSize(isFanInFanOut() ? 1 : 0);
  }
  /// The modules of the user's program that multiply by it, as far as locations
  /// tell, each once.
  llvm::SmallVector<std::string, 2> getScopes() const;

private:
  bool hasOneOrientation() const;
};

/// All of a module, in its order. Borrows: the module.
class WeightProducts {
public:
  WeightProducts(mlir::ModuleOp module, mlir::func::FuncOp forward);

  std::vector<WeightUse> &getAll() { return uses; }
  /// By the name of its module; null: there is none.
  WeightUse *find(llvm::StringRef module);
  /// Whether it is the output layer of PyTorch's MultiheadAttention, which
  /// reads the weight itself: a wrapper around the layer is never called.
  bool isReadByAttention(const WeightUse &use);
  /// Modules that adapters can be added to, those first whose names are like
  /// `wanted`. A star stands for any number: `'h.*.mlp.fc'`.
  std::string listModules(llvm::StringRef wanted) const;

private:
  void findFollowed(mlir::Block &body);

  std::vector<WeightUse> uses;
  llvm::StringMap<size_t> bySymbol;
};

} // namespace accel

#endif
