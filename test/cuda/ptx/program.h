// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parsed module in the form in which it runs: instructions are functions with
// the indices of their registers. Constants, special registers and addresses
// of variables are registers too, filled in before a thread begins, so that an
// instruction never asks what kind of operand it has.
#ifndef ACCEL_TEST_CUDA_PTX_PROGRAM_H_
#define ACCEL_TEST_CUDA_PTX_PROGRAM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "test/cuda/ptx/module.h"
#include "test/cuda/ptx/rounding.h"

namespace accel::ptx {

struct Thread;
struct Instruction;

// A register that a thread never reads.
inline constexpr uint32_t kNone = 0xffffffff;

enum class Space : uint8_t {
  kGeneric,
  kGlobal,
  kShared,
  kLocal,
  kConst,
  kParam
};

// How an access takes part in races.
enum class Order : uint8_t {
  kPlain,
  kStrong,       // relaxed, acquire, release, volatile and atomics
  kNonCoherent,  // ld.global.nc
};

// The operation of an instruction for which the threads of a warp wait.
enum class WarpOperation : uint8_t {
  kBarrier,
  kShuffleUp,
  kShuffleDown,
  kShuffleButterfly,
  kShuffleIndex,
  kVoteAll,
  kVoteAny,
  kVoteUniform,
  kVoteBallot,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kMatrixProduct,
};

using Execute = void (*)(Thread&, const Instruction&);

struct Instruction {
  Execute execute = nullptr;
  uint32_t guard = kNone;  // a predicate
  uint32_t d = kNone;      // destinations
  uint32_t d2 = kNone;
  uint32_t a = kNone;  // sources
  uint32_t b = kNone;
  uint32_t c = kNone;
  uint32_t e = kNone;
  uint32_t target = 0;  // a branch's instruction, a call's function
  uint32_t list = 0;    // where its registers begin in Function::lists
  int64_t offset = 0;   // of an address
  uint32_t line = 0;    // of the text, from 1
  uint32_t used = ~0u;  // the bytes of a load that the program needs
  uint8_t size = 0;     // bytes of an element in memory
  uint8_t count = 1;    // elements of a vector
  uint8_t bits = 0;     // width of the destination
  Space space = Space::kGeneric;
  Order order = Order::kPlain;
  WarpOperation warp = WarpOperation::kBarrier;
  Rounding rounding = Rounding::kNearestEven;
  uint8_t variant = 0;  // of an instruction family, see there
  bool guard_negated = false;
  bool negated = false;    // of a predicate operand
  bool is_signed = false;  // of a load, a conversion
  bool flush = false;      // .ftz
  bool saturate = false;   // .sat, .satfinite
  bool aligned = false;    // of a barrier, of mma
};

// A variable of the module, a function or a scope in it.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  uint32_t size_bytes = 0;
  uint32_t alignment = 1;
  bool is_extern = false;       // an .extern .shared without a size
  uint32_t offset = 0;          // .local, .param: within the frame
  std::vector<uint8_t> values;  // .global, .const
};

enum class Special : uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneid,
  kWarpid,
  kNwarpid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kDynamicSmemSize,
};

// A register that holds a special register or the address of a variable.
struct SpecialUse {
  uint32_t slot = 0;
  Special special = Special::kTidX;
};
struct AddressUse {
  uint32_t slot = 0;
  Space space = Space::kGlobal;
  uint32_t variable = 0;  // in Program::variables, except .local and .param
  int64_t offset = 0;
};

struct Function {
  std::string name;
  bool is_kernel = false;
  bool is_defined = false;
  std::vector<Instruction> code;
  std::vector<uint32_t> lists;  // registers of vectors, targets, arguments
  std::vector<uint64_t> image;  // what the registers hold at first
  std::vector<uint8_t> undefined_bits;  // width of a register without a value
  std::vector<SpecialUse> specials;
  std::vector<AddressUse> addresses;
  std::vector<uint32_t> callees;  // in Program::functions
  std::vector<Parameter> parameters;
  std::vector<Parameter> results;
  uint32_t parameter_bytes = 0;  // of all .param memory of a frame
  uint32_t local_bytes = 0;
  std::vector<Variable> locals;
  std::optional<Dim3> required_block;
  std::optional<Dim3> maximum_block;
};

struct Program {
  std::string version;
  std::string target;
  std::vector<std::string> lines;  // of the text
  std::vector<Variable> variables;
  // Pointers, because instructions and kernels refer to functions.
  std::vector<std::unique_ptr<Function>> functions;
};

// The .shared variables that a kernel and what it calls name, in the order of
// their first use. Extern variables come last.
std::vector<uint32_t> ReachableShared(const Program& program,
                                      const Function& kernel);

}  // namespace accel::ptx

#endif  // ACCEL_TEST_CUDA_PTX_PROGRAM_H_
