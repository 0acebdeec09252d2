// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a constant follows from the parameters that the exporter computed it of:
// found from the names of the FX nodes that were folded, proven by computing
// its bits.
#ifndef ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDEDRECIPE_H
#define ACCEL_FRONTENDS_ONNX_WEIGHTS_FOLDEDRECIPE_H

#include "frontends/onnx/Weights/ValueLayout.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace accel::onnx {

/// A computation of what the step before it has made, the first one of the
/// parameter.
struct RecipeStep {
  enum class Kind {
    Exp,
    Neg,
    Sigmoid,
    Log,
    Log1p,
    Sqrt,
    Softplus,   ///< log(1 + exp(beta x)) / beta, and x where beta x > 20
    PlusOne,    ///< 1 + x
    OneMinus,   ///< 1 - x
    WeightNorm, ///< g * (x / its norm for each index of dimension `axis`),
                ///< where g is the recipe's other parameter
    Transpose,  ///< by the permutation `integers`
    Gather,     ///< of the rows `integers`, which have `shape`, along `axis`
    Reshape     ///< to `integers`
  };
  Kind kind;
  std::vector<int64_t> integers = {};
  std::vector<int64_t> shape = {};
  int64_t axis = 0;
  float beta = 1.0f;
};

llvm::StringRef getStepName(RecipeStep::Kind kind);

struct Recipe {
  std::string parameter; ///< what is computed with
  std::string scale;     ///< g of a weight norm, or empty
  std::vector<RecipeStep> steps;
};

/// A parameter as the user saved it.
struct SavedValue {
  std::string name;
  TensorView tensor; ///< f32
};

/// What is known of a constant.
struct FoldedConstant {
  TensorView value; ///< f32
  /// ATen operators: the names of the FX nodes without their numbers.
  llvm::SmallVector<std::string> operators;
  /// Tensors of integers that were folded with it.
  std::vector<std::vector<int64_t>> indices;
};

/// `exp_2` is a node that calls aten.exp: "exp".
llvm::StringRef getOperatorOfFxNode(llvm::StringRef name);

/// The recipe that gives the constant's bits. Errors say what was tried and
/// where it differs.
llvm::Expected<Recipe> findRecipe(llvm::ArrayRef<SavedValue> parameters,
                                  const FoldedConstant &constant);

} // namespace accel::onnx

#endif
