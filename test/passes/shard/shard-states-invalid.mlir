// RUN: accel-opt %s --accel-shard-states=mode=zero3 --verify-diagnostics

// expected-error@below {{mode: expected plain, zero1, zero2 or fsdp, got 'zero3'}}
module {
}
