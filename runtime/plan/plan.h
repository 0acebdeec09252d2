// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan file, opened and checked: what accel-run and accel-inspect begin with.
#ifndef ACCEL_RUNTIME_PLAN_PLAN_H_
#define ACCEL_RUNTIME_PLAN_PLAN_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/base/sha256.h"
#include "runtime/io/vfs.h"
#include "runtime/plan/container/container_reader.h"
#include "runtime/plan/validate/plan_view.h"

namespace accel::runtime {

// When weights are hashed. Who loads them all anyway hashes them then, once, as
// he hashes whatever he reads; who does not learns of damage only when opening.
enum class WeightCheck { kWhenOpened, kWhenRead };

class Plan {
 public:
  // Hashes every byte, but of weights as `weights` says, and checks every
  // message. Errors begin with the path.
  // Borrows: the vfs.
  static absl::StatusOr<std::unique_ptr<Plan>> Open(
      Vfs& vfs, const std::string& path,
      WeightCheck weights = WeightCheck::kWhenOpened);

  const std::string& path() const { return reader_->path(); }
  const PlanView& view() const { return view_; }
  const planpb::Manifest& manifest() const { return view_.manifest(); }
  const ContainerReader& content() const { return *reader_; }
  // Identifies the plan.
  const Sha256Digest& root() const { return reader_->root(); }

 private:
  Plan(std::unique_ptr<ContainerReader> reader, PlanView view);

  std::unique_ptr<ContainerReader> reader_;
  PlanView view_;
};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_PLAN_H_
