// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mma of the shape .m16n8k16: the product of two matrices of f16 or bf16, added
// to one of f32. Their elements lie in the registers of all threads of a warp.
//
// The PTX ISA leaves open in which order and how precisely the products are
// summed, above single precision, and what becomes of subnormal operands. Here
// they count, and the sum is one of doubles, rounded once.
#include <initializer_list>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/float_values.h"

namespace accel::ptx {
namespace {

constexpr int kRows = 16;    // of A, C and D
constexpr int kColumns = 8;  // of B, C and D
constexpr int kSummands = 16;

// Where the registers of each operand begin in the instruction's list.
constexpr int kD = 0;
constexpr int kA = 4;
constexpr int kB = 8;
constexpr int kC = 10;

struct Matrices {
  double a[kRows][kSummands];
  double b[kSummands][kColumns];
  double c[kRows][kColumns];
};

struct Position {
  int row;
  int column;
};

// Where in its matrix the element `i` of a thread's operand is.
Position PositionInA(uint32_t laneid, int i) {
  const int group = static_cast<int>(laneid) >> 2;
  const int thread = static_cast<int>(laneid) % 4;
  return {(i & 2) == 0 ? group : group + 8,
          2 * thread + (i & 1) + (i < 4 ? 0 : 8)};
}
Position PositionInB(uint32_t laneid, int i) {
  const int group = static_cast<int>(laneid) >> 2;
  const int thread = static_cast<int>(laneid) % 4;
  return {2 * thread + (i & 1) + (i < 2 ? 0 : 8), group};
}
Position PositionInC(uint32_t laneid, int i) {
  const int group = static_cast<int>(laneid) >> 2;
  const int thread = static_cast<int>(laneid) % 4;
  return {i < 2 ? group : group + 8, 2 * thread + (i & 1)};
}

void Wait(Thread& t, const Instruction& i) {
  t.block->WaitInWarp(t, i, 0xffffffff);
}

// Two elements share a register of A or B; the lower half is the first one.
void Gather(const Thread& t, Matrices& m) {
  const auto type = static_cast<Type>(t.wait->size);
  const uint32_t* slots = &t.function->lists[t.wait->list];
  const auto half = [&](int operand, int i) {
    return ValueOf(t.registers[slots[operand + i / 2]] >> (16 * (i % 2)), type);
  };
  for (int i = 0; i < 8; ++i) {
    const Position at = PositionInA(t.laneid, i);
    m.a[at.row][at.column] = half(kA, i);
  }
  for (int i = 0; i < 4; ++i) {
    const Position at = PositionInB(t.laneid, i);
    m.b[at.row][at.column] = half(kB, i);
  }
  for (int i = 0; i < 4; ++i) {
    const Position at = PositionInC(t.laneid, i);
    m.c[at.row][at.column] = Get<float>(t, slots[kC + i]);
  }
}

void Scatter(Thread& t, const Matrices& m) {
  const uint32_t* slots = &t.function->lists[t.wait->list];
  for (int i = 0; i < 4; ++i) {
    const Position at = PositionInC(t.laneid, i);
    double sum = m.c[at.row][at.column];
    for (int k = 0; k < kSummands; ++k) {
      sum += m.a[at.row][k] * m.b[k][at.column];
    }
    t.registers[slots[kD + i]] = BitsOfF32(static_cast<float>(sum));
  }
}

// --- decoding ---

const std::vector<Operand>& Elements(Decoder& d, size_t i, size_t count) {
  const Operand& operand = d.At(i);
  if (operand.kind != Operand::Kind::kVector ||
      operand.elements.size() != count) {
    d.Fail(absl::StrCat("expected ", count, " registers in braces as operand ",
                        i + 1));
  }
  return operand.elements;
}

void DecodeProduct(Decoder& d) {
  Instruction& i = d.instruction;
  const bool is_f16 = d.Has("f16");
  const absl::string_view type = is_f16 ? "f16" : "bf16";
  for (const absl::string_view modifier :
       std::initializer_list<absl::string_view>{"sync", "aligned", "m16n8k16",
                                                "row", "col", "f32", type, type,
                                                "f32"}) {
    if (!d.TakeNext(modifier)) {
      return;  // The next modifier is the one that is not known.
    }
  }
  d.Expect(4);
  std::vector<uint32_t> slots;
  for (const Operand& element : Elements(d, 0, 4)) {
    slots.push_back(d.Destination(element, 32));
  }
  for (const size_t source : {1, 2, 3}) {
    for (const Operand& element : Elements(d, source, source == 2 ? 2 : 4)) {
      slots.push_back(d.Source(element, source == 3 ? Type::kF32 : Type::kB32));
    }
  }
  i.list = d.AddList(slots);
  i.size = static_cast<uint8_t>(is_f16 ? Type::kF16 : Type::kBf16);
  i.warp = WarpOperation::kMatrixProduct;
  i.aligned = true;
  i.execute = &Wait;
}

}  // namespace

bool MultiplyTogether(Block& block, absl::Span<Thread* const> threads) {
  const Thread& first = *threads.front();
  for (const Thread* t : threads) {
    if (t->wait != first.wait) {
      block.Fault(*t, *t->wait,
                  absl::StrCat("divergent mma: other threads of this warp wait "
                               "at line ",
                               first.wait->line, ", and mma is aligned"));
      return false;
    }
  }
  if (threads.size() != kWarpSize) {
    block.Fault(first, *first.wait,
                absl::StrCat("mma is for all 32 threads of a warp, and the "
                             "block's end leaves this one ",
                             threads.size()));
    return false;
  }
  Matrices matrices;
  for (const Thread* t : threads) {
    Gather(*t, matrices);
  }
  for (Thread* t : threads) {
    Scatter(*t, matrices);
  }
  return true;
}

Decode FindMatrixInstruction(absl::string_view opcode) {
  return opcode == "mma" ? &DecodeProduct : nullptr;
}

}  // namespace accel::ptx
