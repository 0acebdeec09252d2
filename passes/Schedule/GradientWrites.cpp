// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of the buffers that instructions write.
#include "passes/Schedule/GradientWrites.h"

#include "dialects/Accel/IR/StepNames.h"

using namespace mlir;
using namespace accel;

bool accel::writesBuffer(plan::InstructionOpInterface op,
                         llvm::function_ref<bool(plan::BufferOp)> holds) {
  return llvm::any_of(op.getAccesses(), [&](plan::BufferAccess access) {
    return access.access != plan::Access::Read &&
           holds(plan::getBufferRange(access.buffer).buffer);
  });
}

GradientWrites::GradientWrites(func::FuncOp step) {
  step.walk([&](plan::MetricOp metric) {
    if (metric.getName() == kGradientScaleMetric) {
      scale = plan::getBufferRange(metric.getBuffer()).buffer;
    }
  });
}

bool GradientWrites::changesGradients(plan::InstructionOpInterface op) const {
  return writesBuffer(op, [&](plan::BufferOp buffer) {
    return buffer.getKlass() == plan::MemoryClass::Gradients || buffer == scale;
  });
}

bool GradientWrites::isUpdate(plan::InstructionOpInterface op) {
  return writesBuffer(op, [](plan::BufferOp buffer) {
    return buffer.getKlass() == plan::MemoryClass::Optimizer;
  });
}
