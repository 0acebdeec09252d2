// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan says of values that the host gives: those of a step's fields, and
// the inputs of a model that answers.
#ifndef ACCEL_RUNTIME_EXECUTOR_PLAN_FIELD_H_
#define ACCEL_RUNTIME_EXECUTOR_PLAN_FIELD_H_

#include "runtime/data/signature.h"
#include "runtime/plan/schema/element_type.h"
#include "runtime/plan/schema/plan.pb.h"

namespace accel::runtime {

// Name, shape, element type and valid values of a SignatureField or a Tensor.
// Requires: the plan was validated.
template <typename Message>
SignatureField ToField(const Message& message) {
  SignatureField field;
  field.name = message.name();
  field.shape.assign(message.shape().begin(), message.shape().end());
  field.dtype = *ToDType(message.dtype());
  field.min_value = message.min_value();
  field.max_value = message.max_value();
  for (const planpb::ValueRange& range : message.ranges()) {
    field.ranges.push_back(
        range.min_value() <= range.max_value()
            ? IntegerRange{range.min_value(), range.max_value()}
            : IntegerRange{});
  }
  field.ranges_axis = message.ranges_axis();
  return field;
}

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_EXECUTOR_PLAN_FIELD_H_
