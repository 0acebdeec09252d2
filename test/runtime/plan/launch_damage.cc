// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every damage is a function that changes one instruction.
#include "test/runtime/plan/launch_damage.h"

#include <functional>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/plan/memory/memory_layout.h"
#include "runtime/plan/sizes/size_expr.h"
#include "runtime/plan/validate/plan_view.h"
#include "runtime/plan/verify/verify_launches.h"

namespace accel::testing {
namespace {

using planpb::Access;
using planpb::Instruction;
using runtime::MemoryLayout;
using runtime::PlanView;
using runtime::RankBinding;

// Threads, so that a step from one to the next matters.
constexpr uint64_t kThreads = 2;

struct Damage {
  std::string what;
  std::function<void(Instruction&)> apply;
};

class LaunchDamage {
 public:
  LaunchDamage(const Program& good, uint64_t ranks)
      : good_(good),
        binding_(RankBinding::OfRun(good.manifest, 0, ranks, kThreads)) {}

  void Run() {
    Accept();
    for (size_t f = 0; f < good_.functions.size(); ++f) {
      for (size_t id = 0; id < good_.functions[f].size(); ++id) {
        if (good_.functions[f][id].has_launch()) {
          DamageLaunch(f, id);
        }
      }
    }
    std::cout << launches_ << " launches, " << parts_
              << " of them over a rank's part: " << refused_
              << " damages refused, the launch named\n";
  }

 private:
  void Accept() {
    if (const absl::Status status = Verify(good_); !status.ok()) {
      Fail(absl::StrCat("the plan itself: ", status.ToString()));
    }
  }

  absl::Status Verify(const Program& program) const {
    const auto view = PlanView::Create(program.manifest, program.functions);
    if (!view.ok()) {
      return view.status();
    }
    const auto layout = MemoryLayout::Create(*view, binding_);
    return layout.ok() ? runtime::VerifyLaunches(*view, *layout)
                       : layout.status();
  }

  void DamageLaunch(size_t f, size_t id) {
    const Instruction& launch = good_.functions[f][id];
    ++launches_;
    parts_ += launch.launch().has_part() ? 1 : 0;
    for (const Damage& damage : DamagesOf(launch)) {
      Program& program = Changed();
      damage.apply(program.functions[f][id]);
      const absl::Status status = Verify(program);
      program.functions[f][id] = launch;
      const std::string name = absl::StrCat("(launch '", launch.name(), "'");
      if (status.ok() || status.message().find(absl::StrCat(
                             "instruction ", id, " ")) == std::string::npos) {
        Fail(absl::StrCat(damage.what, " of instruction ", id, " ", name,
                          "): ", status.ToString()));
      }
      ++refused_;
    }
  }

  // A copy that is changed back after each damage.
  Program& Changed() {
    if (copy_.functions.empty()) {
      copy_ = good_;
    }
    return copy_;
  }

  const planpb::Kernel& KernelOf(const Instruction& launch) const {
    return good_.manifest.kernels(static_cast<int>(launch.launch().kernel()));
  }

  std::vector<Damage> DamagesOf(const Instruction& launch) const {
    std::vector<Damage> damages;
    AddRanges(launch, damages);
    for (int i = 0; i < launch.launch().arguments_size(); ++i) {
      AddAccesses(launch, i, damages);
    }
    return damages;
  }

  // In the variant that comes first.
  const planpb::KernelEntry& EntryOf(const Instruction& launch) const {
    return KernelOf(launch).entries(0);
  }

  void AddRanges(const Instruction& launch, std::vector<Damage>& to) const {
    launch.launch().has_part() ? AddParts(launch, to) : AddWhole(launch, to);
  }

  // Of a launch over all tiles.
  void AddWhole(const Instruction& launch, std::vector<Damage>& to) const {
    planpb::Shard shard;
    shard.set_elements(EntryOf(launch).tiles());
    shard.set_granule(1);
    shard.add_axes(runtime::AxisOfRun(good_.manifest));
    to.push_back({"a rank's part of the tiles", [shard](Instruction& i) {
                    *i.mutable_launch()->mutable_part() = shard;
                  }});
  }

  // Of a launch over a rank's part.
  void AddParts(const Instruction& launch, std::vector<Damage>& to) const {
    const uint64_t tile =
        launch.launch().part().elements() / EntryOf(launch).tiles();
    const auto add = [&](const std::string& what,
                         const std::function<void(planpb::Shard&)>& change) {
      to.push_back({what, [change](Instruction& i) {
                      change(*i.mutable_launch()->mutable_part());
                    }});
    };
    to.push_back({"all tiles",
                  [](Instruction& i) { i.mutable_launch()->clear_part(); }});
    add("more elements",
        [tile](auto& s) { s.set_elements(s.elements() + tile); });
    add("other granules",
        [tile](auto& s) { s.set_granule(s.granule() + tile); });
    add("granules between tiles",
        [](auto& s) { s.set_granule(s.granule() + 1); });
    add("another axis", [](auto& s) { s.set_axes(0, planpb::AXIS_TENSOR); });
  }

  void AddAccesses(const Instruction& launch, int argument,
                   std::vector<Damage>& to) const {
    const auto index = static_cast<int>(launch.launch().arguments(argument));
    const Access& access = launch.accesses(index);
    const auto add = [&](const std::string& what,
                         const std::function<void(Access&)>& change) {
      to.push_back({absl::StrCat(what, " of operand ", argument),
                    [change, index](Instruction& i) {
                      change(*i.mutable_accesses(index));
                    }});
    };
    for (const auto mode :
         {Access::MODE_READ, Access::MODE_WRITE, Access::MODE_READ_WRITE}) {
      if (mode != access.mode()) {
        add(absl::StrCat("mode ", mode),
            [mode](Access& a) { a.set_mode(mode); });
      }
    }
    const planpb::KernelOperand& operand = KernelOf(launch).operands(argument);
    if (operand.per_thread()) {
      add("one memory for all threads",
          [](Access& a) { a.set_thread_stride(0); });
      add("overlapping memory",
          [](Access& a) { a.set_thread_stride(a.thread_stride() - 1); });
    } else if (access.bytes() > 0) {
      add("memory per thread",
          [](Access& a) { a.set_thread_stride(a.bytes()); });
    }
    if (access.has_shard()) {
      add("fewer elements", [](Access& a) {
        a.mutable_shard()->set_elements(a.shard().elements() - 1);
      });
      add("other granules", [](Access& a) {
        a.mutable_shard()->set_granule(2 * a.shard().granule());
      });
    } else {
      // 0 bytes would be all of the buffer.
      const uint64_t enough = TouchedBytes(launch, argument, access);
      if (enough > 1) {
        add("a range too short",
            [enough](Access& a) { a.set_bytes(enough - 1); });
      }
    }
  }

  // What the rank's tiles touch of an operand.
  uint64_t TouchedBytes(const Instruction& launch, int argument,
                        const Access& access) const {
    const uint64_t bytes = KernelOf(launch).operands(argument).bytes();
    const planpb::KernelEntry& entry = EntryOf(launch);
    const uint64_t tile_bytes = entry.tile_bytes(argument);
    const auto tiles = runtime::LaunchTiles(launch.launch(), entry, binding_);
    const bool is_whole = access.bytes() != 0 || !launch.launch().has_part();
    return is_whole || tile_bytes == 0 ? bytes
                                       : std::min(bytes, *tiles * tile_bytes);
  }

  const Program& good_;
  const RankBinding binding_;
  Program copy_;
  int launches_ = 0;
  int parts_ = 0;
  int refused_ = 0;
};

}  // namespace

void DamageLaunches(const Program& good, uint64_t ranks) {
  LaunchDamage(good, ranks).Run();
}

void WriteLaunchPart(const Program& good, const std::string& path) {
  Program program = good;
  for (Instruction& instruction : program.functions[1]) {
    if (instruction.has_launch()) {
      planpb::Shard* part = instruction.mutable_launch()->mutable_part();
      part->set_elements(1);
      part->set_granule(1);
      part->add_axes(runtime::AxisOfRun(good.manifest));
      break;
    }
  }
  if (const absl::Status status = WriteProgram(program, path); !status.ok()) {
    Fail(status.ToString());
  }
}

}  // namespace accel::testing
