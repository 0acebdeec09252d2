// What a step writes without the select of a step that is not finite is named, and so is a select by another condition.
// RUN: accel-opt %s --accel-verify-shard --split-input-file --verify-diagnostics

module attributes {accel.optimizer = "adamw"} {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 128 elements of @w>]}
  accel.parameter @w : tensor<16x8xf32> trainable {segment = @m.decayed.master, offset = 0 : i64}
  accel.state @m.decayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.decayed.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  accel.state @m.decayed.first_moment slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<optimizer : "first_moment">, group = #accel.group<decayed>}
  accel.state @beta1_power counter : tensor<f64>
  accel.state @step_count counter : tensor<f64>
  func.func @step() attributes {accel.role = #accel.role<step>} {
    %one = accel.constant dense<1.0> : tensor<f64>
    %zero = accel.constant dense<0.0> : tensor<f64>
    %finite = accel.compare le, %zero, %one : tensor<f64> -> tensor<i1>
    %metric = accel.select %finite, %one, %zero : tensor<i1>, tensor<f64>
    accel.metric "finite", %metric : tensor<f64>
    accel.write @step_count, %one : tensor<f64>
    // expected-error@below {{expected 'beta1_power' to keep its value in a step that is not finite, got a write without a select of it}}
    accel.write @beta1_power, %one : tensor<f64>
    %new = accel.constant dense<2.0> : tensor<128xf32>
    %master = accel.read @m.decayed.master : tensor<128xf32>
    %moment = accel.read @m.decayed.first_moment : tensor<128xf32>
    %all = accel.broadcast %finite [] : tensor<i1> -> tensor<128xi1>
    %wrong = accel.select %all, %new, %moment : tensor<128xi1>, tensor<128xf32>
    // expected-error@below {{expected 'm.decayed.master' to keep its value in a step that is not finite, got a write without a select of it}}
    accel.write @m.decayed.master, %wrong : tensor<128xf32>
    %true = accel.compare lt, %zero, %one : tensor<f64> -> tensor<i1>
    %other = accel.broadcast %true [] : tensor<i1> -> tensor<128xi1>
    %chosen = accel.select %other, %new, %moment : tensor<128xi1>, tensor<128xf32>
    // expected-error@below {{expected 'm.decayed.first_moment' to be chosen by the condition that metric 'finite' reports, got another one}}
    accel.write @m.decayed.first_moment, %chosen : tensor<128xf32>
    %right = accel.select %all, %new, %master : tensor<128xi1>, tensor<128xf32>
    // expected-error@below {{expected one write of 'm.decayed.master' in a step, got a second one}}
    accel.write @m.decayed.master, %right : tensor<128xf32>
    return
  }
}

// -----

module {
  accel.bucket @m {granule = 128 : i64, segments = [#accel.segment<"decayed" group decayed, 128 elements of @w>]}
  accel.parameter @w : tensor<16x8xf32> trainable {segment = @m.decayed.master, offset = 0 : i64}
  accel.state @m.decayed.master slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<master>, group = #accel.group<decayed>}
  accel.state @m.decayed.gradient slot : tensor<128xf32> {segment = #accel.segment_ref<@m "decayed">, slot = #accel.slot<gradient>, group = #accel.group<decayed>}
  func.func @step(%finite: tensor<i1>, %new: tensor<128xf32>) attributes {accel.role = #accel.role<step>} {
    %master = accel.read @m.decayed.master : tensor<128xf32>
    %all = accel.broadcast %finite [] : tensor<i1> -> tensor<128xi1>
    %right = accel.select %all, %new, %master : tensor<128xi1>, tensor<128xf32>
    // expected-error@below {{expected 'm.decayed.master' to be chosen by the condition that metric 'finite' reports, got no such metric}}
    accel.write @m.decayed.master, %right : tensor<128xf32>
    return
  }
}
