// What a rank holds of every slot, by mode; nothing but slots is held in parts.
// RUN: accel-opt %s --accel-shard-states=mode=plain | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: accel-opt %s --accel-shard-states=mode=zero1 | FileCheck %s --check-prefixes=CHECK,ZERO1
// RUN: accel-opt %s --accel-shard-states=mode=zero2 | FileCheck %s --check-prefixes=CHECK,ZERO2
// RUN: accel-opt %s --accel-shard-states=mode=fsdp | FileCheck %s --check-prefixes=CHECK,FSDP
// Without a mode it is plain, and the pass says the same of a module that has been in another mode.
// RUN: accel-opt %s --accel-shard-states=mode=fsdp | accel-opt --accel-shard-states | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: accel-opt %s --accel-shard-states=mode=fsdp | accel-opt --accel-shard-states=mode=zero1 | FileCheck %s --check-prefixes=CHECK,ZERO1
// What it says is a mode to the verifier.
// RUN: for mode in plain zero1 zero2 fsdp; do accel-opt %s --accel-shard-states=mode=$mode --accel-verify-shard || exit 1; done

// The mesh has one axis whose degree the run decides.
// PLAIN: module attributes {dist.mesh = {context = 1 : i64, expert = 1 : i64, fsdp = 1 : i64, pipeline = 1 : i64, replica = 0 : i64, tensor = 1 : i64}}
// ZERO1: module attributes {dist.mesh = {context = 1 : i64, expert = 1 : i64, fsdp = 0 : i64, pipeline = 1 : i64, replica = 1 : i64, tensor = 1 : i64}}
// ZERO2: module attributes {dist.mesh = {{.*}}fsdp = 0 : i64
// FSDP: module attributes {dist.mesh = {{.*}}fsdp = 0 : i64
accel.bucket @b {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 128 elements>, #accel.segment<"frozen" group frozen, 256 elements>]}
// CHECK: accel.state @loss_sum accumulator : tensor<f64>
accel.state @loss_sum accumulator : tensor<f64>
// PLAIN: @b.decayed.master slot : tensor<128xf32> {group = #accel.group<decayed>, segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>}
// ZERO1: @b.decayed.master slot : tensor<128xf32> {dist.held = #dist.held<whole>,
// ZERO2: @b.decayed.master slot : tensor<128xf32> {dist.held = #dist.held<whole>,
// FSDP: @b.decayed.master slot : tensor<128xf32> {dist.held = #dist.held<part>,
accel.state @"b.decayed.master" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
// PLAIN: @b.decayed.gradient slot : tensor<128xf32> {group = #accel.group<decayed>, segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>}
// ZERO1: @b.decayed.gradient slot : tensor<128xf32> {dist.held = #dist.held<whole>,
// ZERO2: @b.decayed.gradient slot : tensor<128xf32> {dist.held = #dist.held<part>,
// FSDP: @b.decayed.gradient slot : tensor<128xf32> {dist.held = #dist.held<part>,
accel.state @"b.decayed.gradient" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
// PLAIN: @b.decayed.momentum slot : tensor<128xf32> {group = #accel.group<decayed>, segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "momentum">}
// ZERO1: @b.decayed.momentum slot : tensor<128xf32> {dist.held = #dist.held<part>,
// ZERO2: @b.decayed.momentum slot : tensor<128xf32> {dist.held = #dist.held<part>,
// FSDP: @b.decayed.momentum slot : tensor<128xf32> {dist.held = #dist.held<part>,
accel.state @"b.decayed.momentum" slot : tensor<128xf32> {segment = #accel.segment_ref<@b "decayed">, slot = #accel.slot<optimizer : "momentum">, group = #accel.group<decayed>}
// Nobody updates what is frozen: there is nothing to exchange unless it is held in parts.
// PLAIN: @b.frozen.master slot : tensor<256xf32> {group = #accel.group<frozen>,
// ZERO1: @b.frozen.master slot : tensor<256xf32> {group = #accel.group<frozen>,
// ZERO2: @b.frozen.master slot : tensor<256xf32> {group = #accel.group<frozen>,
// FSDP: @b.frozen.master slot : tensor<256xf32> {dist.held = #dist.held<part>, group = #accel.group<frozen>,
accel.state @"b.frozen.master" slot : tensor<256xf32> {segment = #accel.segment_ref<@b "frozen">, slot = #accel.slot<master>, group = #accel.group<frozen>}
