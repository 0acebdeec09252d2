// Phases follow from what instructions are, where they stand and what they write; gradients are complete at one place, behind all
// that changes one and in front of the update.
// RUN: accel-opt %s --accel-verify-schedule --split-input-file --verify-diagnostics

func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  plan.fill %g {phase = #plan.phase<load>} : memref<4xf32>
  // expected-error@below {{'plan.fill' op has no phase, and others have}}
  plan.fill %g : memref<4xf32>
  return
}

// -----

// Where one phase is missing, the loop's counts, too.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  plan.fill %g {phase = #plan.phase<load>} : memref<4xf32>
  // expected-error@below {{'plan.repeat' op has no phase, and others have}}
  plan.repeat {
  }
  return
}

// -----

// An optimizer's kernel is no part of forward.
func.func private @update(%a0: tensor<4xf32>) -> tensor<4xf32> attributes {plan.kernel = {columns = 4 : i64, elements = 4 : i64, kind = "flat", rows = 1 : i64}} {
  return %a0 : tensor<4xf32>
}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %g {phase = #plan.phase<load>} : memref<4xf32>
  plan.repeat {
  } {phase = #plan.phase<forward>, gradients_complete}
  // expected-error@below {{'plan.launch' op expected phase update, got forward}}
  plan.launch @update(%g, %m) [read, write] {phase = #plan.phase<forward>} : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  // expected-error@below {{'plan.repeat' op expected phase forward, got report}}
  plan.repeat {
  } {phase = #plan.phase<report>}
  return
}

// -----

// The instruction that sums the losses up is the last of forward.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %loss = plan.buffer persistent scalars "loss_sum" : memref<f64>
  %t = plan.buffer transient activations : memref<4xf32>
  plan.repeat {
    plan.fill %t {phase = #plan.phase<forward>} : memref<4xf32>
    plan.fill %loss {phase = #plan.phase<forward>} : memref<f64>
    // expected-error@below {{'plan.fill' op expected phase backward, got forward}}
    plan.fill %t {phase = #plan.phase<forward>} : memref<4xf32>
  } {phase = #plan.phase<forward>}
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  %loss = plan.buffer persistent scalars "loss_sum" : memref<f64>
  plan.repeat {
    // expected-error@below {{'plan.fill' op expected phase forward, got backward}}
    plan.fill %loss {phase = #plan.phase<backward>} : memref<f64>
  } {phase = #plan.phase<forward>}
  return
}

// -----

// What ranks exchange, fetches and metrics have phases of their own, wherever they stand.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %loss = plan.buffer persistent scalars "loss_sum" : memref<f64>
  %x = plan.buffer io io "x" : memref<4xf32>
  plan.repeat {
    plan.fetch ["x"] into %x ahead 0 {phase = #plan.phase<load>} : memref<4xf32>
  } {phase = #plan.phase<forward>}
  // expected-error@below {{'plan.all_reduce' op expected phase reduce, got update}}
  plan.all_reduce %loss over ["fsdp"] {phase = #plan.phase<update>} : memref<f64>
  plan.metric "loss", %loss {phase = #plan.phase<report>} : memref<f64>
  return
}

// -----

func.func @evaluate() attributes {accel.role = #accel.role<evaluate>} {
  %t = plan.buffer transient activations : memref<4xf32>
  plan.repeat {
  } {phase = #plan.phase<forward>}
  // expected-error@below {{'plan.fill' op expected phase report, got update}}
  plan.fill %t {phase = #plan.phase<update>} : memref<4xf32>
  return
}

// -----

func.func @init() attributes {accel.role = #accel.role<initialize>} {
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  // expected-error@below {{'plan.fill' op expected phase init, got load}}
  plan.fill %m {phase = #plan.phase<load>} : memref<4xf32>
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  // expected-note@below {{the place}}
  plan.repeat {
  } {gradients_complete}
  // expected-error@below {{'plan.fill' op changes a gradient behind the place where all are complete}}
  plan.fill %g : memref<4xf32>
  plan.fill %m : memref<4xf32>
  plan.fill %g : memref<4xf32>
  return
}

// -----

// The factor that makes a mean of gradients belongs to them.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %scale = plan.buffer persistent scalars "metric.gradient_scale" : memref<f64>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %g : memref<4xf32>
  // expected-error@below {{'plan.fill' op changes a gradient behind the place where all are complete}}
  // expected-note@below {{the place}}
  plan.fill %scale {gradients_complete} : memref<f64>
  plan.fill %m : memref<4xf32>
  plan.metric "gradient_scale", %scale : memref<f64>
  return
}

// -----

// expected-error@below {{'func.func' op has no instruction in front of which gradients are complete}}
func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  plan.fill %g {phase = #plan.phase<load>} : memref<4xf32>
  return
}

// -----

// The update has begun: the second instruction would see what the first one has made of parameters.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %p = plan.buffer persistent parameters "p" : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %g : memref<4xf32>
  // expected-note@below {{the update's first instruction}}
  plan.fill %p : memref<4xf32>
  // expected-error@below {{'plan.fill' op says that gradients are complete behind the beginning of the update, which uses them}}
  plan.fill %m {gradients_complete} : memref<4xf32>
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %t = plan.buffer transient activations : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %g : memref<4xf32>
  // expected-note@below {{the first one}}
  plan.fill %t {gradients_complete} : memref<4xf32>
  // expected-error@below {{'plan.fill' op expected one place where gradients are complete, got a second one}}
  plan.fill %m {gradients_complete} : memref<4xf32>
  return
}

// -----

func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %t = plan.buffer transient activations : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %g : memref<4xf32>
  // expected-note@below {{the first that finds them complete}}
  plan.fill %t : memref<4xf32>
  // expected-error@below {{'plan.fill' op says that gradients are complete, and they are in front of an earlier instruction}}
  plan.fill %m {gradients_complete} : memref<4xf32>
  return
}

// -----

// Each microbatch runs what is in the loop.
func.func @step() attributes {accel.role = #accel.role<step>} {
  %g = plan.buffer persistent gradients "g" : memref<4xf32>
  %x = plan.buffer io io "x" : memref<4xf32>
  %t = plan.buffer transient activations : memref<4xf32>
  %m = plan.buffer persistent optimizer "m" : memref<4xf32>
  plan.fill %g : memref<4xf32>
  plan.repeat {
    plan.all_reduce %g over ["fsdp"] : memref<4xf32>
    // expected-error@below {{'plan.fill' op says in the loop that gradients are complete, which they are behind it}}
    plan.fill %t {gradients_complete} : memref<4xf32>
  }
  plan.fill %m : memref<4xf32>
  return
}

// -----

func.func @measure() attributes {accel.role = #accel.role<evaluate>} {
  %t = plan.buffer transient activations : memref<4xf32>
  // expected-error@below {{'plan.fill' op says that gradients are complete, and nothing in front of it changes one}}
  plan.fill %t {gradients_complete} : memref<4xf32>
  return
}
