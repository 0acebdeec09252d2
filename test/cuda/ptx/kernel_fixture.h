// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small kernels around one or a few instructions, for the interpreter's tests.
#ifndef ACCEL_TEST_CUDA_PTX_KERNEL_FIXTURE_H_
#define ACCEL_TEST_CUDA_PTX_KERNEL_FIXTURE_H_

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/interpreter.h"
#include "test/runtime/status_matchers.h"

namespace accel::ptx {

// A module with one kernel `k`. Its parameters are k_param_0 to k_param_3, of
// 64 bits each. The body may use %p<8>, %h<16> of 16 bits, %r<32> of 32 bits
// and %d<32> of 64 bits, and %rd0 to %rd3, which hold the parameters.
std::string KernelText(absl::string_view body,
                       absl::string_view declarations = "",
                       absl::string_view limits = "");

struct Run1 {
  Dim3 grid = {};
  Dim3 block = {};
  uint32_t dynamic_shared_bytes = 0;
  Options options = {};
};

// Runs `text`'s kernel `k`; parameter 0 is `memory`, 1 is `input`, 2 and 3 are
// numbers.
absl::Status RunKernel(absl::string_view text, std::vector<uint32_t>& memory,
                       const std::vector<uint32_t>& input, const Run1& run,
                       uint64_t number2 = 0, uint64_t number3 = 0);

// One column of operands, all of one width.
struct Operands {
  int bits = 32;
  std::vector<uint64_t> values;
};

// What `instruction`, whose destination is %o and whose sources are %i0, %i1
// and %i2, gives for every row of the operands. A destination of 1 bit is a
// predicate.
std::vector<uint64_t> Evaluate(absl::string_view instruction, int bits,
                               const std::vector<Operands>& operands,
                               const Options& options = {});

// The same for one row.
uint64_t Evaluate1(absl::string_view instruction, int bits,
                   const std::vector<Operands>& operands,
                   const Options& options = {});

inline uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }
inline float Float(uint64_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}
inline double Double(uint64_t bits) { return std::bit_cast<double>(bits); }

// Bit patterns of floats of all magnitudes, with all special values.
std::vector<uint64_t> InterestingFloats();
std::vector<uint64_t> InterestingDoubles();
std::vector<uint64_t> InterestingIntegers(int bits);

// All pairs of values, as two columns.
std::vector<Operands> Pairs(int bits, const std::vector<uint64_t>& values);

// A file of the corpus.
std::string ReadCorpus(absl::string_view name);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_KERNEL_FIXTURE_H_
