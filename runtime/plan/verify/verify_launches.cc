// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares each launch with the description of its kernel, for the rank that
// loads the plan.
#include "runtime/plan/verify/verify_launches.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "runtime/base/errors.h"
#include "runtime/base/status_macros.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/sizes/size_expr.h"

namespace accel::runtime {
namespace {

const char* ModeText(planpb::Access::Mode mode) {
  switch (mode) {
    case planpb::Access::MODE_READ:
      return "reads";
    case planpb::Access::MODE_WRITE:
      return "writes";
    default:
      return "reads and writes";
  }
}

std::string ShardText(const planpb::Shard& shard, uint64_t elements_per_tile) {
  std::string text =
      absl::StrCat(shard.elements(), " elements in granules of ",
                   shard.granule(), ", ", elements_per_tile, " per tile, over");
  for (const int axis : shard.axes()) {
    absl::StrAppend(&text, " ",
                    MeshAxisName(static_cast<planpb::MeshAxis>(axis)));
  }
  return text;
}

// a * b == c * d
bool SameProducts(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  const auto left = CheckedMultiply(a, b);
  return left && left == CheckedMultiply(c, d);
}

// A launch in one variant.
class LaunchCheck {
 public:
  LaunchCheck(const PlanView& plan, const MemoryLayout& layout,
              const planpb::Instruction& instruction, int variant)
      : plan_(plan),
        layout_(layout),
        instruction_(instruction),
        launch_(instruction.launch()),
        kernel_(plan.manifest().kernels(static_cast<int>(launch_.kernel()))),
        entry_(kernel_.entries(variant)) {}

  absl::Status Run() {
    if (launch_.has_part()) {
      RETURN_IF_ERROR(CheckPart());
    }
    ASSIGN_OR_RETURN(tiles_, LaunchTiles(launch_, entry_, layout_.binding()));
    for (int i = 0; i < kernel_.operands_size(); ++i) {
      RETURN_IF_ERROR(Annotate(CheckOperand(i), NameOf(i)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckPart() const;
  absl::Status CheckOperand(int index) const;
  absl::Status CheckThreads(const planpb::KernelOperand& operand,
                            const planpb::Access& access) const;
  absl::Status CheckCut(int index, const planpb::Access& access) const;
  const planpb::Shard* CutOf(const planpb::Access& access) const;

  const planpb::Access& AccessOf(int index) const {
    return instruction_.accesses(static_cast<int>(launch_.arguments(index)));
  }
  std::string NameOf(int index) const {
    return absl::StrCat("operand ", index, " (buffer '",
                        plan_.buffer(AccessOf(index).buffer()).name(), "')");
  }
  // What each thread may touch of an operand.
  uint64_t RoomOf(const planpb::Access& access) const {
    return access.thread_stride() != 0 ? access.bytes()
                                       : layout_.RangeOf(access, 0).size();
  }
  // Elements of a tile of the part.
  uint64_t TileElements() const {
    return launch_.part().elements() / entry_.tiles();
  }

  const PlanView& plan_;
  const MemoryLayout& layout_;
  const planpb::Instruction& instruction_;
  const planpb::Launch& launch_;
  const planpb::Kernel& kernel_;
  const planpb::KernelEntry& entry_;
  uint64_t tiles_ = 0;  // that this rank runs
};

absl::Status LaunchCheck::CheckPart() const {
  const planpb::Shard& part = launch_.part();
  if (part.elements() % entry_.tiles() != 0 || TileElements() == 0 ||
      part.granule() % TileElements() != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected a rank's part of ", entry_.tiles(),
                     " tiles of its kernel, in granules of whole tiles, got ",
                     ShardText(part, TileElements())));
  }
  return absl::OkStatus();
}

// How an operand is cut over ranks, or null: every rank has all of it.
const planpb::Shard* LaunchCheck::CutOf(const planpb::Access& access) const {
  if (access.has_shard()) {
    return &access.shard();
  }
  for (const planpb::SizeSum& sum :
       plan_.buffer(access.buffer()).bytes().alternatives()) {
    for (const planpb::SizeTerm& term : sum.terms()) {
      if (term.has_shard()) {
        return &term.shard();
      }
    }
  }
  return nullptr;
}

absl::Status LaunchCheck::CheckThreads(const planpb::KernelOperand& operand,
                                       const planpb::Access& access) const {
  // One thread alone never takes a second step.
  if (operand.per_thread() ? access.thread_stride() < operand.bytes()
                           : access.thread_stride() != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "expected ",
        operand.per_thread() ? absl::StrCat("at least ", operand.bytes()) : "0",
        " bytes from a thread's memory to the next one's, got ",
        access.thread_stride()));
  }
  return absl::OkStatus();
}

// Of a launch over a rank's part.
absl::Status LaunchCheck::CheckCut(int index,
                                   const planpb::Access& access) const {
  const planpb::KernelOperand& operand = kernel_.operands(index);
  const planpb::Shard* cut = CutOf(access);
  if (cut == nullptr) {
    if (operand.mode() == planpb::Access::MODE_READ || operand.per_thread()) {
      return absl::OkStatus();
    }
    return absl::FailedPreconditionError(
        "expected a rank's part, as its kernel runs over one and writes it, "
        "got all of it");
  }
  const planpb::Shard& part = launch_.part();
  const uint64_t width = ElementBits(plan_.buffer(access.buffer()).dtype()) / 8;
  const uint64_t elements = width == 0 ? 0 : entry_.tile_bytes(index) / width;
  if (elements == 0 ||
      CheckedMultiply(entry_.tiles(), elements) != cut->elements() ||
      !SameProducts(cut->granule(), TileElements(), part.granule(), elements) ||
      !std::equal(cut->axes().begin(), cut->axes().end(), part.axes().begin(),
                  part.axes().end())) {
    return absl::FailedPreconditionError(absl::StrCat(
        "expected it cut between tiles as the launch is (",
        ShardText(part, TileElements()), "), got ", ShardText(*cut, elements)));
  }
  return absl::OkStatus();
}

absl::Status LaunchCheck::CheckOperand(int index) const {
  const planpb::KernelOperand& operand = kernel_.operands(index);
  const planpb::Access& access = AccessOf(index);
  if (access.mode() != operand.mode()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the code ", ModeText(operand.mode()),
                     " it, but the launch ", ModeText(access.mode()), " it"));
  }
  RETURN_IF_ERROR(CheckThreads(operand, access));
  uint64_t touched = operand.bytes();
  if (launch_.has_part()) {
    RETURN_IF_ERROR(CheckCut(index, access));
    if (CutOf(access) != nullptr) {
      touched = std::min(
          touched,
          CheckedMultiply(tiles_, entry_.tile_bytes(index)).value_or(touched));
    }
  } else if (CutOf(access) != nullptr) {
    return absl::FailedPreconditionError(
        "expected all of it, as the launch runs all tiles, got a rank's part");
  }
  if (const uint64_t room = RoomOf(access); room < touched) {
    return absl::FailedPreconditionError(
        absl::StrCat("expected an access of ", touched,
                     " bytes, which its kernel touches, got ", room));
  }
  return absl::OkStatus();
}

// A run may take any of the variants.
absl::Status CheckVariants(const PlanView& plan, const MemoryLayout& layout,
                           const planpb::Instruction& instruction) {
  for (int i = 0; i < plan.manifest().variants_size(); ++i) {
    RETURN_IF_ERROR(LaunchCheck(plan, layout, instruction, i).Run());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyLaunches(const PlanView& plan, const MemoryLayout& layout) {
  for (const FunctionView& function : plan.functions()) {
    for (const planpb::Instruction& instruction : function.instructions()) {
      if (instruction.has_launch()) {
        RETURN_IF_ERROR(Annotate(CheckVariants(plan, layout, instruction),
                                 plan.Describe(function, instruction)));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace accel::runtime
