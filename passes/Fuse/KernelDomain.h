// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel of a fusion group iterates over.
#ifndef ACCEL_PASSES_FUSE_KERNELDOMAIN_H
#define ACCEL_PASSES_FUSE_KERNELDOMAIN_H

#include "passes/Analysis/IterationDomain.h"
#include "passes/Fuse/FusionPlan.h"
#include "passes/Target/Target.h"

namespace accel {

/// The iteration domain of `group`'s kernel: the loop of its kind, in rows that
/// all its accesses can be made in. The target says how long rows are where no
/// operation needs them, and in which blocks a product adds.
IterationDomain getKernelDomain(const FusionPlan &plan,
                                const FusionGroup &group, const Target &target);

} // namespace accel

#endif
