// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bounds are tried, which one is taken, and how a report of ptxas reads.
#include "passes/Lower/Cuda/LaunchBound.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace accel::test {
namespace {

using Assembler = std::function<AssembledKernel(unsigned bound)>;

constexpr unsigned kThreads = 2048;

AssembledKernel makeKernel(unsigned registers, unsigned spilledBytes,
                           uint64_t size = 6400) {
  return {registers, spilledBytes, /*offset=*/0, size};
}

/// A kernel that spills below `least` registers, and by itself has `free`.
Assembler spillBelow(unsigned free, unsigned least) {
  return [=](unsigned bound) {
    unsigned registers =
        bound == 0 ? free : std::min(255u, 65536 / (128 * bound) / 8 * 8);
    return makeKernel(registers, registers < least ? 4 : 0);
  };
}

/// The bounds that were tried, and behind them the one that was found.
std::vector<unsigned> findBounds(const Assembler &assemble,
                                 unsigned threads = kThreads,
                                 unsigned own = 0) {
  LaunchBoundSearch search(threads, assemble(0), own);
  std::vector<unsigned> bounds;
  while (search.getNext() != 0) {
    bounds.push_back(search.getNext());
    search.add(assemble(search.getNext()));
  }
  bounds.push_back(search.getBound());
  return bounds;
}

using Bounds = std::vector<unsigned>;

TEST(LaunchBoundTest, HalfOfTheThreadsAreEnough) {
  EXPECT_EQ(findBounds(spillBelow(32, 0)), Bounds{0});
  EXPECT_EQ(findBounds(spillBelow(64, 0)), Bounds{0});
  EXPECT_EQ(findBounds(spillBelow(65, 0)), (Bounds{8, 8}));
  EXPECT_EQ(findBounds(spillBelow(80, 0), 1536), Bounds{0});
  EXPECT_EQ(findBounds(spillBelow(81, 0), 1536), (Bounds{6, 6}));
}

TEST(LaunchBoundTest, MoreBlocksUntilOneSpills) {
  EXPECT_EQ(findBounds(spillBelow(255, 100)), (Bounds{3, 4, 5, 4}));
  EXPECT_EQ(findBounds(spillBelow(255, 0)), (Bounds{3, 4, 5, 6, 7, 8, 8}));
  EXPECT_EQ(findBounds(spillBelow(255, 200)), (Bounds{3, 0}));
  // What LLVM has written stays where nothing better is found.
  EXPECT_EQ(findBounds(spillBelow(255, 200), kThreads, 1), (Bounds{3, 1}));
}

TEST(LaunchBoundTest, MoreBlocksUntilCodeIsLonger) {
  auto grow = [](uint64_t size) {
    return [=](unsigned bound) {
      return makeKernel(bound == 0 ? 255 : 65536 / (128 * bound) / 8 * 8, 0,
                        bound > 3 ? size : 6400);
    };
  };
  EXPECT_EQ(findBounds(grow(6600)), (Bounds{3, 4, 5, 6, 7, 8, 8}));
  EXPECT_EQ(findBounds(grow(6601)), (Bounds{3, 4, 3}));
}

TEST(LaunchBoundTest, FewerBlocksUntilNoneSpills) {
  EXPECT_EQ(findBounds(spillBelow(32, 33)), (Bounds{12, 12}));
  EXPECT_EQ(findBounds(spillBelow(40, 60)), (Bounds{10, 9, 8, 8}));
  EXPECT_EQ(findBounds(spillBelow(168, 255)), (Bounds{2, 2}));
}

/// It ends, too, where ptxas does not take the registers that a bound leaves.
TEST(LaunchBoundTest, AlwaysSpills) {
  auto spill = [](unsigned) { return makeKernel(40, 8); };
  EXPECT_EQ(findBounds(spill), (Bounds{10, 9, 8, 7, 6, 5, 4, 3, 2, 2}));
  EXPECT_EQ(findBounds(spillBelow(255, 300)), Bounds{0});
}

TEST(LaunchBoundTest, ReadsWhatPtxasPrints) {
  auto kernels = readKernels(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'one' for 'sm_90'\n"
      "ptxas info    : Function properties for one\n"
      "    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 0 barriers, 16 bytes "
      "cumulative stack size\n"
      "ptxas info    : Compiling entry function 'two' for 'sm_90'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels["one"].registers, 168u);
  EXPECT_EQ(kernels["one"].spilledBytes, 12u);
  EXPECT_EQ(kernels["two"].registers, 8u);
  EXPECT_EQ(kernels["two"].spilledBytes, 0u);
}

} // namespace
} // namespace accel::test
