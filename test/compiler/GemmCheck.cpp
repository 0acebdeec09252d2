// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Library calls. The bound of an element is the rounding error of k + 1
// products and sums in any order, u (2 + 4 sqrt k) times the sum of their sizes
// (sums of random errors grow with the root; 4 sigma).
#include "runtime/device/cpu_gemm.h"
#include "runtime/device/thread_team.h"
#include "test/compiler/OracleCheck.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace accel::test {
namespace {

using Floats = std::vector<float>;

Floats readFloats(const Place &place) {
  Floats values(place.bytes / sizeof(float));
  memcpy(values.data(), place.data, place.bytes);
  return values;
}

uint64_t getCount(const planpb::Gemm &gemm) {
  uint64_t count = 1;
  for (uint64_t size : gemm.batch()) {
    count *= size;
  }
  return count;
}

/// Where matrix number `index` of the batch begins.
uint64_t getBegin(const planpb::Gemm &gemm, const planpb::Matrix &matrix,
                  uint64_t index) {
  uint64_t begin = 0;
  for (int i = gemm.batch_size() - 1; i >= 0; --i) {
    begin += index % gemm.batch(i) * matrix.batch_strides(i);
    index /= gemm.batch(i);
  }
  return begin;
}

float getElement(const Floats &values, uint64_t begin,
                 const planpb::Matrix &matrix, uint64_t row, uint64_t column) {
  return values.at(begin + row * matrix.row_stride() +
                   column * matrix.column_stride());
}

bool compareElement(const planpb::Gemm &gemm, double expected, double size,
                    float actual) {
  double bound =
      0x1p-24 * (2.0 + 4.0 * std::sqrt(static_cast<double>(gemm.k()))) * size;
  if (std::fabs(actual - expected) <= bound) {
    return true;
  }
  ADD_FAILURE() << "expected " << expected << ", got " << actual << ", bound "
                << bound;
  return false;
}

bool compareProduct(const planpb::Gemm &gemm, const Floats &a, const Floats &b,
                    const Floats &before, const Floats &after) {
  for (uint64_t each = 0; each < getCount(gemm); ++each) {
    uint64_t atA = getBegin(gemm, gemm.a(), each);
    uint64_t atB = getBegin(gemm, gemm.b(), each);
    uint64_t atC = getBegin(gemm, gemm.c(), each);
    for (uint64_t i = 0; i < gemm.m(); ++i) {
      for (uint64_t j = 0; j < gemm.n(); ++j) {
        double sum =
            gemm.beta() == 0.0f ? 0.0 : getElement(before, atC, gemm.c(), i, j);
        double size = std::fabs(sum);
        for (uint64_t l = 0; l < gemm.k(); ++l) {
          double term = gemm.alpha() *
                        double(getElement(a, atA, gemm.a(), i, l)) *
                        getElement(b, atB, gemm.b(), l, j);
          sum += term;
          size += std::fabs(term);
        }
        if (!compareElement(gemm, sum, size,
                            getElement(after, atC, gemm.c(), i, j))) {
          return false;
        }
      }
    }
  }
  return true;
}

/// Runs the library call with `threads` threads and a poisoned workspace.
bool multiply(const planpb::Gemm &gemm, int threads, const void *a,
              const void *b, void *c) {
  const runtime::ThreadTeam team = runtime::ThreadTeam::Create(threads).value();
  auto product = runtime::CpuGemm::Create(gemm, threads);
  if (!product.ok()) {
    ADD_FAILURE() << std::string(product.status().message());
    return false;
  }
  std::vector<char> workspace((*product)->workspace_bytes(), '\xFF');
  absl::Status done = (*product)->Run({a, b, c, workspace.data()}, team);
  EXPECT_TRUE(done.ok()) << std::string(done.message());
  return done.ok();
}

} // namespace

bool runGemm(const planpb::Gemm &gemm, const Place &a, const Place &b,
             const Place &c) {
  return multiply(gemm, 1, a.data, b.data, c.data);
}

bool checkGemm(const planpb::Gemm &gemm, const Place &a, const Place &b,
               const Place &c) {
  EXPECT_EQ(gemm.beta() != 0.0f, c.isRead);
  Floats left = readFloats(a), right = readFloats(b), before = readFloats(c);
  Floats first;
  for (int threads : {1, 2}) {
    Floats after = before;
    if (!c.isRead) {
      after.assign(after.size(), std::numeric_limits<float>::quiet_NaN());
    }
    if (!multiply(gemm, threads, left.data(), right.data(), after.data())) {
      return false;
    }
    if (!compareProduct(gemm, left, right, before, after)) {
      ADD_FAILURE() << "with " << threads << " threads";
      return false;
    }
    first = threads == 1 ? after : first;
    EXPECT_EQ(memcmp(first.data(), after.data(), c.bytes), 0)
        << "other bits with " << threads << " threads";
  }
  EXPECT_EQ(left, readFloats(a));
  EXPECT_EQ(right, readFloats(b));
  memcpy(c.data, first.data(), c.bytes);
  return !testing::Test::HasFailure();
}

} // namespace accel::test
