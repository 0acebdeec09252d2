// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of If, Loop and Scan. Which branch is taken and how often a body
// runs must be known: plans have no control flow. Bodies are converted where
// they stand, once for each time that they run.
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/Metadata.h"

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

/// Whether the node was made of an EmbeddingBag that skips a row: its loops are
/// the exporter's, so nothing can be chosen in them.
static bool isPaddedBag(const pb::NodeProto &node) {
  // embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
  // per_sample_weights, include_last_offset, padding_idx)
  std::optional<FxCall> call = getFxCall(node);
  int64_t row = -1; // none
  return call && call->isAten({"embedding_bag", "_embedding_bag"}) &&
         !call->getArgument(8, "padding_idx").getAsInteger(10, row) && row >= 0;
}

LogicalResult convertIf(NodeConversion &c) {
  std::optional<bool> condition = findCondition(c, c.input(0));
  if (!condition) {
    return c.error(codes::ComputedShape)
           << "expected a condition that does not depend on the model's "
              "inputs, got a computed one; "
           << (isPaddedBag(c.node)
                   ? "in place of EmbeddingBag with padding_idx sum the rows "
                     "of Embedding: (embedding(x) * (x != "
                     "padding_idx)[..., None]).sum(1)"
                   : "compute both and choose with torch.where(condition, a, "
                     "b)");
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

/// How often a loop may run: the number that it is given, or once more than is
/// accepted.
static FailureOr<int64_t> getMostRuns(NodeConversion &c) {
  if (!c.hasInput(0)) {
    return kMostRuns + 1;
  }
  FailureOr<int64_t> given = c.getConstantInt(0);
  return failed(given) ? given
                       : FailureOr<int64_t>(std::min(kMostRuns + 1, *given));
}

static InFlightDiagnostic refuseLoop(NodeConversion &c, bool isKnown) {
  return c.error(codes::ComputedShape)
         << "expected a loop that runs at most " << kMostRuns
         << " times, by a condition that does not depend on the model's "
            "inputs, got "
         << (isKnown ? "one that goes on" : "a computed condition")
         << "; export the model with torch.onnx.export(..., dynamo=True), "
            "which unrolls loops of Python";
}

/// Inputs: how often at most, whether at all, what is carried. The body's:
/// the number of the run, the condition, what is carried.
LogicalResult convertLoop(NodeConversion &c) {
  const pb::GraphProto *body = findBody(c, "body");
  int64_t carriedCount =
      std::max<int64_t>(0, static_cast<int64_t>(c.inputCount()) - 2);
  FailureOr<int64_t> most = getMostRuns(c);
  if (!body || failed(most) ||
      failed(checkCounts(c, *body, carriedCount + 2, carriedCount + 1))) {
    return failure();
  }
  Runs runs(c, *body, carriedCount);
  for (int64_t i = 0; i < carriedCount; ++i) {
    runs.carried.push_back(c.getBodyInput(i + 2));
  }
  Value condition = c.hasInput(1)
                        ? c.input(1)
                        : c.cast(c.makeIntegers({1}), c.builder.getI1Type());
  condition = c.reshape(condition, {});
  for (int64_t i = 0; i < *most; ++i) {
    std::optional<bool> goesOn = findCondition(c, condition);
    if (!goesOn || i == kMostRuns) {
      return refuseLoop(c, goesOn.has_value());
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

namespace {

/// What a Scan cuts into one part for each run: its inputs from `first` on.
struct ScanInputs {
  int64_t first = 0, runs = -1;
  SmallVector<int64_t> axes, isReversed;

  Value cut(NodeConversion &c, int64_t i, int64_t run) const {
    RankedTensorType type = c.inputType(first + i);
    SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
        shape(type.getShape());
    offsets[axes[i]] = isReversed[i] ? runs - 1 - run : run;
    shape[axes[i]] = 1;
    Value part = c.slice(c.input(first + i), offsets, shape, strides);
    shape.erase(shape.begin() + axes[i]);
    return c.reshape(part, shape);
  }
};

FailureOr<ScanInputs> getScanInputs(NodeConversion &c) {
  int64_t all = static_cast<int64_t>(c.inputCount()),
          count = c.getInt("num_scan_inputs", 0);
  if (count < 1 || count > all) {
    return c.error() << "expected num_scan_inputs from 1 to " << all
                     << ", the number of inputs, got " << count;
  }
  auto getInts = [&](StringRef name) {
    SmallVector<int64_t> given =
        c.getInts(name).value_or(SmallVector<int64_t>());
    given.resize(count, 0);
    return given;
  };
  ScanInputs scanned{all - count, -1, getInts("scan_input_axes"),
                     getInts("scan_input_directions")};
  for (int64_t i = 0; i < count; ++i) {
    RankedTensorType type = c.inputType(scanned.first + i);
    FailureOr<int64_t> axis = c.normalizeAxis(scanned.axes[i], type.getRank());
    if (failed(axis)) {
      return failure();
    }
    int64_t size = type.getDimSize(*axis), known = scanned.runs;
    if ((known >= 0 && size != known) || size > kMostRuns) {
      return c.error() << "expected scan inputs of one length, at most "
                       << kMostRuns << ", got " << size
                       << (known >= 0 ? " and " + std::to_string(known) : "");
    }
    scanned.axes[i] = *axis;
    scanned.runs = size;
  }
  return scanned;
}

} // namespace

/// Inputs: what is carried, then what is cut into one part for each run.
LogicalResult convertScan(NodeConversion &c) {
  const pb::GraphProto *body = findBody(c, "body");
  FailureOr<ScanInputs> scanned = getScanInputs(c);
  if (!body || failed(scanned) ||
      failed(checkCounts(c, *body, static_cast<int64_t>(c.inputCount()),
                         scanned->first))) {
    return failure();
  }
  Runs runs(c, *body, scanned->first);
  for (int64_t i = 0; i < scanned->first; ++i) {
    runs.carried.push_back(c.getBodyInput(i));
  }
  for (int64_t run = 0; run < scanned->runs; ++run) {
    SmallVector<BodyValue> inputs(runs.carried);
    for (size_t i = 0; i < scanned->axes.size(); ++i) {
      inputs.push_back({scanned->cut(c, i, run), std::nullopt});
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
