// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A walk over the fields of ModelProto down to the tables, and a check of each
// entry of these.
#include "tools/accel-data/model_bounds.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>

namespace accel::tools {
namespace {

// ModelProto.normalizer_spec and .denormalizer_spec, and the field of both.
constexpr uint32_t kNormalizer = 3;
constexpr uint32_t kDenormalizer = 5;
constexpr uint32_t kCharactersMap = 2;

std::optional<uint64_t> TakeVarint(absl::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  return std::nullopt;
}

// Takes the fields with a length, by number; false ends the walk.
using Visit = std::function<bool(uint32_t field, absl::string_view value)>;

// Whether `message` consists of fields and `visit` likes all of them.
bool WalkFields(absl::string_view message, const Visit& visit) {
  while (!message.empty()) {
    const auto tag = TakeVarint(message);
    if (!tag.has_value()) {
      return false;
    }
    // Parsers drop what is above 32 bits.
    const uint32_t type = static_cast<uint32_t>(*tag) & 7;
    const uint32_t field = static_cast<uint32_t>(*tag) >> 3;
    uint64_t size = 0;
    if (type == 0) {
      if (!TakeVarint(message).has_value()) {
        return false;
      }
    } else if (type == 1 || type == 5) {
      size = type == 1 ? 8 : 4;
    } else if (type == 2) {
      const auto length = TakeVarint(message);
      if (!length.has_value()) {
        return false;
      }
      size = *length;
    } else {
      return false;
    }
    if (size > message.size() ||
        (type == 2 && !visit(field, message.substr(0, size)))) {
      return false;
    }
    message.remove_prefix(size);
  }
  return true;
}

// An entry of the trie, in the layout of Darts-clone.
struct Unit {
  uint32_t bits;

  bool is_value() const { return bits >> 31 != 0; }
  uint32_t value() const { return bits & 0x7fffffff; }
  bool has_leaf() const { return (bits >> 8 & 1) != 0; }
  uint32_t offset() const { return bits >> 10 << ((bits & 0x200) >> 6); }
};

Unit UnitAt(absl::string_view trie, size_t index) {
  Unit unit;
  std::memcpy(&unit.bits, trie.data() + index * sizeof(unit.bits),
              sizeof(unit.bits));
  return unit;
}

}  // namespace

bool IsBoundedTable(absl::string_view table) {
  constexpr size_t kBlock = 256;  // where the byte of a text chooses
  uint32_t size = 0;
  if (table.size() < sizeof(size)) {
    return false;
  }
  std::memcpy(&size, table.data(), sizeof(size));
  table.remove_prefix(sizeof(size));
  if (size >= table.size() || size == 0 ||
      size % (kBlock * sizeof(uint32_t)) != 0 || table.back() != '\0') {
    return false;
  }
  const absl::string_view trie = table.substr(0, size);
  const size_t strings = table.size() - size;
  const size_t units = size / sizeof(uint32_t);
  for (size_t i = 0; i < units; ++i) {
    const Unit unit = UnitAt(trie, i);
    if (unit.is_value()) {
      continue;
    }
    const size_t next = i ^ unit.offset();
    if ((next | (kBlock - 1)) >= units ||
        (unit.has_leaf() && UnitAt(trie, next).value() >= strings)) {
      return false;
    }
  }
  return true;
}

bool HasBoundedTables(absl::string_view model) {
  return WalkFields(model, [](uint32_t field, absl::string_view value) {
    return (field != kNormalizer && field != kDenormalizer) ||
           WalkFields(value, [](uint32_t inner, absl::string_view table) {
             return inner != kCharactersMap || table.empty() ||
                    IsBoundedTable(table);
           });
  });
}

}  // namespace accel::tools
