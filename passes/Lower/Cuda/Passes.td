// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of the phase Lower for GPUs: from what kernels compute to what each thread of a warp does.
#ifndef ACCEL_PASSES_LOWER_CUDA_PASSES_TD
#define ACCEL_PASSES_LOWER_CUDA_PASSES_TD
include "mlir/Pass/PassBase.td"

def LowerWarpKernelsPass : Pass<"accel-lower-warp-kernels", "::mlir::ModuleOp"> {
  let summary = "writes the loops of every kernel, for a warp";
  let description = [{
    The loops of LowerKernels, for kernels that are no products: on GPUs a library does those. What is emitted is what one
    warp does for the tiles `[begin, end)`; DistributeRows then says which of its threads does what. Attention of 16-bit floats, where rows are long enough
    for matrix instructions and registers, says itself which thread does what. So do kernels that transpose what they copy or compute, whose threads turn blocks in their registers
    (kernels of rows whose tiles are elements).

    An argument of the code says at which multiples of bytes it begins (`llvm.align`), up to 16: that is what all launches of the kernel have in common.

    Requires: AssignGeometry.
    Ensures: every kernel has its code; the kernels themselves stay, as its definition.

    ```mlir
    plan.variant @compute_80 cuda tuned for "sm_80" needs ["compute_80", "ptx71"] lanes 128
    func.func private @twice(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {
        plan.kernel = {kind = "flat", elements = 4096 : i64, rows = 1 : i64, columns = 4096 : i64},
        plan.code = {"compute_80" = #plan.code<32 tiles of 128 elements, threads 128>}} {
      %y = accel.add %x, %x : tensor<4096xf32>
      return %y : tensor<4096xf32>
    }
    ```
  }];
  let options = [Option<"variant", "variant", "std::string", "\"\"", "The variant to write code for; none: the first of the module">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def DistributeRowsPass : Pass<"accel-distribute-rows", "::mlir::func::FuncOp"> {
  let summary = "shares one-dimensional linalg.generics out among the threads of a warp";
  let description = [{
    A loop over chunks of `lanes` elements, and a tail. Where all that a loop reads and stores is known to begin at multiples of four elements
    (`llvm.align` of the function's arguments, and what divides the offsets of views), chunks have 128 elements and there is at least one, thread t takes
    elements 4 t to 4 t + 3 in one access of up to 16 bytes. Otherwise it takes elements t, t + 32, ..., each by itself. In the tail an element is
    computed if it is there; of neighbours all four are asked for at once where the row has a multiple of four elements.

    Lane l of a reduction takes elements l, l + lanes, ...; at the end lanes are combined by halves, and every thread has the total. Without
    neighbours that is first within a thread and then by butterfly shuffles; with neighbours first across threads, which deal their sums out as they
    exchange them: eight shuffles for four sums of each thread. Either way it is what VectorizeRows does on CPUs with as many lanes, so both compute
    the same bits.

    What lies outside of linalg.generics is computed by all threads, and stored by the first. Threads wait for each other where one may read
    what another stores. Buffers of the call are each thread's own; of one that linalg.generics run over a thread keeps its own elements
    only, so that they fit into registers, and all loops over it divide their elements alike.

    Requires: linalg.generics over buffers with the indexing maps (j) -> (j) and (j) -> (), which all threads of a warp reach.
    Ensures: no linalg operation is left.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "128", "Elements of a chunk, a power of two">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}
#endif
