// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of what a plan may need besides the format's base. A plan lists those
// it uses in Manifest.required_features; a reader refuses the others by name.
#ifndef ACCEL_RUNTIME_PLAN_SCHEMA_FEATURES_H_
#define ACCEL_RUNTIME_PLAN_SCHEMA_FEATURES_H_

#include <array>

#include "absl/strings/string_view.h"

namespace accel::runtime {

// `load` from files that the plan refers to.
inline constexpr absl::string_view kFeatureExternalFiles = "external-files";
// Accesses that differ from thread to thread (Access.thread_stride).
inline constexpr absl::string_view kFeatureThreadPrivate = "thread-private";

// Accesses to a rank's part of a buffer (Access.shard).
inline constexpr absl::string_view kFeatureShardedAccess = "sharded-access";

// Kernels that run with subnormal numbers flushed to zero.
inline constexpr absl::string_view kFeatureFlushedSubnormals =
    "flushed-subnormals";

// Products of libraries with a bias or an activation.
inline constexpr absl::string_view kFeatureEpilogues = "epilogues";

// A function to infer in the place of one to step, with inputs and outputs.
inline constexpr absl::string_view kFeatureInference = "inference";

// Weights that an export adds low-rank pairs to.
inline constexpr absl::string_view kFeatureAdapters = "adapters";

// Inputs whose columns have ranges of their own (SignatureField.ranges).
inline constexpr absl::string_view kFeatureColumnRanges = "column-ranges";

inline constexpr std::array<absl::string_view, 8> kKnownFeatures = {
    kFeatureExternalFiles,     kFeatureThreadPrivate, kFeatureShardedAccess,
    kFeatureFlushedSubnormals, kFeatureEpilogues,     kFeatureInference,
    kFeatureAdapters,          kFeatureColumnRanges};

}  // namespace accel::runtime

#endif  // ACCEL_RUNTIME_PLAN_SCHEMA_FEATURES_H_
