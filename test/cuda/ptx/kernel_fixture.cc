// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/kernel_fixture.h"

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/hash.h"

namespace accel::ptx {
namespace {

constexpr uint32_t kThreads = 256;

std::string RegisterType(int bits) {
  return bits == 1 ? ".pred" : absl::StrCat(".b", bits);
}

// Loads operand `index` of the thread's row into %i<index>.
std::string LoadOperand(size_t index, int bits) {
  const std::string address =
      absl::StrCat("mad.lo.u64 %d1, %d0, 8, %rd1; add.u64 %d1, %d1, ",
                   index == 0 ? "0" : absl::StrCat("%stride", index), ";\n");
  const std::string load = absl::StrCat("ld.global.b64 %d2, [%d1];\n");
  switch (bits) {
    case 1:
      return address + load +
             absl::StrCat("setp.ne.b64 %i", index, ", %d2, 0;\n");
    case 64:
      return address + load + absl::StrCat("mov.b64 %i", index, ", %d2;\n");
    default:
      return address + load +
             absl::StrCat("cvt.u", bits, ".u64 %i", index, ", %d2;\n");
  }
}

std::string StoreResult(int bits) {
  const std::string address = "mad.lo.u64 %d1, %d0, 8, %rd0;\n";
  switch (bits) {
    case 1:
      return address + "selp.b64 %d2, 1, 0, %o;\nst.global.b64 [%d1], %d2;\n";
    case 64:
      return address + "st.global.b64 [%d1], %o;\n";
    default:
      return address + absl::StrCat("cvt.u64.u", bits,
                                    " %d2, %o;\nst.global.b64 [%d1], %d2;\n");
  }
}

std::string EvaluationText(absl::string_view instruction, int bits,
                           const std::vector<Operands>& operands) {
  std::string body = absl::StrCat(".reg ", RegisterType(bits), " %o;\n");
  for (size_t k = 0; k < operands.size(); ++k) {
    absl::StrAppend(&body, ".reg ", RegisterType(operands[k].bits), " %i", k,
                    ";\n.reg .b64 %stride", k, ";\nmul.lo.u64 %stride", k,
                    ", %rd2, ", 8 * k, ";\n");
  }
  absl::StrAppend(&body,
                  "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;\n"
                  "mad.lo.u32 %r0, %r0, ",
                  kThreads,
                  ", %r1; cvt.u64.u32 %d0, %r0;\n"
                  "setp.ge.u64 %p0, %d0, %rd2;\n@%p0 ret;\n");
  for (size_t k = 0; k < operands.size(); ++k) {
    body += LoadOperand(k, operands[k].bits);
  }
  absl::StrAppend(&body, instruction, "\n", StoreResult(bits));
  return KernelText(body);
}

}  // namespace

std::string KernelText(absl::string_view body, absl::string_view declarations,
                       absl::string_view limits) {
  std::string text =
      absl::StrCat(".version 8.8\n.target sm_100\n", ".address_size 64\n",
                   declarations, "\n.visible .entry k(\n");
  for (int k = 0; k < 4; ++k) {
    absl::StrAppend(&text, ".param .u64 k_param_", k, k < 3 ? ",\n" : "\n");
  }
  absl::StrAppend(&text, ") ", limits,
                  "\n{\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 "
                  "%r<32>;\n.reg .b64 %d<32>;\n.reg .b64 %rd<4>;\n");
  for (int k = 0; k < 4; ++k) {
    absl::StrAppend(&text, "ld.param.b64 %rd", k, ", [k_param_", k, "];\n");
  }
  absl::StrAppend(&text, body, "\nret;\n}\n");
  return text;
}

absl::Status RunKernel(absl::string_view text, std::vector<uint32_t>& memory,
                       const std::vector<uint32_t>& input, const Run1& run,
                       uint64_t number2, uint64_t number3) {
  absl::StatusOr<Module> module = Module::Parse(text);
  if (!module.ok()) {
    return module.status();
  }
  GlobalMemory global;
  absl::Status status = global.Add(memory.data(), 4 * memory.size(), "memory",
                                   Contents::kPoisoned);
  if (status.ok() && !input.empty()) {
    status = global.AddReadOnly(input.data(), 4 * input.size(), "input");
  }
  if (!status.ok()) {
    return status;
  }
  Launch launch;
  launch.grid = run.grid;
  launch.block = run.block;
  launch.dynamic_shared_bytes = run.dynamic_shared_bytes;
  launch.Add(memory.data()).Add(input.data()).Add(number2).Add(number3);
  return Run(*module->Find("k"), launch, global, run.options);
}

std::vector<uint64_t> Evaluate(absl::string_view instruction, int bits,
                               const std::vector<Operands>& operands,
                               const Options& options) {
  const std::string text = EvaluationText(instruction, bits, operands);
  absl::StatusOr<Module> module = Module::Parse(text);
  EXPECT_OK(module);
  const size_t rows = operands.front().values.size();
  std::vector<uint64_t> results(rows);
  std::vector<uint64_t> inputs;
  for (const Operands& column : operands) {
    EXPECT_EQ(column.values.size(), rows);
    inputs.insert(inputs.end(), column.values.begin(), column.values.end());
  }
  if (!module.ok()) {
    return results;
  }
  GlobalMemory memory;
  EXPECT_OK(
      memory.Add(results.data(), 8 * rows, "results", Contents::kPoisoned));
  EXPECT_OK(memory.AddReadOnly(inputs.data(), 8 * inputs.size(), "inputs"));
  Launch launch;
  launch.grid.x = static_cast<uint32_t>((rows + kThreads - 1) / kThreads);
  launch.block.x = kThreads;
  launch.Add(results.data()).Add(inputs.data()).Add(rows).Add(rows);
  EXPECT_OK(Run(*module->Find("k"), launch, memory, options));
  return results;
}

uint64_t Evaluate1(absl::string_view instruction, int bits,
                   const std::vector<Operands>& operands,
                   const Options& options) {
  return Evaluate(instruction, bits, operands, options).front();
}

std::vector<uint64_t> InterestingFloats() {
  std::vector<uint64_t> values = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
      0x3f800000, 0xbf800000, 0x3f800001, 0x3fffffff, 0x40490fdb, 0x4b000000,
      0x4b7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0x7f800001, 0xffc12345, 0x3effffff, 0x3f000000, 0x3f000001, 0x42280000};
  for (uint64_t k = 0; k < 40; ++k) {
    values.push_back(Hash(17, k) & 0xffffffff);
    // Numbers of like magnitude, whose sums and quotients round.
    values.push_back((Hash(18, k) & 0x80ffffff) | 0x3f000000);
  }
  return values;
}

std::vector<uint64_t> InterestingDoubles() {
  std::vector<uint64_t> values;
  for (const double value : {0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, 1e308, 1e-308,
                             4.9e-324, 3.141592653589793, 9007199254740993.0}) {
    values.push_back(Bits(value));
  }
  values.push_back(0x7ff0000000000000);
  values.push_back(0xfff0000000000000);
  values.push_back(0x7ff8000000000000);
  for (uint64_t k = 0; k < 30; ++k) {
    values.push_back(Hash(19, k));
    values.push_back((Hash(20, k) & 0x800fffffffffffff) | 0x3fe0000000000000);
  }
  return values;
}

std::vector<uint64_t> InterestingIntegers(int bits) {
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::vector<uint64_t> values = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100};
  values.push_back(mask);
  values.push_back(mask - 1);
  values.push_back(mask >> 1);
  values.push_back((mask >> 1) + 1);
  for (uint64_t k = 0; k < 30; ++k) {
    values.push_back(Hash(21, k) & mask);
    values.push_back((Hash(22, k) & mask) >> (k % bits));
  }
  return values;
}

std::vector<Operands> Pairs(int bits, const std::vector<uint64_t>& values) {
  Operands first{bits, {}};
  Operands second{bits, {}};
  for (const uint64_t a : values) {
    for (const uint64_t b : values) {
      first.values.push_back(a);
      second.values.push_back(b);
    }
  }
  return {first, second};
}

std::string ReadCorpus(absl::string_view name) {
  std::ifstream file(absl::StrCat(ACCEL_PTX_CORPUS, "/", name));
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace accel::ptx
