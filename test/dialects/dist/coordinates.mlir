// RUN: accel-opt %s --verify-roundtrip | FileCheck %s

// Two functions of one role, each for the ranks of one stage.
// CHECK: func.func @first() attributes {accel.role = #accel.role<step>, dist.coordinates = {pipeline = 0 : i64}}
func.func @first() attributes {accel.role = #accel.role<step>, dist.coordinates = {pipeline = 0 : i64}} {
  return
}
// CHECK: func.func @second() attributes {accel.role = #accel.role<step>, dist.coordinates = {pipeline = 1 : i64, tensor = 0 : i64}}
func.func @second() attributes {accel.role = #accel.role<step>, dist.coordinates = {pipeline = 1 : i64, tensor = 0 : i64}} {
  return
}
