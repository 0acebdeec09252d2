// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converter of batch norms: an operation of the dialect where they train, a
// formula where their statistics stay.
#include "dialects/Accel/IR/Composite/BatchNorm.h"
#include "frontends/onnx/Conversion/OperatorTable.h"
#include "frontends/onnx/Model/BatchNormMode.h"
#include "frontends/onnx/Model/Locations.h"
#include "frontends/onnx/Model/Metadata.h"

using namespace mlir;

namespace accel::onnx {
namespace {

LogicalResult checkTypes(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  if (type.getRank() < 2 || !type.getElementType().isF32()) {
    return c.error() << "expected a float32 tensor with samples and channels "
                        "in front, got "
                     << type << "; convert the model with model.float()";
  }
  RankedTensorType channels = type.clone({type.getDimSize(1)});
  for (size_t i = 1; i < 5; ++i) {
    if (c.inputType(i) != channels) {
      return c.error() << "expected input " << i
                       << " to have one number for each channel, " << channels
                       << ", got " << c.inputType(i);
    }
  }
  if (!(c.getFloat("epsilon", 1e-5) > 0.0)) {
    return c.error() << "expected an epsilon above 0, got "
                     << c.getFloat("epsilon", 1e-5);
  }
  return success();
}

/// The parameter that input `i`, a running statistic, is; empty if it is none.
StringRef getStatistic(NodeConversion &c, size_t i) {
  auto read = c.input(i).getDefiningOp<ReadOp>();
  return read ? read.getSymbol() : StringRef();
}

/// Of a module that is called twice the second call reads what the first one
/// has moved, and its text does not tell whose statistics these are: the
/// exporter may have merged them with an equal weight or bias.
LogicalResult checkStatisticNames(NodeConversion &c) {
  std::optional<FxCall> call = getFxCall(c.node);
  for (auto [i, leaf] :
       {std::pair(3, "running_mean"), std::pair(4, "running_var")}) {
    StringRef name = getStatistic(c, i);
    bool isMoved = call && call->getArgument(i, leaf).starts_with("%getitem");
    if (isMoved && !name.empty() && !name.ends_with(leaf)) {
      return c.error(codes::BatchNorm)
             << "expected running statistics under their own name, got '"
             << name
             << "' in a second call of one batch norm; give each call its own "
                "module, or export with dynamo=True, optimize=False and keep "
                "them: --batch-norm=frozen";
    }
  }
  return success();
}

LogicalResult convertTraining(NodeConversion &c) {
  RankedTensorType type = c.inputType(0);
  // Several ranks may have more than one element together.
  bool isAlone = c.state.batchNorm != BatchNormPolicy::Synchronized;
  if (isAlone && type.getNumElements() / type.getDimSize(1) < 2) {
    return c.error(codes::BatchNorm)
           << "expected more than one element of each channel in a "
              "microbatch, got one, which has no variance; make microbatches "
              "larger: --dim batch=8";
  }
  for (size_t i = 3; i < 5; ++i) {
    StringRef name = getStatistic(c, i);
    if (name.empty()) {
      return c.error(codes::BatchNorm)
             << "expected running statistics that are buffers of the model, "
                "got input "
             << i
             << " computed or constant; leave track_running_stats of the "
                "module as it is, or keep them: --batch-norm=frozen";
    }
    if (!c.state.runningStatistics.insert(name).second) {
      return c.error(codes::BatchNorm)
             << "expected running statistics that one batch norm moves, once "
                "in a microbatch, got '"
             << name
             << "' a second time; give each its own module, or keep them: "
                "--batch-norm=frozen";
    }
  }
  double momentum = 1.0 - c.getFloat("momentum", 0.9);
  if (!(momentum >= 0.0 && momentum <= 1.0)) {
    return c.error() << "expected a momentum in [0, 1], got "
                     << c.getFloat("momentum", 0.9);
  }
  auto norm = BatchNormOp::create(
      c.builder, c.loc, type, c.inputType(3), c.inputType(3), c.input(0),
      c.input(1), c.input(2), c.input(3), c.input(4), /*weights=*/Value(),
      /*along=*/int64_t{0},
      c.builder.getF64FloatAttr(c.getFloat("epsilon", 1e-5)).getValue(),
      c.builder.getF64FloatAttr(momentum).getValue());
  c.setResult(0, norm.getResult());
  return success();
}

/// A node that says itself what the statistics are made of: the batch. Running
/// ones come out of it as new tensors.
void convertBatchStatistics(NodeConversion &c) {
  RankedTensorType type = c.inputType(0), channels = c.inputType(3);
  SmallVector<int64_t> others;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim != 1) {
      others.push_back(dim);
    }
  }
  ArithmeticBuilder b(c.builder, c.loc);
  double count =
      static_cast<double>(type.getNumElements() / channels.getNumElements());
  auto average = [&](Value value) {
    return b.mul(b.create<ReduceSumOp>(channels, value, others), 1.0 / count);
  };
  Value mean = average(c.input(0));
  Value centered = b.sub(c.input(0), b.spread(mean, c.input(0), others));
  Value variance = average(b.mul(centered, centered));
  Value rstd = buildRstd(b, variance, c.getFloat("epsilon", 1e-5));
  c.setResult(
      0, buildNormalised(b, c.input(0), mean, rstd, c.input(1), c.input(2)));
  double momentum = c.getFloat("momentum", 0.9);
  auto move = [&](Value running, Value now) {
    return b.add(b.mul(running, momentum), b.mul(now, 1.0 - momentum));
  };
  c.setResult(1, move(c.input(3), mean));
  c.setResult(2, move(c.input(4), variance));
}

} // namespace

LogicalResult convertBatchNorm(NodeConversion &c) {
  if (failed(checkTypes(c)) ||
      (!c.state.infers && failed(checkStatisticNames(c)))) {
    return failure();
  }
  // A file that was exported to train names them, and nothing reads them.
  if (c.state.infers && (c.isResultRead(1) || c.isResultRead(2))) {
    convertBatchStatistics(c);
    return success();
  }
  if (getBatchNormMode(c.node, c.state.batchNorm) == BatchNormMode::Training) {
    return convertTraining(c);
  }
  for (size_t i = 3; i < 5; ++i) {
    if (StringRef name = getStatistic(c, i); !name.empty()) {
      c.state.keptStatistics.insert(name);
    }
  }
  if (!getStatistic(c, 3).empty()) { // not computed of the microbatch
    c.state.idleBatchNorms.push_back(getNodeName(c.node));
  }
  ArithmeticBuilder b(c.builder, c.loc);
  Value rstd = buildRstd(b, c.input(4), c.getFloat("epsilon", 1e-5));
  c.setResult(0, buildNormalised(b, c.input(0), c.input(3), rstd, c.input(1),
                                 c.input(2)));
  return success();
}

} // namespace accel::onnx
