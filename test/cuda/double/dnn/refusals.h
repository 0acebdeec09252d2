// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an entry point begins, and how it says no. What nobody should ever ask
// for (CUDNN_STATUS_NOT_INITIALIZED, BAD_PARAM and its kind) is reported as a
// mistake of the caller's, by the driver's double. What a caller may ask for
// and not get (NOT_SUPPORTED, a failure) is a line on stderr if
// CUDNN_LOGLEVEL_DBG, which is cuDNN's own variable, is at 1 or more. Both are
// what cudnnGetLastErrorString says afterwards on the same thread.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_REFUSALS_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_REFUSALS_H_

#include <string>

#include "test/cuda/double/dnn/abi.h"

namespace accel::cuda_double::dnn {

// Returns the status that the environment asks for at this call, or a success.
// Requires: `entry` is a literal.
Status Enter(const char* entry);

// Returns `status`.
Status Refuse(Status status, const std::string& reason);
// The refusal that is documented for almost everything.
Status Bad(const std::string& reason);

// The reason of this thread's last refusal; empty if there was none.
const char* LastReason();

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_REFUSALS_H_
