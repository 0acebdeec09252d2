// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the decoders of barriers and the parser of functions share.
#ifndef ACCEL_TEST_CUDA_PTX_CONTROL_H_
#define ACCEL_TEST_CUDA_PTX_CONTROL_H_

#include "test/cuda/ptx/decoder.h"

namespace accel::ptx {

// bar.warp.sync, whose ".warp" is taken.
void DecodeWarpBarrier(Decoder& decoder);

// Leaves a function; the parser puts it at the end of every body.
Execute ReturnInstruction();

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_CONTROL_H_
