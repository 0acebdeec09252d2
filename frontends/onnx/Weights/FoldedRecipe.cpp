// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of FX nodes say which operators there were, not in which order, and
// nothing about what they were told: those are searched for.
#include "frontends/onnx/Weights/FoldedRecipe.h"

#include "frontends/onnx/Weights/FoldedFunctions.h"
#include "frontends/onnx/Weights/FolderArithmetic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

namespace accel::onnx {
namespace {

using Step = RecipeStep::Kind;

/// Operators that move elements or copy them, and what the exporter adds on the
/// way from ATen to ONNX.
constexpr llvm::StringLiteral movers[] = {"_to_copy",
                                          "_unsafe_view",
                                          "alias",
                                          "beta",
                                          "beta_cast",
                                          "beta_0_cast",
                                          "clone",
                                          "const",
                                          "const_cast",
                                          "contiguous",
                                          "detach",
                                          "flatten",
                                          "permute",
                                          "reshape",
                                          "scalar_tensor",
                                          "self_scaled",
                                          "squeeze",
                                          "t",
                                          "threshold",
                                          "threshold_cast",
                                          "tmp",
                                          "to",
                                          "transpose",
                                          "unflatten",
                                          "unsqueeze",
                                          "val",
                                          "view",
                                          "expand",
                                          "scalar_tensor_default",
                                          "lift_fresh",
                                          "lifted_tensor",
                                          "shape",
                                          "value",
                                          "lift_fresh_copy"};
constexpr llvm::StringLiteral permuters[] = {"permute", "t", "transpose"};

/// Those that choose elements by index.
constexpr llvm::StringLiteral choosers[] = {"embedding",    "gather", "index",
                                            "index_select", "select", "slice"};

/// Those that compute indices. None of them may have been applied to what was
/// read; that, with these, changes no bit where it is done to a table. What
/// limits values without changing most of them, as clamp does, is not here.
constexpr llvm::StringLiteral indexers[] = {"abs",
                                            "add",
                                            "arange",
                                            "bitwise_not",
                                            "cat",
                                            "copy",
                                            "cumsum",
                                            "div",
                                            "eq",
                                            "fill",
                                            "floor",
                                            "floor_divide",
                                            "full",
                                            "full_like",
                                            "ge",
                                            "gt",
                                            "le",
                                            "log",
                                            "log2",
                                            "logical_and",
                                            "logical_not",
                                            "logical_or",
                                            "lt",
                                            "maximum",
                                            "minimum",
                                            "mul",
                                            "ne",
                                            "neg",
                                            "ones",
                                            "ones_like",
                                            "pow",
                                            "remainder",
                                            "repeat",
                                            "round",
                                            "select_scatter",
                                            "sign",
                                            "slice_scatter",
                                            "stack",
                                            "sub",
                                            "sum",
                                            "rsub",
                                            "trunc",
                                            "upsample_bilinear2d",
                                            "where",
                                            "zeros",
                                            "zeros_like",
                                            "ceil"};

template <size_t N>
bool isOneOf(llvm::StringRef name, const llvm::StringLiteral (&list)[N]) {
  return llvm::is_contained(list, name);
}

class RecipeFinder {
public:
  RecipeFinder(llvm::ArrayRef<SavedValue> parameters,
               const FoldedConstant &constant)
      : parameters(parameters), constant(constant) {}

  llvm::Expected<Recipe> run() {
    if (constant.value.bits.empty() ||
        llvm::any_of(parameters, [](const SavedValue &each) {
          return each.tensor.bits.empty();
        })) {
      return llvm::createStringError("expected elements, got none");
    }
    if (parameters.size() == 2) {
      return findWeightNorm();
    }
    if (parameters.size() > 2) {
      return llvm::createStringError(
          "functions of more than two parameters are not computed again");
    }
    bool chooses = llvm::any_of(constant.operators, [](const auto &name) {
      return isOneOf(name, choosers);
    });
    return chooses ? findChoice() : findFunction();
  }

private:
  llvm::Expected<Recipe> findChoice();
  llvm::Expected<Recipe> findFunction();
  llvm::Expected<Recipe> findOrdered(llvm::ArrayRef<Step> order);
  llvm::Expected<Recipe> findWeightNorm();
  /// The constant as the elements `computed` of `steps`, moved.
  llvm::Expected<Recipe> findMoved(const SavedValue &parameter,
                                   llvm::ArrayRef<uint32_t> computed,
                                   std::vector<RecipeStep> steps);
  /// An error if an operator is in none of the lists.
  llvm::Error
  checkOperators(llvm::function_ref<bool(llvm::StringRef)> isKnown) const;
  void addReshape(Recipe &recipe, bool isNeeded) const {
    if (isNeeded || recipe.steps.empty()) {
      recipe.steps.push_back({Step::Reshape, constant.value.shape});
    }
  }

  llvm::ArrayRef<SavedValue> parameters;
  const FoldedConstant &constant;
};

llvm::Error RecipeFinder::checkOperators(
    llvm::function_ref<bool(llvm::StringRef)> isKnown) const {
  for (const std::string &name : constant.operators) {
    if (!isOneOf(name, movers) && !isKnown(name)) {
      return llvm::createStringError("it was computed with '" + name +
                                     "', which is not computed again");
    }
  }
  return llvm::Error::success();
}

/// The steps that move the rows of a choice to where the constant has them.
llvm::Expected<Recipe> RecipeFinder::findChoice() {
  if (llvm::Error error = checkOperators([](llvm::StringRef name) {
        return isOneOf(name, choosers) || isOneOf(name, indexers);
      })) {
    return error;
  }
  const SavedValue &parameter = parameters.front();
  llvm::Expected<RowChoice> choice =
      findRows(parameter.tensor, constant.value, constant.indices);
  if (!choice) {
    return choice.takeError();
  }
  bool isVector = parameter.tensor.bits.size() ==
                  static_cast<size_t>(parameter.tensor.shape[choice->axis]);
  auto rank = static_cast<int64_t>(choice->shape.size());
  Recipe recipe{parameter.name, "", {}};
  std::vector<int64_t> indexShape = choice->shape;
  if (indexShape.empty()) {
    indexShape.push_back(1);
  }
  recipe.steps.push_back(
      {Step::Gather, choice->indices, indexShape, choice->axis});
  // Indices stand where the axis was, rows along the last or first dimension.
  int64_t from = choice->axis == 0 ? rank : 0,
          to = static_cast<int64_t>(choice->position);
  if (!isVector && rank > 0 && from != to) {
    std::vector<int64_t> permutation;
    for (int64_t dim = 0; dim <= rank; ++dim) {
      if (dim != from) {
        permutation.push_back(dim);
      }
    }
    permutation.insert(permutation.begin() + to, from);
    recipe.steps.push_back({Step::Transpose, std::move(permutation)});
  }
  addReshape(recipe, true);
  return recipe;
}

llvm::Expected<Recipe>
RecipeFinder::findMoved(const SavedValue &parameter,
                        llvm::ArrayRef<uint32_t> computed,
                        std::vector<RecipeStep> steps) {
  bool permutes = llvm::any_of(constant.operators, [](const auto &name) {
    return isOneOf(name, permuters);
  });
  TensorView from{parameter.tensor.shape, computed};
  llvm::Expected<std::vector<int64_t>> order =
      findOrder(from, constant.value, permutes);
  if (!order) {
    return order.takeError();
  }
  Recipe recipe{parameter.name, "", std::move(steps)};
  std::vector<int64_t> shape;
  for (int64_t dim : *order) {
    shape.push_back(from.shape[dim]);
  }
  if (!llvm::is_sorted(*order)) {
    recipe.steps.push_back({Step::Transpose, *order});
  }
  addReshape(recipe, constant.value.shape != llvm::ArrayRef(shape));
  return recipe;
}

/// `Neg(Exp(it))`
std::string describe(llvm::ArrayRef<Step> order) {
  std::string text = "it";
  for (Step kind : order) {
    text = (getStepName(kind) + "(" + text + ")").str();
  }
  if (llvm::is_contained(order, Step::Softplus)) {
    text += " with threshold 20";
  }
  return text;
}

llvm::Expected<Recipe> RecipeFinder::findFunction() {
  if (llvm::Error error = checkOperators(isElementFunction)) {
    return error;
  }
  llvm::SmallVector<Step> order = listFunctions(constant.operators);
  constexpr size_t mostFunctions = 4;
  if (order.size() > mostFunctions) {
    return llvm::createStringError(
        "more than four functions of a parameter are not computed again");
  }
  llvm::sort(order);
  llvm::SmallVector<Recipe> found;
  std::string tried;
  do {
    llvm::Expected<Recipe> recipe = findOrdered(order);
    if (recipe) {
      found.push_back(std::move(*recipe));
      continue;
    }
    tried += (tried.empty() ? "as " : "; as ") + describe(order) + ", " +
             llvm::toString(recipe.takeError());
  } while (std::next_permutation(order.begin(), order.end()));
  if (found.empty()) {
    return llvm::createStringError(tried);
  }
  if (found.size() > 1) {
    return llvm::createStringError(
        "its functions have these bits in several orders, so that it is not "
        "certain which one it was");
  }
  return found.front();
}

/// The functions one after the other, as any of the libraries has them.
llvm::Expected<Recipe> RecipeFinder::findOrdered(llvm::ArrayRef<Step> order) {
  const SavedValue &parameter = parameters.front();
  std::string firstError;
  auto find = [&](const FunctionChain &chain) -> std::optional<Recipe> {
    llvm::Expected<Recipe> recipe = findMoved(
        parameter, chain.compute(parameter.tensor.bits), chain.listSteps());
    if (recipe) {
      return *recipe;
    }
    std::string error = llvm::toString(recipe.takeError());
    firstError = firstError.empty() ? error : firstError;
    return std::nullopt;
  };
  for (const FolderLibrary &library : getFolderLibraries()) {
    FunctionChain chain(order, library);
    std::optional<Recipe> recipe = find(chain);
    if (!recipe && chain.fitBeta(parameter.tensor.bits, constant.value.bits)) {
      recipe = find(chain);
    }
    if (recipe) {
      return *recipe;
    }
  }
  return llvm::createStringError(firstError);
}

/// The dimension of `shape` that a scale of shape `scale` is for: the first or
/// the last, which has its size.
std::optional<size_t> findKept(llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<int64_t> scale) {
  if (shape.size() != scale.size() || shape.empty()) {
    return std::nullopt;
  }
  for (size_t kept : {size_t(0), shape.size() - 1}) {
    std::vector<int64_t> expected(shape.size(), 1);
    expected[kept] = shape[kept];
    if (scale == llvm::ArrayRef(expected)) {
      return kept;
    }
  }
  return std::nullopt;
}

llvm::Expected<Recipe> RecipeFinder::findWeightNorm() {
  constexpr llvm::StringLiteral parts[] = {"linalg_vector_norm", "div", "mul",
                                           "norm"};
  if (llvm::Error error = checkOperators(
          [&](llvm::StringRef name) { return isOneOf(name, parts); })) {
    return error;
  }
  bool isFirst = parameters[0].tensor.bits.size() == constant.value.bits.size();
  const SavedValue &direction = parameters[isFirst ? 0 : 1],
                   &scale = parameters[isFirst ? 1 : 0];
  std::optional<size_t> kept =
      findKept(direction.tensor.shape, scale.tensor.shape);
  if (!kept || !llvm::is_contained(constant.operators, "div") ||
      !llvm::is_contained(constant.operators, "mul")) {
    return llvm::createStringError(
        "of functions of two parameters only the weight norm over all "
        "dimensions but the first or the last is computed again");
  }
  std::vector<float> values;
  for (uint32_t bits : direction.tensor.bits) {
    values.push_back(llvm::bit_cast<float>(bits));
  }
  std::vector<float> factors =
      computeNorms(values, direction.tensor.shape, *kept);
  for (auto [i, factor] : llvm::enumerate(factors)) {
    factor = llvm::bit_cast<float>(scale.tensor.bits[i]) / factor;
  }
  const size_t norms = factors.size(), each = values.size() / norms;
  std::vector<uint32_t> computed;
  for (auto [i, value] : llvm::enumerate(values)) {
    float factor = factors[*kept == 0 ? i / each : i % norms];
    computed.push_back(llvm::bit_cast<uint32_t>(value * factor));
  }
  llvm::Expected<Recipe> recipe =
      findMoved(direction, computed,
                {{Step::WeightNorm, {}, {}, static_cast<int64_t>(*kept)}});
  if (!recipe) {
    return llvm::createStringError("as a weight norm, " +
                                   llvm::toString(recipe.takeError()));
  }
  recipe->scale = scale.name;
  return recipe;
}

} // namespace

llvm::StringRef getStepName(Step kind) {
  switch (kind) {
  case Step::Exp:
    return "Exp";
  case Step::Neg:
    return "Neg";
  case Step::Sigmoid:
    return "Sigmoid";
  case Step::Log:
    return "Log";
  case Step::Log1p:
    return "Log1p";
  case Step::Sqrt:
    return "Sqrt";
  case Step::Softplus:
    return "Softplus";
  case Step::PlusOne:
    return "1 + ";
  case Step::OneMinus:
    return "1 - ";
  case Step::WeightNorm:
    return "WeightNorm";
  case Step::Transpose:
    return "Transpose";
  case Step::Gather:
    return "Gather";
  case Step::Reshape:
    return "Reshape";
  }
  llvm_unreachable("all kinds have names");
}

llvm::StringRef getOperatorOfFxNode(llvm::StringRef name) {
  while (true) {
    auto [front, number] = name.rsplit('_');
    if (front.empty() || number.empty() ||
        !llvm::all_of(number, llvm::isDigit)) {
      return name;
    }
    name = front;
  }
}

llvm::Expected<Recipe> findRecipe(llvm::ArrayRef<SavedValue> parameters,
                                  const FoldedConstant &constant) {
  return RecipeFinder(parameters, constant).run();
}

} // namespace accel::onnx
