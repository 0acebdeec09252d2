// What a rank holds of parameters that microbatches read in another type, by mode. Microbatches read the compute slot, so that
// slot is held as the master is where there is none; of the master a rank holds what it updates.
// RUN: accel-opt %s --accel-shard-states=mode=plain | FileCheck %s --check-prefix=PLAIN
// RUN: accel-opt %s --accel-shard-states=mode=zero1 | FileCheck %s --check-prefix=ZERO1
// RUN: accel-opt %s --accel-shard-states=mode=zero2 | FileCheck %s --check-prefix=ZERO2
// RUN: accel-opt %s --accel-shard-states=mode=fsdp | FileCheck %s --check-prefix=FSDP
// What it says is a mode to the verifier.
// RUN: for mode in plain zero1 zero2 fsdp; do accel-opt %s --accel-shard-states=mode=$mode --accel-verify-shard || exit 1; done

accel.parameter @low : tensor<16x8xf32> trainable compute bf16 {segment = @"b.low.master", offset = 0 : i64}
accel.parameter @wide : tensor<16x8xf32> trainable {segment = @"b.wide.master", offset = 0 : i64}
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"low" group decayed, 128 elements of @low>, #accel.segment<"wide" group decayed, 128 elements of @wide>]}
// PLAIN: @b.low.master slot : tensor<128xf32> {group =
// ZERO1: @b.low.master slot : tensor<128xf32> {dist.held = #dist.held<part>,
// ZERO2: @b.low.master slot : tensor<128xf32> {dist.held = #dist.held<part>,
// FSDP: @b.low.master slot : tensor<128xf32> {dist.held = #dist.held<part>,
accel.state @"b.low.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// PLAIN: @b.low.compute slot : tensor<128xbf16> {group =
// ZERO1: @b.low.compute slot : tensor<128xbf16> {dist.held = #dist.held<whole>,
// ZERO2: @b.low.compute slot : tensor<128xbf16> {dist.held = #dist.held<whole>,
// FSDP: @b.low.compute slot : tensor<128xbf16> {dist.held = #dist.held<part>,
accel.state @"b.low.compute" slot : tensor<128xbf16> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<compute>, group = #accel.group<decayed>}
// PLAIN: @b.low.gradient slot : tensor<128xf32> {group =
// ZERO1: @b.low.gradient slot : tensor<128xf32> {dist.held = #dist.held<whole>,
// ZERO2: @b.low.gradient slot : tensor<128xf32> {dist.held = #dist.held<part>,
// FSDP: @b.low.gradient slot : tensor<128xf32> {dist.held = #dist.held<part>,
accel.state @"b.low.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "low">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
// A segment beside it that is read as it is stored is held as ever.
// PLAIN: @b.wide.master slot : tensor<128xf32> {group =
// ZERO1: @b.wide.master slot : tensor<128xf32> {dist.held = #dist.held<whole>,
// ZERO2: @b.wide.master slot : tensor<128xf32> {dist.held = #dist.held<whole>,
// FSDP: @b.wide.master slot : tensor<128xf32> {dist.held = #dist.held<part>,
accel.state @"b.wide.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "wide">, slot = #accel.slot<master>, group = #accel.group<decayed>}
accel.state @"b.wide.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "wide">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
