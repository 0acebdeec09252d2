// RUN: accel-opt %s --split-input-file --verify-diagnostics
// The mesh of a module has a degree for each axis.

// expected-error@below {{expected dist.mesh on a module, with a degree for each axis of the mesh (replica, fsdp, tensor, pipeline, context, expert), got {fsdp = 0 : i64}}}
module attributes {dist.mesh = {fsdp = 0 : i64}} {
}

// -----

// expected-error@below {{expected a degree along 'tensor' that is not negative, got -1}}
module attributes {dist.mesh = {replica = 0 : i64, fsdp = 1 : i64, tensor = -1 : i64, pipeline = 1 : i64, context = 1 : i64, expert = 1 : i64}} {
}

// -----

// expected-error@below {{expected a degree along 'replica' that is not negative, got none}}
module attributes {dist.mesh = {data = 0 : i64, fsdp = 1 : i64, tensor = 1 : i64, pipeline = 1 : i64, context = 1 : i64, expert = 1 : i64}} {
}

// -----

// expected-error@below {{expected dist.mesh on a module}}
func.func private @here() attributes {dist.mesh = {replica = 0 : i64, fsdp = 1 : i64, tensor = 1 : i64, pipeline = 1 : i64, context = 1 : i64, expert = 1 : i64}}
