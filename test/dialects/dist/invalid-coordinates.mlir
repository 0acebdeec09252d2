// RUN: accel-opt %s --split-input-file --verify-diagnostics

// What is of the program is somebody's; kernels are everybody's.
// expected-error@below {{'func.func' op expected dist.coordinates on a function with a role, got it here}}
func.func @kernel() attributes {dist.coordinates = {pipeline = 0 : i64}} {
  return
}

// -----

// expected-error@below {{'func.func' op expected dist.coordinates to be a dictionary of coordinates, got 1 : i64}}
func.func @step() attributes {accel.role = #accel.role<step>, dist.coordinates = 1 : i64} {
  return
}

// -----

// Ranks with other samples run the same program, however many there are.
// expected-error@below {{'func.func' op expected an axis of the mesh along which ranks have the same samples (tensor, pipeline, context, expert), got 'fsdp'}}
func.func @step() attributes {accel.role = #accel.role<step>, dist.coordinates = {fsdp = 0 : i64}} {
  return
}

// -----

// expected-error@below {{'func.func' op expected a coordinate along 'pipeline' that is not negative, got -1 : i64}}
func.func @step() attributes {accel.role = #accel.role<step>, dist.coordinates = {pipeline = -1 : i64}} {
  return
}
