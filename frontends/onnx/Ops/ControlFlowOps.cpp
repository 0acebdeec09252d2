// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of If, Loop and Scan. Which branch is taken and how often a body
// runs must be known: plans have no control flow. Bodies are converted where
// they stand, once for each time that they run.
#include "frontends/onnx/Conversion/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace accel::onnx {
namespace {

/// A body that runs longer is taken for one that never ends.
constexpr int64_t kMostRuns = 4096;

const pb::GraphProto *findBody(const NodeConversion &c, StringRef name) {
  const pb::AttributeProto *attribute = c.findAttribute(name);
  return attribute && attribute->has_g() ? &attribute->g() : nullptr;
}

/// The one boolean in `value`, or none if it is not known.
std::optional<bool> findCondition(NodeConversion &c, Value value) {
  std::optional<SmallVector<int64_t>> known =
      value ? c.state.known.evaluateIntegers(value) : std::nullopt;
  return known && known->size() == 1 ? std::optional(known->front() != 0)
                                     : std::nullopt;
}

/// Values of the runs of a body, as one with a new dimension `axis`.
FailureOr<Value> stackRuns(NodeConversion &c, ArrayRef<Value> runs,
                           int64_t axis) {
  SmallVector<Value> rows;
  for (Value run : runs) {
    if (run.getType() != runs.front().getType()) {
      return c.error() << "expected results of one shape from every run of "
                          "the body, got "
                       << run.getType() << " and " << runs.front().getType();
    }
    SmallVector<int64_t> shape(c.typeOf(run).getShape());
    shape.insert(shape.begin() + axis, 1);
    rows.push_back(c.reshape(run, shape));
  }
  return c.concat(rows, axis);
}

/// Runs a body as often as asked, with what goes from run to run.
class Runs {
public:
  Runs(NodeConversion &c, const pb::GraphProto &body, int64_t carriedCount)
      : c(c), body(body), carriedCount(carriedCount) {}

  SmallVector<BodyValue> carried;

  /// One run on `inputs`, the body's; `skipped` results, then what is carried,
  /// then what is stacked. Returns the skipped results.
  FailureOr<SmallVector<BodyValue>> run(ArrayRef<BodyValue> inputs,
                                        int64_t skipped) {
    SmallVector<BodyValue> outputs;
    if (failed(c.state.convertBody(body, inputs, outputs))) {
      return failure();
    }
    ArrayRef<BodyValue> left(outputs);
    SmallVector<BodyValue> first(left.take_front(skipped));
    left = left.drop_front(skipped);
    carried.assign(left.begin(), left.begin() + carriedCount);
    stacked.resize(left.size() - carriedCount);
    for (auto [each, value] :
         llvm::zip_equal(stacked, left.drop_front(carriedCount))) {
      each.push_back(value.value);
    }
    return first;
  }

  /// Sets the node's results; `axes` and `isReversed` are those of stacked
  /// results, empty for the first dimension and their order.
  LogicalResult setResults(ArrayRef<int64_t> axes,
                           ArrayRef<int64_t> isReversed) {
    for (auto [i, value] : llvm::enumerate(carried)) {
      c.setBodyResult(i, value);
    }
    for (auto [i, runs] : llvm::enumerate(stacked)) {
      if (llvm::is_contained(runs, Value()) || runs.empty()) {
        return c.error() << "expected tensors to stack from a body that runs "
                            "at least once, got others";
      }
      if (i < isReversed.size() && isReversed[i] != 0) {
        std::reverse(runs.begin(), runs.end());
      }
      FailureOr<int64_t> axis = c.normalizeAxis(
          i < axes.size() ? axes[i] : 0, c.typeOf(runs.front()).getRank() + 1);
      if (failed(axis)) {
        return failure();
      }
      FailureOr<Value> all = stackRuns(c, runs, *axis);
      if (failed(all)) {
        return failure();
      }
      c.setResult(carriedCount + i, *all);
    }
    return success();
  }

private:
  NodeConversion &c;
  const pb::GraphProto &body;
  int64_t carriedCount;
  SmallVector<SmallVector<Value>> stacked; ///< by result, then by run
};

LogicalResult checkCounts(NodeConversion &c, const pb::GraphProto &body,
                          int64_t inputs, int64_t leastOutputs) {
  if (body.input_size() != inputs || body.output_size() < leastOutputs) {
    return c.error() << "expected a body of " << inputs
                     << " inputs and at least " << leastOutputs
                     << " outputs, got " << body.input_size() << " and "
                     << body.output_size();
  }
  return success();
}

} // namespace

LogicalResult convertIf(NodeConversion &c) {
  std::optional<bool> condition = findCondition(c, c.input(0));
  if (!condition) {
    return c.error(codes::ComputedShape)
           << "expected a condition that does not depend on the model's "
              "inputs, got a computed one; compute both and choose with "
              "torch.where(condition, a, b)";
  }
  const pb::GraphProto *body =
      findBody(c, *condition ? "then_branch" : "else_branch");
  if (!body || body->output_size() != c.node.output_size()) {
    return c.error() << "expected branches of " << c.node.output_size()
                     << " outputs, got another";
  }
  SmallVector<BodyValue> outputs;
  if (failed(c.state.convertBody(*body, {}, outputs))) {
    return failure();
  }
  for (auto [i, value] : llvm::enumerate(outputs)) {
    c.setBodyResult(i, value);
  }
  return success();
}

/// Inputs: how often at most, whether at all, what is carried. The body's:
/// the number of the run, the condition, what is carried.
LogicalResult convertLoop(NodeConversion &c) {
  const pb::GraphProto *body = findBody(c, "body");
  int64_t carriedCount =
      std::max<int64_t>(0, static_cast<int64_t>(c.inputCount()) - 2);
  if (!body ||
      failed(checkCounts(c, *body, carriedCount + 2, carriedCount + 1))) {
    return failure();
  }
  int64_t most = kMostRuns + 1;
  if (c.hasInput(0)) {
    FailureOr<int64_t> given = c.getConstantInt(0);
    if (failed(given)) {
      return failure();
    }
    most = std::min(most, *given);
  }
  Runs runs(c, *body, carriedCount);
  for (int64_t i = 0; i < carriedCount; ++i) {
    runs.carried.push_back(c.getBodyInput(i + 2));
  }
  Value condition = c.hasInput(1)
                        ? c.input(1)
                        : c.cast(c.makeIntegers({1}), c.builder.getI1Type());
  condition = c.reshape(condition, {});
  for (int64_t i = 0; i < most; ++i) {
    std::optional<bool> goesOn = findCondition(c, condition);
    if (!goesOn || i == kMostRuns) {
      return c.error(codes::ComputedShape)
             << "expected a loop that runs at most " << kMostRuns
             << " times, by a condition that does not depend on the model's "
                "inputs, got "
             << (goesOn ? "one that goes on" : "a computed condition")
             << "; export the model with torch.onnx.export(..., dynamo=True), "
                "which unrolls loops of Python";
    }
    if (!*goesOn) {
      break;
    }
    Value number = c.reshape(c.makeIntegers({i}), {});
    SmallVector<BodyValue> inputs{{number, std::nullopt},
                                  {condition, std::nullopt}};
    llvm::append_range(inputs, runs.carried);
    FailureOr<SmallVector<BodyValue>> next = runs.run(inputs, 1);
    if (failed(next)) {
      return failure();
    }
    condition = next->front().value;
  }
  return runs.setResults({}, {});
}

/// Inputs: what is carried, then what is cut into one part for each run.
LogicalResult convertScan(NodeConversion &c) {
  const pb::GraphProto *body = findBody(c, "body");
  int64_t all = static_cast<int64_t>(c.inputCount()),
          scanned = c.getInt("num_scan_inputs", 0), kept = all - scanned;
  if (scanned < 1 || kept < 0) {
    return c.error() << "expected num_scan_inputs from 1 to " << all
                     << ", the number of inputs, got " << scanned;
  }
  if (!body || failed(checkCounts(c, *body, all, kept))) {
    return failure();
  }
  SmallVector<int64_t> axes =
      c.getInts("scan_input_axes").value_or(SmallVector<int64_t>(scanned, 0));
  SmallVector<int64_t> isReversed =
      c.getInts("scan_input_directions")
          .value_or(SmallVector<int64_t>(scanned, 0));
  axes.resize(scanned, 0);
  isReversed.resize(scanned, 0);
  int64_t count = -1;
  for (int64_t i = 0; i < scanned; ++i) {
    RankedTensorType type = c.inputType(kept + i);
    FailureOr<int64_t> axis = c.normalizeAxis(axes[i], type.getRank());
    if (failed(axis)) {
      return failure();
    }
    axes[i] = *axis;
    int64_t size = type.getDimSize(*axis);
    if ((count >= 0 && size != count) || size > kMostRuns) {
      return c.error() << "expected scan inputs of one length, at most "
                       << kMostRuns << ", got " << size
                       << (count >= 0 ? " and " + std::to_string(count) : "");
    }
    count = size;
  }
  Runs runs(c, *body, kept);
  for (int64_t i = 0; i < kept; ++i) {
    runs.carried.push_back(c.getBodyInput(i));
  }
  for (int64_t run = 0; run < count; ++run) {
    SmallVector<BodyValue> inputs(runs.carried);
    for (int64_t i = 0; i < scanned; ++i) {
      RankedTensorType type = c.inputType(kept + i);
      SmallVector<int64_t> offsets(type.getRank(), 0),
          strides(type.getRank(), 1), shape(type.getShape());
      offsets[axes[i]] = isReversed[i] ? count - 1 - run : run;
      shape[axes[i]] = 1;
      Value part = c.slice(c.input(kept + i), offsets, shape, strides);
      shape.erase(shape.begin() + axes[i]);
      inputs.push_back({c.reshape(part, shape), std::nullopt});
    }
    if (failed(runs.run(inputs, 0))) {
      return failure();
    }
  }
  return runs.setResults(
      c.getInts("scan_output_axes").value_or(SmallVector<int64_t>()),
      c.getInts("scan_output_directions").value_or(SmallVector<int64_t>()));
}

} // namespace accel::onnx
