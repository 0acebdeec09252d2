// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of single elements that the exporter computes of a parameter:
// which FX nodes stand for them, and what they give, to the bit.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDEDFUNCTIONS_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDEDFUNCTIONS_H

#include "frontends/onnx/Weights/FoldedRecipe.h"
#include "frontends/onnx/Weights/FolderArithmetic.h"

#include <string>
#include <vector>

namespace accel::onnx {

/// Whether an ATen operator is such a function.
bool isElementFunction(llvm::StringRef aten);

/// The functions that FX nodes with these operators called, sorted.
llvm::SmallVector<RecipeStep::Kind>
listFunctions(llvm::ArrayRef<std::string> operators);

/// Functions that are computed one after the other. Borrows both.
class FunctionChain {
public:
  FunctionChain(llvm::ArrayRef<RecipeStep::Kind> order,
                const FolderLibrary &library)
      : order(order), library(library) {}

  std::vector<uint32_t> compute(llvm::ArrayRef<uint32_t> numbers) const;
  std::vector<RecipeStep> listSteps() const;

  /// Takes the beta of the one Softplus with which `numbers`, in any order,
  /// become `results`. False if there is none, or no Softplus, or only one
  /// number, which some beta nearly always fits.
  bool fitBeta(llvm::ArrayRef<uint32_t> numbers,
               llvm::ArrayRef<uint32_t> results);

private:
  float apply(llvm::ArrayRef<RecipeStep::Kind> kinds, float x) const;
  float computeWith(float newBeta, float x);

  llvm::ArrayRef<RecipeStep::Kind> order;
  const FolderLibrary &library;
  float beta = 1.0f;
};

} // namespace accel::onnx

#endif
