// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations, and the graph that they form.
#include <algorithm>

#include "test/cuda/double/dnn/finalize.h"
#include "test/cuda/double/dnn/handles.h"
#include "test/cuda/double/dnn/refusals.h"

namespace accel::cuda_double::dnn {
namespace {

struct Names {
  int alpha, beta, convolution, x, w, y;
};

Names NamesOf(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return {kForwardAlpha, kForwardBeta, kForwardConvDesc,
              kForwardX,     kForwardW,    kForwardY};
    case Direction::kBackwardData:
      return {kBwdDataAlpha, kBwdDataBeta, kBwdDataConvDesc,
              kBwdDataDx,    kBwdDataW,    kBwdDataDy};
    default:
      return {kBwdFilterAlpha, kBwdFilterBeta, kBwdFilterConvDesc,
              kBwdFilterX,     kBwdFilterDw,   kBwdFilterDy};
  }
}

Direction DirectionOf(int kind) {
  return kind == kOperationForwardDescriptor ? Direction::kForward
         : kind == kOperationBackwardDataDescriptor
             ? Direction::kBackwardData
             : Direction::kBackwardFilter;
}

Status CheckRanks(const ConvolutionOperation& operation) {
  const auto expected =
      static_cast<size_t>(operation.convolution.spatial_dims) + 2;
  for (const Tensor* tensor : {&operation.x, &operation.w, &operation.y}) {
    if (tensor->dims.size() == expected + 1) {
      return Refuse(kNotSupportedShape,
                    "the double has no dimension of groups: it finds them in "
                    "the channels of the filter");
    }
    if (tensor->dims.size() != expected) {
      return Bad(
          "tensors have two dimensions more than the convolution has "
          "spatial ones");
    }
  }
  return kSuccess;
}

// Of f32, f16 and bf16; a response may be wider than what gives it.
Status CheckTypes(const ConvolutionOperation& operation) {
  if (operation.convolution.compute_type != kFloat) {
    return Refuse(kNotSupportedDataType, "the double computes in f32");
  }
  const bool fits = operation.x.type == operation.w.type &&
                    (operation.y.type == operation.x.type ||
                     (operation.direction == Direction::kForward &&
                      operation.y.type == kFloat));
  return fits ? kSuccess
              : Refuse(kNotSupportedDataType,
                       "image, filter and response have one type");
}

// The documents tell users to make a 1-D convolution a 2-D one with a dimension
// of 1; there are no engines for it.
Status CheckSpace(const ConvolutionOperation& operation) {
  const int64_t dims = operation.convolution.spatial_dims;
  return dims == 2 || dims == 3
             ? kSuccess
             : Refuse(kNotSupportedShape,
                      "engines have two or three spatial dimensions: a line is "
                      "a plane with a dimension of 1");
}

std::vector<Tensor> TensorsOf(const Problem& problem) {
  const ConvolutionOperation& operation = problem.convolution;
  std::vector<Tensor> tensors = {operation.x, operation.w, operation.y};
  for (const PointwiseOperation& step : problem.epilogue) {
    tensors.push_back(step.y);
    if (step.b) {
      tensors.push_back(*step.b);
    }
  }
  return tensors;
}

Status CheckUniqueIds(const Problem& problem) {
  const std::vector<Tensor> tensors = TensorsOf(problem);
  for (const Tensor& a : tensors) {
    for (const Tensor& b : tensors) {
      if (a.uid == b.uid && a != b) {
        return Refuse(
            kBadParamDuplicatedEntries,
            "two tensors have the unique id " + std::to_string(a.uid));
      }
    }
  }
  return kSuccess;
}

// What is between two operations is virtual, and nothing else.
Status CheckVirtual(const Problem& problem) {
  const std::vector<Tensor> bound = problem.bound_tensors();
  for (const Tensor& tensor : bound) {
    if (tensor.is_virtual) {
      return Bad("tensor " + std::to_string(tensor.uid) +
                 " is virtual, and no operation gives or takes it");
    }
  }
  for (const Tensor& tensor : TensorsOf(problem)) {
    const bool is_bound =
        std::find(bound.begin(), bound.end(), tensor) != bound.end();
    if (!is_bound && !tensor.is_virtual) {
      return Refuse(kNotSupportedGraphPattern,
                    "tensor " + std::to_string(tensor.uid) +
                        " is between two operations and is not virtual");
    }
  }
  for (const Tensor* tensor :
       {&problem.convolution.x, &problem.convolution.w, &problem.output()}) {
    if (tensor->is_by_value) {
      return Refuse(kNotSupported,
                    "an operand of a convolution is not by value");
    }
  }
  return kSuccess;
}

// One convolution, then steps of which each takes what the last one gave.
Status CollectProblem(const Descriptor& graph, Problem* problem) {
  const auto& operations = graph.values.at(kGraphOps).descriptors;
  const auto* convolution =
      std::get_if<ConvolutionOperation>(&operations[0]->meaning);
  if (convolution == nullptr) {
    return Refuse(kNotSupportedGraphPattern,
                  "a graph of the double begins with a convolution");
  }
  problem->convolution = *convolution;
  for (size_t i = 1; i < operations.size(); ++i) {
    const auto* step = std::get_if<PointwiseOperation>(&operations[i]->meaning);
    if (step == nullptr || convolution->direction != Direction::kForward) {
      return Refuse(kNotSupportedGraphPattern,
                    "only point-wise operations follow, and only a forward "
                    "convolution");
    }
    if (step->x != problem->output()) {
      return Refuse(kNotSupportedGraphPattern,
                    "XDESC of each point-wise operation is what the operation "
                    "before it gives");
    }
    problem->epilogue.push_back(*step);
  }
  return kSuccess;
}

bool Broadcasts(const Tensor& from, const Tensor& to) {
  for (size_t d = 0; d < to.dims.size(); ++d) {
    if (from.dims[d] != to.dims[d] && from.dims[d] != 1) {
      return false;
    }
  }
  return true;
}

}  // namespace

Status FinalizeConvolutionOperation(Descriptor& descriptor) {
  ConvolutionOperation operation;
  operation.direction = DirectionOf(descriptor.kind);
  const Names names = NamesOf(operation.direction);
  operation.convolution = descriptor.Referred<Convolution>(names.convolution);
  operation.x = descriptor.Referred<Tensor>(names.x);
  operation.w = descriptor.Referred<Tensor>(names.w);
  operation.y = descriptor.Referred<Tensor>(names.y);
  operation.alpha = descriptor.Real(names.alpha, 1);
  operation.beta = descriptor.Real(names.beta, 0);
  if (Status status = CheckRanks(operation); status != kSuccess) {
    return status;
  }
  if (std::string wrong = CheckShapes(operation); !wrong.empty()) {
    return Refuse(kBadParamShapeMismatch, wrong);
  }
  descriptor.meaning = operation;
  return kSuccess;
}

Status FinalizePointwiseOperation(Descriptor& descriptor) {
  PointwiseOperation operation;
  operation.pointwise = descriptor.Referred<Pointwise>(kPwDescriptor);
  operation.x = descriptor.Referred<Tensor>(kPwX);
  operation.y = descriptor.Referred<Tensor>(kPwY);
  operation.alpha1 = descriptor.Real(kPwAlpha1, 1);
  operation.alpha2 = descriptor.Real(kPwAlpha2, 1);
  if (operation.pointwise.has_two_inputs() != descriptor.Has(kPwB)) {
    return Bad("BDESC is set if and only if the operation has two inputs");
  }
  if (!operation.pointwise.has_two_inputs() && descriptor.Has(kPwAlpha2)) {
    return Bad("ALPHA2 belongs to operations with two inputs");
  }
  if (descriptor.Has(kPwB)) {
    operation.b = descriptor.Referred<Tensor>(kPwB);
    if (operation.b->dims.size() != operation.y.dims.size() ||
        !Broadcasts(*operation.b, operation.y)) {
      return Refuse(kBadParamShapeMismatch,
                    "BDESC does not broadcast to the result");
    }
  }
  if (operation.x.dims != operation.y.dims) {
    return Refuse(kBadParamShapeMismatch,
                  "XDESC and YDESC have the same dimensions");
  }
  descriptor.meaning = operation;
  return kSuccess;
}

Status FinalizeOperationGraph(Descriptor& descriptor) {
  if (!FindHandle(descriptor.Get<Handle>(kGraphHandle))) {
    return Bad("OPERATIONGRAPH_HANDLE is no handle");
  }
  auto problem = std::make_shared<Problem>();
  Status status = CollectProblem(descriptor, problem.get());
  if (status == kSuccess) {
    status = CheckUniqueIds(*problem);
  }
  if (status == kSuccess) {
    status = CheckVirtual(*problem);
  }
  if (status == kSuccess) {
    status = CheckSpace(problem->convolution);
  }
  if (status == kSuccess) {
    status = CheckTypes(problem->convolution);
  }
  if (status != kSuccess) {
    return status;
  }
  descriptor.meaning = std::shared_ptr<const Problem>(std::move(problem));
  descriptor.values[kGraphEngineGlobalCount] =
      Value::Of(kTypeInt64, std::vector<int64_t>{EngineCount()});
  return kSuccess;
}

}  // namespace accel::cuda_double::dnn
