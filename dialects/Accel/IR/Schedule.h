// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of schedules of the learning rate, as state @schedule holds them: a
// run may choose another one.
#ifndef ACCEL_DIALECTS_ACCEL_IR_SCHEDULE_H
#define ACCEL_DIALECTS_ACCEL_IR_SCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace accel {

enum class Schedule { Constant = 0, Linear = 1, Cosine = 2, Wsd = 3 };

inline llvm::ArrayRef<llvm::StringLiteral> getScheduleNames() {
  static constexpr llvm::StringLiteral names[] = {"constant", "linear",
                                                  "cosine", "wsd"};
  return names;
}

inline std::optional<Schedule> parseSchedule(llvm::StringRef name) {
  const auto *found = llvm::find(getScheduleNames(), name);
  return found == getScheduleNames().end()
             ? std::nullopt
             : std::optional(
                   static_cast<Schedule>(found - getScheduleNames().begin()));
}

} // namespace accel

#endif
