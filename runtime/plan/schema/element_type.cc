// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One table of the schema's element types.
#include "runtime/plan/schema/element_type.h"

#include <array>

namespace accel::runtime {
namespace {

struct Row {
  planpb::ElementType type;
  absl::string_view name;
  uint64_t bits;
  std::optional<DType> dtype;
};

constexpr std::array<Row, 19> kRows = {{
    {planpb::ELEMENT_BOOL, "bool", 8, DType::kBool},
    {planpb::ELEMENT_I8, "i8", 8, DType::kI8},
    {planpb::ELEMENT_U8, "u8", 8, DType::kU8},
    {planpb::ELEMENT_I16, "i16", 16, DType::kI16},
    {planpb::ELEMENT_U16, "u16", 16, DType::kU16},
    {planpb::ELEMENT_I32, "i32", 32, DType::kI32},
    {planpb::ELEMENT_U32, "u32", 32, DType::kU32},
    {planpb::ELEMENT_I64, "i64", 64, DType::kI64},
    {planpb::ELEMENT_U64, "u64", 64, DType::kU64},
    {planpb::ELEMENT_F8E4M3, "f8e4m3", 8, DType::kF8E4M3},
    {planpb::ELEMENT_F8E5M2, "f8e5m2", 8, DType::kF8E5M2},
    {planpb::ELEMENT_F16, "f16", 16, DType::kF16},
    {planpb::ELEMENT_BF16, "bf16", 16, DType::kBF16},
    {planpb::ELEMENT_F32, "f32", 32, DType::kF32},
    {planpb::ELEMENT_F64, "f64", 64, DType::kF64},
    {planpb::ELEMENT_I4, "i4", 4, std::nullopt},
    {planpb::ELEMENT_U4, "u4", 4, std::nullopt},
    {planpb::ELEMENT_F4E2M1, "f4e2m1", 4, std::nullopt},
    {planpb::ELEMENT_F8E8M0, "f8e8m0", 8, DType::kF8E8M0},
}};

const Row* Find(planpb::ElementType type) {
  for (const Row& row : kRows) {
    if (row.type == type) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

absl::string_view ElementTypeName(planpb::ElementType type) {
  const Row* row = Find(type);
  return row == nullptr ? "unknown" : row->name;
}

uint64_t ElementBits(planpb::ElementType type) {
  const Row* row = Find(type);
  return row == nullptr ? 0 : row->bits;
}

bool IsFp8(planpb::ElementType type) {
  return type == planpb::ELEMENT_F8E4M3 || type == planpb::ELEMENT_F8E5M2;
}

std::optional<DType> ToDType(planpb::ElementType type) {
  const Row* row = Find(type);
  return row == nullptr ? std::nullopt : row->dtype;
}

planpb::ElementType FromDType(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) {
      return row.type;
    }
  }
  return planpb::ELEMENT_UNSPECIFIED;
}

}  // namespace accel::runtime
