// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks by which a descriptor becomes final, and what it means then.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_FINALIZE_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_FINALIZE_H_

#include "test/cuda/double/dnn/descriptors.h"

namespace accel::cuda_double::dnn {

// Sets the meaning and the attributes that are read only. A descriptor that is
// refused stays as it was.
Status Finalize(Descriptor& descriptor);

// By kind. Requires: every required attribute is set, and whatever the
// descriptor refers to is finalized and exists.
Status FinalizeTensor(Descriptor& descriptor);
Status FinalizeConvolution(Descriptor& descriptor);
Status FinalizePointwise(Descriptor& descriptor);
Status FinalizeConvolutionOperation(Descriptor& descriptor);
Status FinalizePointwiseOperation(Descriptor& descriptor);
Status FinalizeOperationGraph(Descriptor& descriptor);
Status FinalizeEngine(Descriptor& descriptor);
Status FinalizeEngineCfg(Descriptor& descriptor);
Status FinalizeEngineHeur(Descriptor& descriptor);
Status FinalizePlan(Descriptor& descriptor);
Status FinalizeVariantPack(Descriptor& descriptor);

// A finalized configuration, with an engine that nobody can destroy.
SharedDescriptor MakeConfiguration(const SharedDescriptor& graph,
                                   const EngineConfiguration& configuration);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_FINALIZE_H_
