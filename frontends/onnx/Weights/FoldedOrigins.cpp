// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function per kind of evidence. The names of FX nodes are those of the
// ATen operators that they call, so they tell what was computed; what an
// operator was told (dimensions, sizes) was folded with it and is lost.
#include "frontends/onnx/Weights/FoldedOrigins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace accel::onnx {
namespace {

using Kind = RecoveredParameter::Kind;

RecoveredParameter makeHolder(const pb::TensorProto &tensor,
                              llvm::StringRef parameter, Kind kind) {
  RecoveredParameter holder;
  holder.kind = kind;
  holder.initializer = holder.source = tensor.name();
  holder.parameter = parameter.str();
  holder.transposed = kind == Kind::Transposed;
  return holder;
}

RecoveredParameter makeReshaped(const pb::TensorProto &tensor,
                                llvm::StringRef parameter,
                                std::vector<int64_t> shape) {
  RecoveredParameter holder = makeHolder(tensor, parameter, Kind::Reshaped);
  holder.folding = Folding{std::move(shape)};
  return holder;
}

std::vector<int64_t> getShape(const pb::TensorProto &tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

int64_t countElements(const pb::TensorProto &tensor) {
  int64_t count = 1;
  for (int64_t dim : tensor.dims()) {
    count *= dim;
  }
  return count;
}

/// Whether every use has a call that passes some parameter in that place, one
/// of them this one: the others read parameters that were merged with it.
bool isPassedAs(const pb::TensorProto &tensor, llvm::StringRef parameter,
                const GraphIndex &index, const GraphSignature &signature,
                llvm::function_ref<bool(const GraphIndex::Use &)> isOperator) {
  bool isRead = false;
  for (const GraphIndex::Use &use : index.getUses(tensor.name())) {
    std::string passed =
        findExpectedParameter(*use.node, use.input, "", signature);
    if (passed.empty() || !isOperator(use)) {
      return false;
    }
    isRead |= passed == parameter;
  }
  return isRead;
}

/// Scales that PyTorch takes as vectors and ONNX as something that broadcasts.
bool isVectorUse(const GraphIndex::Use &use) {
  std::optional<FxCall> call = getFxCall(*use.node);
  llvm::StringRef op = use.node->op_type();
  return call && ((call->isAten("prelu") && op == "PRelu") ||
                  (call->isAten("group_norm") && (op == "Mul" || op == "Add")));
}

/// Where `aten.index` is given indices, which are tensors or None. GatherND
/// wants the dimensions that are indexed in front.
enum class IndexedDimensions { Leading, Second, Others };

IndexedDimensions findIndexed(const GraphIndex::Use &use) {
  std::optional<FxCall> call = getFxCall(*use.node);
  bool hasBatch =
      llvm::any_of(use.node->attribute(), [](const pb::AttributeProto &each) {
        return each.name() == "batch_dims" && each.i() != 0;
      });
  if (!call || !call->isAten("index") || call->arguments.size() != 2 ||
      use.node->op_type() != "GatherND" || hasBatch) {
    return IndexedDimensions::Others;
  }
  llvm::StringRef list = call->arguments[1];
  if (!list.consume_front("[") || !list.consume_back("]")) {
    return IndexedDimensions::Others;
  }
  llvm::SmallVector<llvm::StringRef> indices;
  list.split(indices, ',');
  auto isIndex = [](llvm::StringRef each) {
    return each.trim().starts_with("%");
  };
  auto isNone = [](llvm::StringRef each) { return each.trim() == "None"; };
  auto rest = llvm::drop_begin(indices, llvm::find_if_not(indices, isIndex) -
                                            indices.begin());
  if (isIndex(indices.front()) && llvm::all_of(rest, isNone)) {
    return IndexedDimensions::Leading;
  }
  return indices.size() == 2 && isNone(indices[0]) && isIndex(indices[1])
             ? IndexedDimensions::Second
             : IndexedDimensions::Others;
}

std::optional<RecoveredParameter> findByUse(const pb::TensorProto &tensor,
                                            llvm::StringRef parameter,
                                            const GraphIndex &index,
                                            const GraphSignature &signature) {
  auto isPassed = [&](llvm::function_ref<bool(const GraphIndex::Use &)> is) {
    return isPassedAs(tensor, parameter, index, signature, is);
  };
  auto isIndexed = [&](IndexedDimensions dimensions) {
    return isPassed([&](const GraphIndex::Use &use) {
      return findIndexed(use) == dimensions;
    });
  };
  if (isPassed(isVectorUse)) {
    return makeReshaped(tensor, parameter, {countElements(tensor)});
  }
  if (isIndexed(IndexedDimensions::Leading)) {
    return makeReshaped(tensor, parameter, getShape(tensor));
  }
  if (tensor.dims_size() == 2 && isIndexed(IndexedDimensions::Second)) {
    return makeHolder(tensor, parameter, Kind::Transposed);
  }
  return std::nullopt;
}

/// Names of constants that the exporter made on the way from an ATen operator
/// to ONNX's.
bool isInnerName(llvm::StringRef name) { return isFxNodeName(name, "val"); }

/// The parameter's shape if nothing but dimensions of size 1 was put in, each
/// by an operator of its own, and there are no others of that size.
std::optional<std::vector<int64_t>>
undoUnsqueeze(const pb::TensorProto &tensor, llvm::StringRef parameter,
              llvm::ArrayRef<std::string> origins) {
  auto isUnsqueeze = [](llvm::StringRef name) {
    return isFxNodeName(name, "unsqueeze");
  };
  bool isAlone = llvm::all_of(origins, [&](llvm::StringRef origin) {
    return origin == parameter || isInnerName(origin) || isUnsqueeze(origin);
  });
  int64_t inserted = 1 + llvm::count_if(origins, isUnsqueeze);
  std::vector<int64_t> shape = getShape(tensor);
  if (!isUnsqueeze(tensor.name()) || !isAlone ||
      llvm::count(shape, 1) != inserted) {
    return std::nullopt;
  }
  llvm::erase(shape, 1);
  return shape;
}

std::optional<RecoveredParameter>
findByName(const pb::TensorProto &tensor, llvm::StringRef parameter,
           llvm::ArrayRef<std::string> origins, const GraphIndex &index) {
  llvm::StringRef name = tensor.name();
  bool isTranspose =
      llvm::any_of(llvm::ArrayRef<llvm::StringRef>{"permute", "t", "transpose"},
                   [&](llvm::StringRef op) { return isFxNodeName(name, op); });
  if (isTranspose && origins.size() == 1 && tensor.dims_size() == 2) {
    return makeHolder(tensor, parameter, Kind::Transposed);
  }
  if (isFxNodeName(name, "alias") && origins.size() == 1) {
    return makeReshaped(tensor, parameter, getShape(tensor));
  }
  if (auto shape = undoUnsqueeze(tensor, parameter, origins)) {
    return makeReshaped(tensor, parameter, *shape);
  }
  // 1 + w. What is left of the parameter is 1 + w - 1; where the parameter is
  // there as well, nobody needs it.
  bool isSum = isFxNodeName(name, "add") && origins.size() == 2 &&
               tensor.data_type() == pb::TensorProto::FLOAT &&
               tensor.dims_size() > 0 && !index.findInitializer(parameter);
  if (isSum && index.isOne(origins[0] == parameter ? origins[1] : origins[0])) {
    RecoveredParameter holder = makeHolder(tensor, parameter, Kind::Shifted);
    holder.folding = Folding{getShape(tensor), 1.0};
    return holder;
  }
  return std::nullopt;
}

} // namespace

bool isFxNodeName(llvm::StringRef name, llvm::StringRef operatorName) {
  if (!name.consume_front(operatorName)) {
    return false;
  }
  return name.empty() || (name.consume_front("_") && !name.empty() &&
                          llvm::all_of(name, llvm::isDigit));
}

std::optional<RecoveredParameter>
findFoldedParameter(const pb::TensorProto &tensor, llvm::StringRef parameter,
                    llvm::ArrayRef<std::string> origins,
                    const GraphIndex &index, const GraphSignature &signature) {
  if (auto holder = findByUse(tensor, parameter, index, signature)) {
    return holder;
  }
  auto holder = findByName(tensor, parameter, origins, index);
  if (holder) {
    holder->isNamedByNode = true;
  }
  return holder;
}

} // namespace accel::onnx
