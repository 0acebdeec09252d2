// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which attributes a descriptor of each kind has, as documented: their types,
// how many elements they have, and who sets them.
#ifndef ACCEL_TEST_CUDA_DOUBLE_DNN_ATTRIBUTES_H_
#define ACCEL_TEST_CUDA_DOUBLE_DNN_ATTRIBUTES_H_

#include <span>

#include "test/cuda/double/dnn/abi.h"

namespace accel::cuda_double::dnn {

enum class Use { kRequired, kOptional, kReadOnly };

struct Attribute {
  int name;
  const char* text;  // NVIDIA's name, without CUDNN_ATTR_
  int type;
  int other_type;  // of a number that may be a float or a double; -1: none
  int64_t min_count;
  int64_t max_count;
  Use use;
  // Of descriptors: their kind. -1: any operation.
  int kind;
};

// Empty for a kind that the double does not have.
std::span<const Attribute> AttributesOf(int kind);
// Null if the kind has no such attribute.
const Attribute* FindAttribute(int kind, int name);

// NVIDIA's name of a kind, without CUDNN_BACKEND_.
const char* KindText(int kind);
bool IsOperation(int kind);

// How many bytes an element of an attribute's type has, 0 for an unknown type.
int64_t TypeBytes(int type);

}  // namespace accel::cuda_double::dnn

#endif  // ACCEL_TEST_CUDA_DOUBLE_DNN_ATTRIBUTES_H_
