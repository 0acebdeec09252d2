// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Lower for GPUs.
#ifndef ACCEL_PASSES_LOWER_CUDA_PASSES_H
#define ACCEL_PASSES_LOWER_CUDA_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace accel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Lower/Cuda/Passes.h.inc"
} // namespace accel

#endif
