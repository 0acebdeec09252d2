// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node or a few for each step, by operators that all operator sets have
// alike.
#include "frontends/onnx/Weights/RecipeNodes.h"

namespace accel::onnx {
namespace {

using Step = RecipeStep::Kind;

class RecipeNodes {
public:
  RecipeNodes(GraphAdditions &additions, const Recipe &recipe, size_t rank)
      : additions(additions), recipe(recipe), rank(rank) {}

  void add(const std::string &result) {
    std::string value = recipe.parameter;
    for (const RecipeStep &step : recipe.steps) {
      bool isLast = &step == &recipe.steps.back();
      std::string output =
          isLast ? result : additions.getFreshName(result + "_step");
      addStep(step, value, output);
      value = output;
    }
  }

private:
  void addStep(const RecipeStep &step, const std::string &value,
               const std::string &output);
  std::string addPlusOne(const std::string &value, const std::string &output) {
    std::string one = additions.addScalar(output + "_one", 1.0f);
    return addNode("Add", {value, one}, output).output(0);
  }
  void addSoftplus(float beta, const std::string &value,
                   const std::string &output);
  /// v * (g / norm(v))
  void addWeightNorm(const RecipeStep &step, const std::string &direction,
                     const std::string &output);

  pb::NodeProto &addNode(llvm::StringRef op, llvm::ArrayRef<std::string> inputs,
                         const std::string &output) {
    return additions.addNode("rebuild_" + output, op, inputs, output);
  }
  std::string addInner(llvm::StringRef op, llvm::ArrayRef<std::string> inputs,
                       std::string name) {
    return addNode(op, inputs, additions.getFreshName(std::move(name)))
        .output(0);
  }
  std::string addList(const std::string &name, llvm::ArrayRef<int64_t> values) {
    return additions.addIntegers(name, values,
                                 static_cast<int64_t>(values.size()));
  }

  GraphAdditions &additions;
  const Recipe &recipe;
  size_t rank;
};

} // namespace

void RecipeNodes::addStep(const RecipeStep &step, const std::string &value,
                          const std::string &output) {
  switch (step.kind) {
  case Step::Exp:
  case Step::Neg:
  case Step::Sigmoid:
  case Step::Log:
  case Step::Sqrt:
    addNode(getStepName(step.kind), {value}, output);
    break;
  case Step::Log1p:
    addNode("Log", {addPlusOne(value, additions.getFreshName(output + "_sum"))},
            output);
    break;
  case Step::Softplus:
    addSoftplus(step.beta, value, output);
    break;
  case Step::PlusOne:
    addPlusOne(value, output);
    break;
  case Step::OneMinus:
    addNode("Sub", {additions.addScalar(output + "_one", 1.0f), value}, output);
    break;
  case Step::WeightNorm:
    addWeightNorm(step, value, output);
    break;
  case Step::Transpose:
    addAttribute(addNode("Transpose", {value}, output), "perm",
                 llvm::ArrayRef(step.integers));
    break;
  case Step::Gather:
    addAttribute(
        addNode("Gather",
                {value, additions.addIntegers(output + "_rows", step.integers,
                                              step.shape)},
                output),
        "axis", step.axis);
    break;
  case Step::Reshape:
    addNode("Reshape", {value, addList(output + "_shape", step.integers)},
            output);
    break;
  }
}

void RecipeNodes::addSoftplus(float beta, const std::string &value,
                              const std::string &output) {
  if (beta == 1.0f) {
    addNode("Softplus", {value}, output);
    return;
  }
  std::string factor = additions.addScalar(output + "_beta", beta);
  std::string scaled = addInner("Mul", {value, factor}, output + "_scaled");
  std::string inner = addInner("Softplus", {scaled}, output + "_softplus");
  addNode("Div", {inner, factor}, output);
}

void RecipeNodes::addWeightNorm(const RecipeStep &step,
                                const std::string &direction,
                                const std::string &output) {
  std::vector<int64_t> axes;
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis) {
    if (axis != step.axis) {
      axes.push_back(axis);
    }
  }
  std::string squares =
      addInner("Mul", {direction, direction}, output + "_squares");
  std::string sums =
      addInner("ReduceSum", {squares, addList(output + "_axes", axes)},
               output + "_sums");
  std::string norms = addInner("Sqrt", {sums}, output + "_norms");
  std::string factors =
      addInner("Div", {recipe.scale, norms}, output + "_factors");
  addNode("Mul", {direction, factors}, output);
}

void addRecipe(GraphAdditions &additions, const Recipe &recipe, size_t rank,
               const std::string &result) {
  RecipeNodes(additions, recipe, rank).add(result);
}

} // namespace accel::onnx
