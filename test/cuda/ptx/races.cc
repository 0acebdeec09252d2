// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda/ptx/races.h"

namespace accel::ptx {
namespace {

constexpr int kWarpShift = 5;

bool IsOrdered(const Epoch& earlier, const Actor& actor) {
  if (earlier.block == 0) {
    return true;
  }
  if (earlier.block != actor.epoch.block) {
    return actor.is_shared;
  }
  return earlier.Index() == actor.epoch.Index() ||
         (*actor.seen)[earlier.Index()] >= earlier.Time();
}

// Keeps the two accesses that say most about those to come.
void Remember(Epoch (&kept)[2], const Actor& actor) {
  const Epoch& now = actor.epoch;
  for (Epoch& epoch : kept) {
    if (IsOrdered(epoch, actor)) {
      epoch = now;
      return;
    }
  }
  if (kept[0].block != kept[1].block) {
    return;
  }
  const bool other_block = now.block != kept[0].block;
  const bool one_warp =
      kept[0].Index() >> kWarpShift == kept[1].Index() >> kWarpShift;
  const bool other_warp =
      now.Index() >> kWarpShift != kept[0].Index() >> kWarpShift;
  if (other_block || (one_warp && other_warp)) {
    kept[1] = now;
  }
}

Conflict Find(const Epoch (&kept)[2], const Actor& actor, const char* what) {
  for (const Epoch& epoch : kept) {
    if (!IsOrdered(epoch, actor)) {
      return {epoch, what};
    }
  }
  return {};
}

}  // namespace

Conflict RecordAccess(Cell& cell, const Actor& actor, AccessKind kind,
                      Order order) {
  if (!IsOrdered(cell.write, actor)) {
    return {cell.write, "write"};
  }
  const bool strong = kind == AccessKind::kAtomic || order == Order::kStrong;
  Conflict conflict;
  if (!strong) {
    conflict = Find(cell.atomics, actor, "atomic access");
  }
  if (conflict.what == nullptr && (strong || kind == AccessKind::kWrite)) {
    conflict = Find(cell.reads, actor, "read");
  }
  if (conflict.what != nullptr) {
    return conflict;
  }
  if (strong) {
    Remember(cell.atomics, actor);
  } else if (kind == AccessKind::kRead) {
    Remember(cell.reads, actor);
  } else {
    // What is ordered after this write is ordered after all before it.
    cell = {.write = actor.epoch,
            .reads = {},
            .atomics = {},
            .read_non_coherent = cell.read_non_coherent,
            .is_written = cell.is_written};
  }
  return conflict;
}

}  // namespace accel::ptx
