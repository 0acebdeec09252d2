// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, calls, the ends of threads, and barriers of the block. The targets
// of branches are labels, which the parser resolves at the function's end.
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/block.h"
#include "test/cuda/ptx/control.h"
#include "test/cuda/ptx/decoder.h"
#include "test/cuda/ptx/thread.h"

namespace accel::ptx {
namespace {

void Branch(Thread& t, const Instruction& i) { t.pc = i.target; }

void BranchByIndex(Thread& t, const Instruction& i) {
  const uint64_t index = t.registers[i.a];
  const uint32_t* table = &t.function->lists[i.list];
  if (index >= table[0]) {
    t.Fault(absl::StrCat("brx.idx: there is no target ", index, " among ",
                         table[0]));
    return;
  }
  t.pc = table[1 + index];
}

void Call(Thread& t, const Instruction& i) { t.block->Call(t, i); }
void Return(Thread& t, const Instruction&) { t.block->Return(t); }
void Exit(Thread& t, const Instruction&) { t.block->Exit(t); }
void Trap(Thread& t, const Instruction&) { t.Fault("the kernel traps"); }
void Nothing(Thread&, const Instruction&) {}

uint32_t ExpectedThreads(const Thread& t, const Instruction& i) {
  return i.b == kNone ? 0 : Get<uint32_t>(t, i.b);
}
void WaitAtBarrier(Thread& t, const Instruction& i) {
  t.block->WaitAtBarrier(t, i, Get<uint32_t>(t, i.a), ExpectedThreads(t, i));
}
void ArriveAtBarrier(Thread& t, const Instruction& i) {
  t.block->ArriveAtBarrier(t, i, Get<uint32_t>(t, i.a), ExpectedThreads(t, i));
}

// --- decoding ---

void DecodeBranch(Decoder& d) {
  d.Take("uni");
  d.Expect(1);
  d.instruction.execute = &Branch;
}

void DecodeBranchByIndex(Decoder& d) {
  d.Take("uni");
  d.Expect(2);
  if (d.Take("idx")) {
    d.instruction.a = d.Source(0, Type::kU32);
    d.instruction.execute = &BranchByIndex;
  }
}

template <Execute kExecute>
void DecodeEnd(Decoder& d) {
  d.Take("uni");
  d.Expect(0);
  d.instruction.execute = kExecute;
}

void DecodeSleep(Decoder& d) {
  d.TakeType();
  d.Expect(1);
  d.Source(0, Type::kU32);
  d.instruction.execute = &Nothing;
}

// Where a .param variable of this function lies in its frame.
uint32_t ParamOffset(Decoder& d, const Operand& operand,
                     const Parameter& parameter) {
  const Symbol* symbol = d.FindSymbol(operand.text);
  if (operand.kind != Operand::Kind::kSymbol || symbol == nullptr ||
      symbol->kind != Symbol::Kind::kFrameVariable ||
      symbol->space != Space::kParam) {
    d.FailUnknown(
        absl::StrCat("expected a .param variable, got '", operand.text, "'"));
    return 0;
  }
  const Variable& variable = d.function().locals[symbol->index];
  if (variable.size_bytes != parameter.size_bytes) {
    d.Fail(absl::StrCat("'", operand.text, "' has ", variable.size_bytes,
                        " bytes, the parameter '", parameter.name, "' has ",
                        parameter.size_bytes));
  }
  return variable.offset;
}

// call (results), function, (arguments): both lists may be missing.
void DecodeCall(Decoder& d) {
  d.Take("uni");
  static const Operand* const kNoList = new Operand();
  size_t at = 0;
  const bool has_results = d.At(0).kind == Operand::Kind::kList;
  const Operand& results = has_results ? d.At(at++) : *kNoList;
  const Symbol* symbol = d.FindSymbol(d.At(at++).text);
  const Operand& arguments = d.count() > at ? d.At(at++) : *kNoList;
  d.Expect(at);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::kFunction) {
    d.FailUnknown(
        "expected a function of this module; there are no calls "
        "through a register");
    return;
  }
  const Function& callee = *d.FunctionOf(*symbol);
  if (results.elements.size() != callee.results.size() ||
      arguments.elements.size() != callee.parameters.size()) {
    d.Fail(absl::StrCat("'", callee.name, "' has other parameters"));
    return;
  }
  std::vector<uint32_t> offsets;
  for (size_t k = 0; k < callee.results.size(); ++k) {
    offsets.push_back(ParamOffset(d, results.elements[k], callee.results[k]));
  }
  for (size_t k = 0; k < callee.parameters.size(); ++k) {
    offsets.push_back(
        ParamOffset(d, arguments.elements[k], callee.parameters[k]));
  }
  d.instruction.list = d.AddList(offsets);
  d.instruction.target = symbol->index;
  d.function().callees.push_back(symbol->index);
  d.instruction.execute = &Call;
}

// bar.red: d, a {, b}, {!}c
void DecodeBarrierReduction(Decoder& d) {
  Instruction& i = d.instruction;
  const absl::string_view operation = d.TakeOneOf({"popc", "and", "or"});
  const Type type = d.TakeType();
  i.variant = operation == "popc" ? 0 : operation == "and" ? 1 : 2;
  const size_t last = d.count() == 4 ? 3 : 2;
  d.Expect(last + 1);
  i.d = d.Destination(0, BitsOf(type));
  i.a = d.Source(1, Type::kU32);
  i.b = last == 3 ? d.Source(2, Type::kU32) : kNone;
  i.c = d.Predicate(d.At(last), &i.negated);
  i.execute = operation.empty() ? nullptr : &WaitAtBarrier;
}

// `always_aligned`: of bar; barrier has .aligned.
void DecodeBarrierOfBlock(Decoder& d, bool always_aligned) {
  Instruction& i = d.instruction;
  d.Take("cta");
  i.aligned = d.Take("aligned") || always_aligned;
  const absl::string_view kind = d.TakeOneOf({"sync", "arrive", "red"});
  if (kind == "red") {
    DecodeBarrierReduction(d);
    return;
  }
  if (d.count() != 1 || kind == "arrive") {
    d.Expect(2);
    i.b = d.Source(1, Type::kU32);
  }
  i.a = d.Source(0, Type::kU32);
  if (!kind.empty()) {
    i.execute = kind == "sync" ? &WaitAtBarrier : &ArriveAtBarrier;
  }
}

void DecodeBar(Decoder& d) {
  if (d.Take("warp")) {
    DecodeWarpBarrier(d);
  } else {
    DecodeBarrierOfBlock(d, /*always_aligned=*/true);
  }
}
void DecodeBarrier(Decoder& d) {
  DecodeBarrierOfBlock(d, /*always_aligned=*/false);
}

constexpr Family kFamilies[] = {
    {"bra", &DecodeBranch},      {"brx", &DecodeBranchByIndex},
    {"call", &DecodeCall},       {"ret", &DecodeEnd<&Return>},
    {"exit", &DecodeEnd<&Exit>}, {"trap", &DecodeEnd<&Trap>},
    {"nanosleep", &DecodeSleep}, {"bar", &DecodeBar},
    {"barrier", &DecodeBarrier},
};

}  // namespace

Execute ReturnInstruction() { return &Return; }

Decode FindControlInstruction(absl::string_view opcode) {
  for (const Family& family : kFamilies) {
    if (family.opcode == opcode) {
      return family.decode;
    }
  }
  return nullptr;
}

}  // namespace accel::ptx
