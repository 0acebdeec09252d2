// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the instruction families decode from: an opcode's modifiers, each of
// which somebody must take, and operands, which become registers. The first
// error stays, so that a family reads what it needs without a check at every
// step.
#ifndef ACCEL_TEST_CUDA_PTX_DECODER_H_
#define ACCEL_TEST_CUDA_PTX_DECODER_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "test/cuda/ptx/program.h"
#include "test/cuda/ptx/types.h"

namespace accel::ptx {

struct Operand {
  enum class Kind {
    kRegister,
    kInteger,
    kFloat,    // 0f..., 0d... and decimal: `integer` holds the bits of an f64
    kAddress,  // [base + offset]; the base is a register, a variable or none
    kVector,   // {a, b}
    kSymbol,   // a variable + offset, a function, a label
    kList,     // (a, b) of a call
    kSink,     // _
  };

  Kind kind = Kind::kSink;
  absl::string_view text;
  int64_t integer = 0;            // the offset of an address or a symbol, too
  bool is_single = false;         // 0f...: an f32
  bool negated = false;           // !%p
  bool is_register = false;       // the base of an address
  std::vector<Operand> elements;  // two of a | b, those of a vector or a list
};

struct Statement {
  absl::string_view opcode;                  // "ld"
  std::vector<absl::string_view> modifiers;  // "global", "v4", "b32"
  std::vector<Operand> operands;
  uint32_t line = 0;
};

// A name of a function's text.
struct Symbol {
  enum class Kind { kRegister, kVariable, kFrameVariable, kFunction };
  Kind kind = Kind::kRegister;
  uint32_t index = 0;  // a register, in variables, locals or functions
  int bits = 0;        // of a register
  Space space = Space::kGlobal;
};

// Names of the module, of the function and of the scopes within it; the last
// scope is the innermost.
using Scopes = std::vector<std::map<std::string, Symbol, std::less<>>>;

// The registers of a function while its body is read.
class RegisterFile {
 public:
  explicit RegisterFile(Function& function) : function_(function) {}

  uint32_t Declare(int bits);
  uint32_t Constant(uint64_t bits);
  uint32_t SpecialRegister(Special special);
  uint32_t Address(Space space, uint32_t variable, int64_t offset);

 private:
  Function& function_;
  std::map<uint64_t, uint32_t> constants_;
  std::map<Special, uint32_t> specials_;
};

class Decoder {
 public:
  Decoder(const Statement& statement, const Program& program,
          const Scopes& scopes, Function& function, RegisterFile& registers);

  Instruction instruction;

  // --- modifiers ---
  // Whether the opcode has the modifier and nobody has taken it.
  bool Has(absl::string_view modifier) const;
  // The same; takes it.
  bool Take(absl::string_view modifier);
  // Takes the first of these that the opcode has; "" if it has none.
  absl::string_view TakeOneOf(std::initializer_list<absl::string_view> choices);
  // Takes the first modifier that nobody has taken, if it is this one.
  bool TakeNext(absl::string_view modifier);
  // Takes the first modifier that is a type.
  Type TakeType();
  // Takes .rn, .rz, .rm or .rp.
  bool TakeRounding();

  // --- operands ---
  size_t count() const { return statement_.operands.size(); }
  const Operand& At(size_t i);
  // Fails unless the statement has so many operands.
  bool Expect(size_t count);
  // A destination of so many bits; kNone for `_`.
  uint32_t Destination(size_t i, int bits);
  uint32_t Destination(const Operand& operand, int bits);
  // A source of exactly so many bits. An integer is cut to them.
  uint32_t Source(size_t i, Type type);
  uint32_t Source(const Operand& operand, Type type);
  // A source of at least so many bits, as ld, st and cvt allow.
  uint32_t WideSource(const Operand& operand, Type type);
  uint32_t Predicate(const Operand& operand, bool* negated);
  // [base + offset], into `a` and `offset` of the instruction.
  void Address(size_t i);
  int BitsOfRegister(const Operand& operand);
  uint32_t Constant(uint64_t bits) { return registers_.Constant(bits); }
  // Adds registers to Function::lists and returns where they begin.
  uint32_t AddList(const std::vector<uint32_t>& values);
  const Symbol* FindSymbol(absl::string_view name) const;
  const Function* FunctionOf(const Symbol& symbol) const;
  Function& function() { return function_; }

  // --- errors ---
  void Fail(absl::string_view message);
  void FailUnknown(absl::string_view what);
  bool ok() const { return status_.ok(); }
  // The error, or one of a modifier that nobody took.
  absl::Status Finish();

 private:
  uint32_t Read(const Operand& operand, Type type, bool wide);
  uint32_t ReadRegister(const Operand& operand, int bits, bool wide);
  uint32_t ReadSymbol(const Operand& operand);
  uint64_t FloatBits(const Operand& operand, Type type);

  const Statement& statement_;
  const Program& program_;
  const Scopes& scopes_;
  Function& function_;
  RegisterFile& registers_;
  std::vector<bool> taken_;
  absl::Status status_;
};

// Decodes one family's instruction; the opcode is the statement's.
using Decode = void (*)(Decoder&);

struct Family {
  absl::string_view opcode;
  Decode decode;
};

// The families, each of a file of its own. Null: not of this family.
Decode FindIntegerInstruction(absl::string_view opcode);
Decode FindBitInstruction(absl::string_view opcode);
Decode FindFloatInstruction(absl::string_view opcode);
Decode FindCompareInstruction(absl::string_view opcode);
Decode FindApproximation(absl::string_view opcode);
Decode FindConversion(absl::string_view opcode);
Decode FindMemoryInstruction(absl::string_view opcode);
Decode FindAtomicInstruction(absl::string_view opcode);
Decode FindControlInstruction(absl::string_view opcode);
Decode FindWarpInstruction(absl::string_view opcode);
Decode FindMatrixInstruction(absl::string_view opcode);

// Add, subtract, multiply and their like of a floating-point type; integers'
// decoders hand them on.
void DecodeFloatArithmetic(Decoder& decoder, absl::string_view opcode,
                           Type type);
// min and max of floating-point numbers.
void DecodeMinMax(Decoder& decoder, Type type, bool is_max);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_DECODER_H_
