// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan wants to be fed: one field per input and target, with shape,
// element type and range of values.
#ifndef ACCEL_RUNTIME_DATA_SIGNATURE_H_
#define ACCEL_RUNTIME_DATA_SIGNATURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/dtype.h"
#include "runtime/data/integer_element.h"

namespace accel::runtime {

// A target of this value takes no part in loss and count.
inline constexpr int64_t kIgnoredTarget = -100;

struct SignatureField {
  enum class Role { kInput, kTarget };

  std::string name = {};
  std::vector<int64_t> shape = {};  // the first axis is the microbatch
  DType dtype = DType::kF32;
  // Valid values of an integer field, both ends included. Unbounded while
  // min_value > max_value. A target may be kIgnoredTarget besides.
  int64_t min_value = 0;
  int64_t max_value = -1;
  Role role = Role::kInput;
  // What the field holds if it gets no data of its own. kTokens is for targets:
  // what the input of token ids gets, because the model shifts it itself.
  enum class Fill { kNone, kTokens, kOnes, kPositions };
  Fill fill = Fill::kNone;
  // If there are any: the valid values at each index of axis `ranges_axis`, as
  // columns of categories have them. min_value and max_value then are those of
  // all together.
  std::vector<IntegerRange> ranges = {};
  size_t ranges_axis = 0;

  bool has_range() const { return min_value <= max_value; }
  // What an element, by its number in a sample or in all of the field, may
  // hold; any value if nothing is said.
  IntegerRange RangeAt(int64_t element) const;
  bool is_target() const { return role == Role::kTarget; }
  // Whether a token stream's successors are meant, not its tokens.
  bool is_successor() const { return is_target() && fill != Fill::kTokens; }
  // Of one sample: without the first axis.
  int64_t sample_elements() const;
  int64_t sample_bytes() const { return sample_elements() * ByteWidth(dtype); }
  // "input 'input_ids'" or "target 'labels'".
  std::string Label() const;
};

// "[4, 64] of i64".
std::string FormatField(const SignatureField& field);

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_DATA_SIGNATURE_H_
