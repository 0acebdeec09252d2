// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An execution plan as text, from which another process can make it again.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_PLAN_JSON_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_PLAN_JSON_H_

#include <string>

#include "test/cuda/double/dnn/engines.h"

namespace accel::cuda_double::dnn {

std::string WritePlan(const EngineConfiguration& configuration);

// kBadParam for a text that WritePlan did not write,
// kSerializationVersionMismatch for one of another version of the library, and
// kNotSupportedArchMismatch for one of another capability.
Status ReadPlan(const std::string& text, EngineConfiguration* configuration);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_PLAN_JSON_H_
