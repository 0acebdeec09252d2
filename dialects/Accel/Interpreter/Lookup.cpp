// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What table look-ups and sums into tables compute.
#include "dialects/Accel/Interpreter/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace accel {
namespace {

/// Fails with an error that names the first index outside [lowest, size).
LogicalResult checkIndices(Operation *op, ArrayRef<int64_t> indices,
                           int64_t lowest, int64_t size) {
  for (auto [element, index] : llvm::enumerate(indices)) {
    if (index < lowest || index >= size) {
      return op->emitOpError()
             << "cannot be evaluated: expected indices in [" << lowest << ", "
             << size << "), got " << index << " at element " << element;
    }
  }
  return success();
}

/// Copies slice `from` of `in` to slice `to` of `out`, both cut into slices of
/// `size` elements.
void copySlice(const HostTensor &in, int64_t from, HostTensor &out, int64_t to,
               int64_t size) {
  if (out.isFloat()) {
    llvm::copy(in.floats().slice(from * size, size),
               out.mutableFloats().slice(to * size, size).begin());
  } else {
    llvm::copy(in.integers().slice(from * size, size),
               out.mutableIntegers().slice(to * size, size).begin());
  }
}

Evaluation evaluateGather(GatherOp op, OperandsOf<GatherOp> operands) {
  HostTensor table = operands.getTable();
  HostTensor indices = operands.getIndices();
  int64_t rows = table.getShape()[0];
  if (failed(checkIndices(op, indices.integers(), 0, rows))) {
    return FailureOr<HostTensors>(failure());
  }
  HostTensor result(op.getType());
  int64_t size = ShapedType::getNumElements(table.getShape().drop_front());
  for (auto [element, row] : llvm::enumerate(indices.integers())) {
    copySlice(table, row, result, element, size);
  }
  return HostTensors{result};
}

Evaluation evaluateScatterAdd(ScatterAddOp op,
                              OperandsOf<ScatterAddOp> operands) {
  HostTensor result(op.getType());
  HostTensor indices = operands.getIndices();
  HostTensor updates = operands.getUpdates();
  if (failed(checkIndices(op, indices.integers(), 0, result.getShape()[0]))) {
    return FailureOr<HostTensors>(failure());
  }
  int64_t size = ShapedType::getNumElements(result.getShape().drop_front());
  MutableArrayRef<double> out = result.mutableFloats();
  for (auto [element, row] : llvm::enumerate(indices.integers())) {
    for (int64_t i = 0; i < size; ++i) {
      out[row * size + i] += updates.floats()[element * size + i];
    }
  }
  return HostTensors{result};
}

/// Every tuple of indices of the last dimension as a position in the operand,
/// counted in slices without the dimensions that a tuple chooses.
class TupleReader {
public:
  TupleReader(GatherNdOp op, const HostTensor &operand,
              const HostTensor &indices)
      : op(op), indices(indices.integers()),
        tupleSize(indices.getShape().back()),
        chosen(operand.getShape().slice(op.getBatchDims(), tupleSize)) {
    int64_t batches = ShapedType::getNumElements(
        operand.getShape().take_front(op.getBatchDims()));
    int64_t tuples = ShapedType::getNumElements(indices.getShape().drop_back());
    tuplesPerBatch = batches == 0 ? 0 : tuples / batches;
  }

  FailureOr<int64_t> getSlice(int64_t tuple) const {
    int64_t slice = tuple / tuplesPerBatch;
    for (int64_t i = 0; i < tupleSize; ++i) {
      int64_t index = indices[tuple * tupleSize + i];
      if (failed(checkIndices(op, index, -chosen[i], chosen[i]))) {
        return failure();
      }
      slice = slice * chosen[i] + (index < 0 ? index + chosen[i] : index);
    }
    return slice;
  }

private:
  GatherNdOp op;
  ArrayRef<int64_t> indices;
  int64_t tupleSize;
  ArrayRef<int64_t> chosen;
  int64_t tuplesPerBatch;
};

Evaluation evaluateGatherNd(GatherNdOp op, OperandsOf<GatherNdOp> operands) {
  HostTensor operand = operands.getOperand();
  HostTensor indices = operands.getIndices();
  HostTensor result(op.getType());
  int64_t tuples = ShapedType::getNumElements(indices.getShape().drop_back());
  int64_t size = tuples == 0 ? 0 : result.getNumElements() / tuples;
  TupleReader reader(op, operand, indices);
  for (int64_t tuple = 0; tuple < tuples; ++tuple) {
    FailureOr<int64_t> slice = reader.getSlice(tuple);
    if (failed(slice)) {
      return FailureOr<HostTensors>(failure());
    }
    copySlice(operand, *slice, result, tuple, size);
  }
  return HostTensors{result};
}

/// Products of each row with one matrix: `visit(row, k, m, at)` for all
/// of its elements, `at` being where they lie.
template <typename OpTy, typename Visit>
LogicalResult visitGroups(OpTy op, const HostTensor &indices,
                          ArrayRef<int64_t> shape, Visit visit) {
  SmallVector<int64_t> matrices(shape);
  if (shape.size() == 2) {
    matrices.insert(matrices.begin(), 1);
  }
  if (!op.getSkipOthers() &&
      failed(checkIndices(op, indices.integers(), 0, matrices[0]))) {
    return failure();
  }
  for (auto [row, matrix] : llvm::enumerate(indices.integers())) {
    if (matrix < 0 || matrix >= matrices[0]) {
      continue;
    }
    for (int64_t k = 0; k < matrices[1]; ++k) {
      for (int64_t m = 0; m < matrices[2]; ++m) {
        visit(row, k, m, (matrix * matrices[1] + k) * matrices[2] + m);
      }
    }
  }
  return success();
}

Evaluation evaluateGroupedMatmul(GroupedMatmulOp op,
                                 OperandsOf<GroupedMatmulOp> operands) {
  HostTensor rows = operands.getRows(), weights = operands.getWeights();
  HostTensor result(op.getType());
  int64_t inner = rows.getShape()[1], outer = result.getShape()[1];
  bool turned = op.getTransposeWeights();
  MutableArrayRef<double> out = result.mutableFloats();
  auto add = [&](int64_t row, int64_t k, int64_t m, int64_t at) {
    out[row * outer + (turned ? k : m)] +=
        rows.floats()[row * inner + (turned ? m : k)] * weights.floats()[at];
  };
  if (failed(visitGroups(op, operands.getIndices(), weights.getShape(), add))) {
    return FailureOr<HostTensors>(failure());
  }
  return HostTensors{result};
}

Evaluation evaluateGroupedOuter(GroupedOuterOp op,
                                OperandsOf<GroupedOuterOp> operands) {
  HostTensor lhs = operands.getLhs(), rhs = operands.getRhs();
  HostTensor result(op.getType());
  int64_t inner = lhs.getShape()[1], outer = rhs.getShape()[1];
  MutableArrayRef<double> out = result.mutableFloats();
  auto add = [&](int64_t row, int64_t k, int64_t m, int64_t at) {
    out[at] += lhs.floats()[row * inner + k] * rhs.floats()[row * outer + m];
  };
  if (failed(visitGroups(op, operands.getIndices(), result.getShape(), add))) {
    return FailureOr<HostTensors>(failure());
  }
  return HostTensors{result};
}

} // namespace

Evaluation evaluateLookup(Operation *op, ArrayRef<HostTensor> operands) {
  return llvm::TypeSwitch<Operation *, Evaluation>(op)
      .Case([&](GatherOp gather) {
        return evaluateGather(gather, {operands, gather});
      })
      .Case([&](ScatterAddOp scatter) {
        return evaluateScatterAdd(scatter, {operands, scatter});
      })
      .Case([&](GatherNdOp gather) {
        return evaluateGatherNd(gather, {operands, gather});
      })
      .Case([&](GroupedMatmulOp product) {
        return evaluateGroupedMatmul(product, {operands, product});
      })
      .Case([&](GroupedOuterOp product) {
        return evaluateGroupedOuter(product, {operands, product});
      })
      .Default(Evaluation());
}

} // namespace accel
