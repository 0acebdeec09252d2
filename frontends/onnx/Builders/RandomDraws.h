// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that a model draws at random in every step.
#ifndef ACCEL_FRONTENDS_ONNX_BUILDERS_RANDOMDRAWS_H
#define ACCEL_FRONTENDS_ONNX_BUILDERS_RANDOMDRAWS_H

#include "frontends/onnx/Conversion/NodeConversion.h"

namespace accel::onnx {

/// Random factors of mean 1 in a tensor of type `type`, functions of the step's
/// seed, the place in the model and the sample. Samples are those of `like`
/// where it depends on an input of the model. Of other values only the size is
/// known: a first dimension of the microbatch's size counts samples, if it
/// comes from an input or the node itself says it; else all samples share the
/// numbers. Requires: a float type; `like` is the node's first input or null.
mlir::Value makeRandomFactors(NodeConversion &conversion,
                              mlir::RankedTensorType type, RandomFactor kind,
                              mlir::Value like);

/// The number in (0, 1) that all elements of `value` are, if it is known.
std::optional<double> findProbability(NodeConversion &conversion,
                                      mlir::Value value);

/// 1 with probability `probability`, else 0: a site of dropout, whose mean is
/// what an evaluation takes. Requires: 0 < `probability` < 1.
mlir::Value makeBernoulli(NodeConversion &conversion,
                          mlir::RankedTensorType type, double probability,
                          mlir::Value like);

/// The same for floor(p + u), of numbers u from 0 to 1 and a known p, as which
/// stochastic depth is written; null if the node's first input is another sum.
mlir::Value findStochasticDepth(NodeConversion &conversion);

/// The same where the node, a comparison, tells which numbers u from 0 to 1 are
/// on one side of a known p, as exporters write bernoulli_(p): what is true,
/// which a cast to floats makes 1 of, or its mean.
mlir::Value findBernoulli(NodeConversion &conversion,
                          ComparePredicate predicate);

/// What AlphaDropout multiplies by, where the node does: a * m of numbers m
/// that are 1 with a known probability, and the a that belongs to it. An
/// evaluation takes 1, with which the module is PyTorch's in eval mode, and not
/// the mean. Null for another product; fails after an error if `--dropout`
/// gives the site another probability.
mlir::FailureOr<mlir::Value> findAlphaDropout(NodeConversion &conversion);

} // namespace accel::onnx

#endif
