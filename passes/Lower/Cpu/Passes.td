// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Lower for CPUs: from what kernels compute to loops over memory.
#ifndef ACCEL_PASSES_LOWER_CPU_PASSES_TD
#define ACCEL_PASSES_LOWER_CPU_PASSES_TD
include "mlir/Pass/PassBase.td"

def LowerKernelsPass : Pass<"accel-lower-kernels", "::mlir::ModuleOp"> {
  let summary = "writes the loops of every kernel";
  let description = [{
    Adds, next to every function with the attribute `plan.kernel`, a function of the same name and `.code` whose arguments
    are the kernel's operands and results as flat buffers (booleans as bytes) and the tiles `[begin, end)`. Its body
    consists of loops over rows, scalar arithmetic, and one-dimensional `linalg.generic`s over neighbouring elements. Views
    have become index arithmetic, done once per row. Attention is written as tiles of explicit vectors instead, with one more
    argument, the thread's workspace, and so are matrix products. Code is cut as `plan.code` says for the variant, which changes
    no bit. What kernels share (packing and multiplying of matrices, normal numbers) is added once, as private functions
    that they call.

    Requires: AssignGeometry.
    Ensures: every kernel has its code; the kernels themselves stay, as its definition.

    ```mlir
    plan.variant @"x86-64-v3" cpu tuned for "x86-64-v3" needs ["avx2"] lanes 64
    func.func private @twice(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {
        plan.kernel = {kind = "flat", elements = 4096 : i64, rows = 1 : i64, columns = 4096 : i64},
        plan.code = {"x86-64-v3" = #plan.code<32 tiles of 128 elements>}} {
      %y = accel.add %x, %x : tensor<4096xf32>
      return %y : tensor<4096xf32>
    }
    ```
  }];
  let options = [Option<"variant", "variant", "std::string", "\"\"", "The variant to write code for; none: the first of the module">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def VerifyLowerPass : Pass<"accel-verify-lower", "::mlir::ModuleOp"> {
  let summary = "checks what LowerKernels promises";
  let description = [{
    Every kernel has its code, with a buffer for every operand and result, and code calls nothing outside the module. What a
    linalg.generic calls has the form that VectorizeRows will want, NAME.x8.

    Requires: LowerKernels. Changes nothing.
  }];
}

def VectorizeRowsPass : Pass<"accel-vectorize-rows", "::mlir::func::FuncOp"> {
  let summary = "turns one-dimensional linalg.generics into loops of wide vectors";
  let description = [{
    A loop of `lanes`-wide vector operations and one masked tail. Lane l of a reduction takes elements l, l + lanes, ...;
    at the end the lanes are combined by halves. So the order of every sum is in the IR, and no target's choice of vector
    width changes a bit. A loop over a single element becomes scalar; one over less than `lanes` uses as many lanes as the
    next power of two, at least 16; one that computes doubles and reduces nothing, or calls a function, uses 8. Of a
    function that is called there is a form for 8 lanes, NAME.x8.

    `accel.divisor` on a linalg.generic is a power of two that divides its trip count: where it has as many lanes as that,
    or fewer, there is no tail. One that reduces nothing uses at most that many lanes, but 16 or more.

    Requires: linalg.generics over buffers with the indexing maps (j) -> (j) and (j) -> ().
    Ensures: no linalg operation is left.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "64", "Elements per vector, a power of two">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}
#endif
