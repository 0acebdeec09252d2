// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schema's element types: their names, their widths, and the types of the
// runtime that stand for them.
#ifndef ACCEL_RUNTIME_PLAN_SCHEMA_ELEMENT_TYPE_H_
#define ACCEL_RUNTIME_PLAN_SCHEMA_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "runtime/base/dtype.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// "f32", "i4"; "unknown" for what is no element type.
absl::string_view ElementTypeName(planpb::ElementType type);

// Bits of one element; 0 for what is no element type.
uint64_t ElementBits(planpb::ElementType type);

// Of numbers; a scale of 8 bits is none.
bool IsFp8(planpb::ElementType type);

// Nothing for types below one byte, which the runtime cannot address.
std::optional<DType> ToDType(planpb::ElementType type);
planpb::ElementType FromDType(DType dtype);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_SCHEMA_ELEMENT_TYPE_H_
