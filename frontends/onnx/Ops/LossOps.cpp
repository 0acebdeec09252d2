// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converters of ONNX's two losses. What is left of one is a sum of losses, one
// per label, divided by the sum of their weights: the form in which a loss in
// the graph can be trained (AttachObjective).
#include "frontends/onnx/Annotation/InputRoles.h"
#include "frontends/onnx/Builders/Broadcasting.h"
#include "frontends/onnx/Builders/LogSoftmax.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/Metadata.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;

namespace accel::onnx {
namespace {

/// A loss with its classes last and its labels in one row.
struct Classification {
  Value scores;  ///< (labels, classes)
  Value labels;  ///< (labels); an ignored one is in [0, classes) no longer
  Value isValid; ///< (labels), bool
  Value weights; ///< (labels), of the class and 0 for an ignored label
  RankedTensorType rows; ///< of one float per label
};

/// Scores (n, classes, d...) with the classes last.
Value moveClassesLast(NodeConversion &c) {
  int64_t rank = c.inputType(0).getRank();
  SmallVector<int64_t> permutation{0};
  llvm::append_range(permutation, llvm::seq<int64_t>(2, rank));
  permutation.push_back(1);
  Value moved = c.transpose(c.input(0), permutation);
  int64_t classes = c.inputType(0).getDimSize(1);
  return c.reshape(moved, {c.inputType(0).getNumElements() / classes, classes});
}

LogicalResult checkShapes(NodeConversion &c) {
  RankedTensorType scores = c.inputType(0), labels = c.inputType(1);
  SmallVector<int64_t> expected(scores.getShape());
  if (expected.size() >= 2) {
    expected.erase(expected.begin() + 1);
  }
  if (scores.getRank() < 2 || !isa<FloatType>(scores.getElementType()) ||
      !c.isIndexTensor(labels) ||
      labels.getShape() != ArrayRef<int64_t>(expected)) {
    InFlightDiagnostic error = c.error();
    error << "expected float scores (n, classes, ...) and integer labels (n, "
             "...), got "
          << scores << " and " << labels;
    if (isa<FloatType>(labels.getElementType()) && labels == scores) {
      error << "; of probabilities write the loss as "
               "-(probabilities * scores.log_softmax(1)).sum(1).mean()";
    }
    return error;
  }
  if (c.hasInput(2) && c.inputType(2) != scores.clone({scores.getDimSize(1)})) {
    return c.error() << "expected one weight of type "
                     << scores.getElementType() << " for each of "
                     << scores.getDimSize(1) << " classes, got "
                     << c.inputType(2);
  }
  return success();
}

Value compare(NodeConversion &c, ComparePredicate predicate, Value labels,
              int64_t number) {
  RankedTensorType type = c.typeOf(labels);
  HostTensor scalar(
      type.clone(ArrayRef<int64_t>{}),
      std::vector<int64_t>{wrapToElementType(number, type.getElementType())});
  Value constant =
      broadcastTo(c, ConstantOp::create(c.builder, c.loc, scalar.toAttribute()),
                  type.getShape());
  return CompareOp::create(c.builder, c.loc, type.clone(c.builder.getI1Type()),
                           predicate, labels, constant);
}

Value choose(NodeConversion &c, Value condition, Value yes, Value no) {
  return SelectOp::create(c.builder, c.loc, yes.getType(), condition, yes, no);
}

/// The weights of the labels: those of their classes, or 1.
Value makeWeights(NodeConversion &c, const Classification &loss) {
  Value valid = CastOp::create(c.builder, c.loc, loss.rows, loss.isValid);
  if (!c.hasInput(2)) {
    return valid;
  }
  RankedTensorType type = c.typeOf(loss.labels);
  Value safe = choose(c, loss.isValid, loss.labels, c.makeConstant(type, 0.0));
  int64_t classes = c.inputType(2).getDimSize(0);
  Value chosen = GatherOp::create(c.builder, c.loc,
                                  loss.rows.clone({type.getDimSize(0), 1}),
                                  c.reshape(c.input(2), {classes, 1}), safe);
  return MulOp::create(c.builder, c.loc, loss.rows,
                       c.reshape(chosen, loss.rows.getShape()), valid);
}

FailureOr<Classification> getClassification(NodeConversion &c) {
  if (failed(checkShapes(c))) {
    return failure();
  }
  int64_t classes = c.inputType(0).getDimSize(1);
  int64_t count = c.inputType(1).getNumElements();
  Classification loss;
  loss.rows = c.inputType(0).clone({count});
  loss.scores = moveClassesLast(c);
  loss.labels = c.reshape(c.input(1), {count});
  // Without the attribute no label is ignored; one below 0 is none anyway.
  int64_t ignored = c.getInt("ignore_index", -1);
  markLabels(c.input(1), classes,
             c.hasAttribute("ignore_index") ? std::optional(ignored)
                                            : std::nullopt);
  if (ignored >= 0 && ignored < classes) {
    loss.labels =
        choose(c, compare(c, ComparePredicate::EQ, loss.labels, ignored),
               c.makeConstant(c.typeOf(loss.labels), -1.0), loss.labels);
  }
  Value low = compare(c, ComparePredicate::GE, loss.labels, 0);
  Value high = compare(c, ComparePredicate::LT, loss.labels, classes);
  loss.isValid = AndOp::create(c.builder, c.loc, low, high);
  loss.weights = makeWeights(c, loss);
  return loss;
}

/// One loss per label times the weight of its class.
Value weigh(NodeConversion &c, const Classification &loss, Value losses) {
  return c.hasInput(2) ? Value(MulOp::create(c.builder, c.loc, loss.rows,
                                             losses, loss.weights))
                       : losses;
}

/// The result from one weighted loss per label, which is 0 for ignored ones.
LogicalResult reduce(NodeConversion &c, const Classification &loss,
                     Value losses) {
  StringRef reduction = c.getString("reduction", "mean");
  auto scalar = loss.rows.clone(ArrayRef<int64_t>{});
  auto sum = [&](Value values) -> Value {
    return ReduceSumOp::create(c.builder, c.loc, scalar, values,
                               ArrayRef<int64_t>{0});
  };
  if (reduction == "none") {
    c.setResult(0, c.reshape(losses, c.inputType(1).getShape()));
  } else if (reduction == "sum") {
    c.setResult(0, sum(losses));
  } else if (reduction == "mean") {
    c.setResult(0, DivOp::create(c.builder, c.loc, scalar, sum(losses),
                                 sum(loss.weights)));
  } else {
    return c.error() << "expected reduction none, sum or mean, got '"
                     << reduction << "'";
  }
  return success();
}

/// The score of every label: a sum over a row in which all others are zero.
Value pickScores(NodeConversion &c, const Classification &loss) {
  RankedTensorType type = c.typeOf(loss.scores);
  RankedTensorType labels = c.typeOf(loss.labels).clone(type.getShape());
  Value classes = IotaOp::create(c.builder, c.loc, labels, 1);
  Value wanted = BroadcastOp::create(c.builder, c.loc, labels, loss.labels,
                                     ArrayRef<int64_t>{0});
  Value isWanted =
      CompareOp::create(c.builder, c.loc, labels.clone(c.builder.getI1Type()),
                        ComparePredicate::EQ, classes, wanted);
  Value picked = choose(c, isWanted, loss.scores, c.makeConstant(type, 0.0));
  return ReduceSumOp::create(c.builder, c.loc, loss.rows, picked,
                             ArrayRef<int64_t>{1});
}

/// Label smoothing of the call that the node was made of: the exporter drops it
/// without a word. 0: none.
double findLabelSmoothing(const pb::NodeProto &node) {
  std::optional<FxCall> call = getFxCall(node);
  if (!call || !call->isAten("cross_entropy_loss")) {
    return 0.0;
  }
  // cross_entropy_loss(self, target, weight, reduction, ignore_index,
  // label_smoothing)
  double smoothing = 0.0;
  return call->getArgument(5, "label_smoothing").getAsDouble(smoothing)
             ? 0.0
             : smoothing;
}

/// The sum of each row of `scores`, of the classes times their weights, and
/// that of the weights alone: (labels) both.
std::pair<Value, Value> sumClasses(NodeConversion &c,
                                   const Classification &loss) {
  RankedTensorType type = c.typeOf(loss.scores), rows = loss.rows;
  auto sumRows = [&](Value values) -> Value {
    return ReduceSumOp::create(c.builder, c.loc, rows, values,
                               ArrayRef<int64_t>{1});
  };
  if (!c.hasInput(2)) {
    double classes = static_cast<double>(type.getShape().back());
    return {sumRows(loss.scores), c.makeConstant(rows, classes)};
  }
  Value weights = BroadcastOp::create(c.builder, c.loc, type, c.input(2),
                                      ArrayRef<int64_t>{1});
  Value weighted = MulOp::create(c.builder, c.loc, type, loss.scores, weights);
  return {sumRows(weighted), sumRows(weights)};
}

/// With smoothing e over n classes of weights w a loss is
/// (1 - e) w[label] entropy + e / n sum over c of w[c] (lse - score[c]), where
/// lse = entropy + score of the label.
Value smooth(NodeConversion &c, const Classification &loss, Value entropies,
             double smoothing) {
  RankedTensorType rows = loss.rows;
  auto mul = [&](Value left, Value right) -> Value {
    return MulOp::create(c.builder, c.loc, rows, left, right);
  };
  auto add = [&](Value left, Value right) -> Value {
    return AddOp::create(c.builder, c.loc, rows, left, right);
  };
  double classes = static_cast<double>(c.typeOf(loss.scores).getShape().back());
  auto [scores, weights] = sumClasses(c, loss);
  Value lse = add(entropies, pickScores(c, loss));
  Value others =
      SubOp::create(c.builder, c.loc, rows, mul(weights, lse), scores);
  Value share = mul(others, c.makeConstant(rows, smoothing / classes));
  Value own =
      mul(weigh(c, loss, entropies), c.makeConstant(rows, 1.0 - smoothing));
  return choose(c, loss.isValid, add(own, share), c.makeConstant(rows, 0.0));
}

} // namespace

LogicalResult convertSoftmaxCrossEntropyLoss(NodeConversion &c) {
  FailureOr<Classification> loss = getClassification(c);
  if (failed(loss)) {
    return failure();
  }
  auto entropy = SoftmaxCrossEntropyOp::create(
      c.builder, c.loc, loss->rows, loss->rows, loss->scores, loss->labels);
  if (c.isResultUsed(1)) {
    c.setResult(1, makeLogSoftmax(c, c.input(0), 1));
  }
  double smoothing = findLabelSmoothing(c.node);
  if (smoothing == 0.0) {
    return reduce(c, *loss, weigh(c, *loss, entropy.getLosses()));
  }
  c.state.labelSmoothing = smoothing;
  return reduce(c, *loss, smooth(c, *loss, entropy.getLosses(), smoothing));
}

LogicalResult convertNegativeLogLikelihoodLoss(NodeConversion &c) {
  FailureOr<Classification> loss = getClassification(c);
  if (failed(loss)) {
    return failure();
  }
  Value losses =
      NegOp::create(c.builder, c.loc, loss->rows, pickScores(c, *loss));
  return reduce(c, *loss, weigh(c, *loss, losses));
}

} // namespace accel::onnx
