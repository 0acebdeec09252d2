// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every kernel's PTX gives what the interpreter of the dialect gives for its
// definition, whatever the order of threads, and touches no memory but its own.
// It gives the same bits where its operands begin at multiples of the longest
// access and where they begin at any element.
// Code for CPUs of the same plan gives the same bits, but for attention and
// grouped products of 16 bits, which are summed in another order.
#include "test/cuda/PtxRun.h"
#include "test/passes/lower/KernelProgram.h"

#include "passes/Analysis/OperandAlignment.h"
#include "passes/Target/Cuda/CudaTarget.h"
#include "passes/Target/Cuda/GroupedWarpTiles.h"
#include "passes/Target/Cuda/WarpAttentionTiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace mlir;

namespace accel::test {
namespace {

/// Parts of names of cases that take the interpreter seconds each: many keys,
/// or rows, of which none is special on GPUs, and types whose code is that of
/// others.
constexpr const char *kLong[] = {"100", "101", "130", "64", "_f16"};
constexpr const char *kLongGrouped[] = {"_64", "_75", "_many", "_deep"};

CodeVariant findVariant(ArrayRef<CodeVariant> among, StringRef name) {
  return *llvm::find_if(
      among, [&](const CodeVariant &each) { return each.name == name; });
}

/// A plan's variants for GPUs of one generation, and for CPUs beside them.
SmallVector<CodeVariant> assignCudaGeometry(func::FuncOp kernel) {
  CodeVariant gpu = findVariant(getCudaVariants(), "compute_80");
  CodeVariant host = findVariant(getCpuVariants(), "x86-64-v3");
  host.lanes = gpu.lanes;
  CudaTarget target({gpu}, {host});
  SmallVector<CodeVariant> variants{gpu, host};
  NamedAttrList codes;
  for (const CodeVariant &variant : variants) {
    codes.set(variant.name,
              target.getEntry(kernel, variant, /*mayUseTf32=*/false));
  }
  kernel->setAttr(plan::kCodeAttr, codes.getDictionary(kernel.getContext()));
  return variants;
}

plan::CodeAttr getCode(func::FuncOp kernel, const CodeVariant &variant) {
  auto codes = kernel->getAttrOfType<DictionaryAttr>(plan::kCodeAttr);
  return codes.getAs<plan::CodeAttr>(variant.name);
}

std::vector<PtxRange> getRanges(const Program &program,
                                const LaunchMemory &memory) {
  std::vector<PtxRange> ranges;
  std::vector<void *> pointers = memory.getPointers();
  std::vector<size_t> sizes = memory.getSizes();
  size_t count = program.arguments.size();
  for (size_t i = 0; i < pointers.size(); ++i) {
    bool isResult = i >= count;
    // What is added to may be read, even where a flag says that it is not kept.
    bool isRead = !isResult || isAccumulated(program.kernel, i - count);
    ranges.push_back({pointers[i], sizes[i], isRead, isResult});
  }
  return ranges;
}

/// The code for CPUs on fresh memory.
void runOnHost(const Program &program, const VariantCode &code,
               const LaunchMemory &memory) {
  std::vector<void *> pointers = memory.getPointers();
  std::unique_ptr<GuardedBuffer> workspace = makeWorkspace(program.kernel);
  if (workspace) {
    pointers.push_back(workspace->data());
  }
  FlushedSubnormals flush(program.kernel);
  MappedImage image(code.image);
  image.getFunction(code.image.entries[0])(
      pointers.data(), 0, getCode(program.kernel, code.variant).getTiles());
}

/// The same bits, but of NaN, of which processors make different ones.
void expectSame(const Program &program, const LaunchMemory &gpu,
                const LaunchMemory &host) {
  for (size_t i = 0; i < program.expected.size(); ++i) {
    if (gpu.resultBytes()[i] == host.resultBytes()[i]) {
      continue;
    }
    HostTensor a = gpu.result(i), b = host.result(i);
    ASSERT_TRUE(a.isFloat()) << "other bits than those of CPUs in " << i;
    for (int64_t j = 0; j < a.getNumElements(); ++j) {
      double x = a.getAsDouble(j), y = b.getAsDouble(j);
      bool areSame = std::isnan(x)
                         ? std::isnan(y)
                         : x == y && std::signbit(x) == std::signbit(y);
      ASSERT_TRUE(areSame) << "result " << i << ", element " << j << ": " << x
                           << " on GPUs, " << y << " on CPUs";
    }
  }
}

/// Whether probabilities and gradients of scores are rounded to 16 bits before
/// they are multiplied; code for CPUs keeps them in f32.
bool roundsFactors(func::FuncOp kernel) {
  Operation *attention = findAttention(kernel);
  return attention && WarpAttentionTiles::get(attention).usesMatrices;
}

bool isNarrowGrouped(func::FuncOp kernel) {
  Operation *grouped = findGrouped(kernel);
  return grouped && GroupedWarpTiles::get(grouped).isNarrow;
}

/// Code for operands that begin at multiples of `alignment` bytes.
FailureOr<LoweredCode> lower(const Program &program,
                             ArrayRef<CodeVariant> variants,
                             int64_t alignment) {
  func::FuncOp kernel = program.kernel;
  SmallVector<int64_t> all(kernel.getNumArguments() + kernel.getNumResults(),
                           alignment);
  kernel->setAttr(kAlignmentsAttr,
                  DenseI64ArrayAttr::get(kernel.getContext(), all));
  FailureOr<LoweredCode> lowered = lowerKernels(*program.module, variants);
  EXPECT_TRUE(succeeded(lowered)) << program.diagnostics;
  return lowered;
}

/// Runs all tiles, in two launches and in an order of the seed.
void runTiles(const Program &program, const VariantCode &code,
              const LaunchMemory &memory, unsigned seed) {
  PtxImage image(code.image);
  plan::CodeAttr geometry = getCode(program.kernel, code.variant);
  int64_t middle = geometry.getTiles() * seed / 3;
  for (auto [begin, end] : {std::pair<int64_t, int64_t>(0, middle),
                            {middle, geometry.getTiles()}}) {
    absl::Status status = image.run("k", getRanges(program, memory), begin, end,
                                    geometry.getThreads(), seed);
    ASSERT_TRUE(status.ok()) << status;
  }
  memory.check();
}

void check(const KernelCase &kernelCase) {
  Program program;
  ASSERT_NO_FATAL_FAILURE(prepare(kernelCase, program));
  ASSERT_NO_FATAL_FAILURE(expandComposites(program));
  SmallVector<CodeVariant> variants = assignCudaGeometry(program.kernel);
  bool isAttention =
      IterationDomain::get(program.kernel)->kind == LoopKind::Attention;
  // All sum in orders of their own.
  bool hasBitsOfHosts = !isAttention && !isNarrowGrouped(program.kernel) &&
                        kernelCase.name != "random_normal_sum";
  std::vector<std::string> reference;
  for (unsigned seed = isAttention ? 2 : 1; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    int64_t alignment = seed == 1 ? 1 : kLongestAccess;
    FailureOr<LoweredCode> lowered = lower(program, variants, alignment);
    ASSERT_TRUE(succeeded(lowered)) << kernelCase.text;
    // At any element means at one that no longer access may begin at.
    LaunchMemory memory(program, kernelCase, kLongestAccess,
                        /*before=*/alignment == 1 ? 1 : 0);
    ASSERT_NO_FATAL_FAILURE(
        runTiles(program, lowered->variants[0], memory, seed));
    if (!reference.empty()) {
      EXPECT_TRUE(reference == memory.resultBytes()) << "the bits differ";
      continue;
    }
    compare(program, memory,
            kernelCase.tolerance * (roundsFactors(program.kernel) ? 2.5 : 1));
    reference = memory.resultBytes();
    if (hasBitsOfHosts && canRun(variants[1])) {
      LaunchMemory host(program, kernelCase);
      runOnHost(program, lowered->variants[1], host);
      expectSame(program, memory, host);
    }
  }
}

/// Without those whose names have one of `parts`; tools/check --cuda runs
/// these, too.
std::vector<KernelCase> getShort(std::vector<KernelCase> cases,
                                 ArrayRef<const char *> parts) {
  if (std::getenv("ACCEL_CHECK_CUDA")) {
    return cases;
  }
  std::erase_if(cases, [&](const KernelCase &each) {
    return llvm::any_of(parts, [&](const char *part) {
      return each.name.find(part) != std::string::npos;
    });
  });
  return cases;
}

class CudaKernelTest : public testing::TestWithParam<KernelCase> {};

TEST_P(CudaKernelTest, GivesWhatTheInterpreterGives) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Flat, CudaKernelTest,
                         testing::ValuesIn(getFlatCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Rows, CudaKernelTest, testing::ValuesIn(getRowCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Views, CudaKernelTest,
                         testing::ValuesIn(getViewCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Transposes, CudaKernelTest,
                         testing::ValuesIn(getTransposeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Turned, CudaKernelTest,
                         testing::ValuesIn(getTurnedCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Columns, CudaKernelTest,
                         testing::ValuesIn(getColumnCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Attention, CudaKernelTest,
                         testing::ValuesIn(getShort(getAttentionCases(),
                                                    kLong)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Grouped, CudaKernelTest,
                         testing::ValuesIn(getShort(getGroupedCases(),
                                                    kLongGrouped)),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Codes, CudaKernelTest,
                         testing::ValuesIn(getQuantizeCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(SmallFloats, CudaKernelTest,
                         testing::ValuesIn(getSmallFloatCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(WindowViews, CudaKernelTest,
                         testing::ValuesIn(getWindowViewCases()), nameOf);

} // namespace
} // namespace accel::test
