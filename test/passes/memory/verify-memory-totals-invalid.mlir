// What the module says of its memory is counted once more.
// RUN: accel-opt %s --accel-verify-memory --split-input-file --verify-diagnostics

// Both buffers are in use at the loop's only instruction: what is used behind the loop, too, is there in all of it.
module attributes {plan.peak = #plan.peak<@step at 2, 48 bytes>} {
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 128 : i64} {
    %0 = plan.buffer transient activations {offset = 0 : i64} : memref<4xf32>
    %1 = plan.buffer transient activations {offset = 64 : i64} : memref<8xf32>
    plan.fill %0 : memref<4xf32>
    plan.repeat {
      plan.fill %1 : memref<8xf32>
    }
    plan.fill %0 : memref<4xf32>
    return
  }
}

// -----

// expected-error@below {{expected `plan.peak` to name an instruction that uses its bytes, got #plan.peak<@step at 0, 48 bytes>}}
module attributes {plan.peak = #plan.peak<@step at 0, 48 bytes>} {
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 128 : i64} {
    %0 = plan.buffer transient activations {offset = 0 : i64} : memref<4xf32>
    %1 = plan.buffer transient activations {offset = 64 : i64} : memref<8xf32>
    plan.fill %0 : memref<4xf32>
    plan.fill %1 : memref<8xf32>
    plan.fill %0 : memref<4xf32>
    return
  }
}

// -----

// expected-error@below {{expected `plan.peak` to name an instruction that uses its bytes, got #plan.peak<@evaluate at 1, 48 bytes>}}
module attributes {plan.peak = #plan.peak<@evaluate at 1, 48 bytes>} {
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 128 : i64} {
    %0 = plan.buffer transient activations {offset = 0 : i64} : memref<4xf32>
    %1 = plan.buffer transient activations {offset = 64 : i64} : memref<8xf32>
    plan.fill %0 : memref<4xf32>
    plan.fill %1 : memref<8xf32>
    plan.fill %0 : memref<4xf32>
    return
  }
}

// -----

module attributes {plan.peak = #plan.peak<@step at 0, 16 bytes>} {
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 64 : i64} {
    %0 = plan.buffer transient activations {offset = 0 : i64} : memref<4xf32>
    plan.fill %0 : memref<4xf32>
    return
  }
  // expected-error@below {{uses 32 bytes at instruction 0, and the module says that no instruction uses more than 16}}
  func.func @evaluate() attributes {accel.role = #accel.role<evaluate>, plan.arena_bytes = 64 : i64} {
    %0 = plan.buffer transient activations {offset = 0 : i64} : memref<8xf32>
    plan.fill %0 : memref<8xf32>
    return
  }
}

// -----

// expected-error@below {{expected `plan.peak`, as 'step' has an arena, got none}}
module {
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 64 : i64} {
    %0 = plan.buffer transient activations {offset = 0 : i64} : memref<4xf32>
    plan.fill %0 : memref<4xf32>
    return
  }
}

// -----

module attributes {plan.peak = #plan.peak<@step at 0, 0 bytes>, plan.gathers_most = @step} {
  // expected-error@below {{gathers nothing into shared memory, and `plan.gathers_most` names it}}
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 0 : i64} {
    %0 = plan.buffer persistent scalars "s" : memref<f64>
    plan.fill %0 : memref<f64>
    return
  }
}

// -----

// expected-error@below {{expected `plan.gathers_most` to name a function, got @gone}}
module attributes {plan.peak = #plan.peak<@step at 0, 0 bytes>, plan.gathers_most = @gone} {
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 0 : i64} {
    %0 = plan.buffer persistent scalars "s" : memref<f64>
    plan.fill %0 : memref<f64>
    return
  }
}

// -----

module attributes {plan.peak = #plan.peak<@step at 0, 0 bytes>} {
  // expected-error@below {{gathers into 512 bytes of shared memory, and what `plan.gathers_most` names into 0}}
  func.func @step() attributes {accel.role = #accel.role<step>, plan.arena_bytes = 0 : i64} {
    %0 = plan.buffer persistent parameters "p" {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>
    %1 = plan.buffer transient gathered in shared {gathers = [[#plan.size<32 bits of <128 granule 128 over "fsdp">>]], offset = 0 : i64} : memref<128xf32>
    plan.all_gather "p" %0 into %1 {shard = #plan.shard<128 granule 128 over "fsdp">} : memref<128xf32>, memref<128xf32>
    return
  }
}
