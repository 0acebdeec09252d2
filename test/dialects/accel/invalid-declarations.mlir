// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each numbered constraint of what a module declares, violated.
// RUN: accel-opt %s --split-input-file --verify-diagnostics

// parameter_c1
// expected-error@below {{'accel.parameter' op expected a ranked tensor type with a static shape, got 'tensor<?x4xf32>'}}
accel.parameter @parameter_c1 : tensor<?x4xf32> trainable

// -----

// parameter_c1
// expected-error@below {{'accel.parameter' op expected a ranked tensor type with a static shape, got 'f32'}}
accel.parameter @parameter_c1_scalar : f32

// -----

// parameter_c1
// expected-error@below {{'accel.parameter' op expected element type f32, f64, bf16, f16, i64, i32 or i1, got 'i8'}}
accel.parameter @parameter_c1_element : tensor<4xi8>

// -----

// parameter_c1
// expected-error@below {{'accel.parameter' op expected element type f32, f64, bf16, f16, i64, i32 or i1, got 'f8E4M3FN'}}
accel.parameter @parameter_c1_byte : tensor<4xf8E4M3FN>

// -----

// parameter_c2
// expected-error@below {{'accel.parameter' op expected a trainable parameter to have a float element type, got 'i64': leave out `trainable`}}
accel.parameter @parameter_c2 : tensor<4xi64> trainable

// -----

// parameter_c3
// expected-error@below {{'accel.parameter' op expected the `kind` of `initial` to be "file", "normal", "uniform" or "constant", got {kind = "xavier"}}}
accel.parameter @parameter_c3 : tensor<4xf32> {initial = {kind = "xavier"}}

// -----

// parameter_c3
// expected-error@below {{'accel.parameter' op expected `initial` to have `site`, an integer, got none}}
accel.parameter @parameter_c3_missing : tensor<4xf32> {initial = {kind = "normal", mean = 0.0, deviation = 1.0}}

// -----

// parameter_c3
// expected-error@below {{'accel.parameter' op expected `initial` to have `bound`, a float, got none}}
accel.parameter @parameter_c3_bound : tensor<4xf32> {initial = {kind = "uniform", site = 3 : i64}}

// -----

// parameter_c3
// expected-error@below {{'accel.parameter' op expected `initial` to have `value`, a float, got 1 : i64}}
accel.parameter @parameter_c3_type : tensor<4xf32> {initial = {kind = "constant", value = 1 : i64}}

// -----

// parameter_c3
// expected-error@below {{'accel.parameter' op expected `initial` to have `key`, a string, got none}}
accel.parameter @parameter_c3_key : tensor<4xf32> {initial = {kind = "file"}}

// -----

// parameter_c4
// expected-error@below {{'accel.parameter' op expected `compute` bf16, f16, f8E4M3FN or f8E5M2 of a parameter of f32, got 'f32' of 'f32'}}
accel.parameter @parameter_c4 : tensor<4xf32> trainable compute f32

// -----

// parameter_c4
// expected-error@below {{'accel.parameter' op expected `compute` bf16, f16, f8E4M3FN or f8E5M2 of a parameter of f32, got 'f8E8M0FNU' of 'f32'}}
accel.parameter @parameter_c4_scale : tensor<4xf32> compute f8E8M0FNU

// -----

// parameter_c5
// expected-error@below {{'accel.parameter' op expected `scale` exactly beside a `compute` of 8 bits, got none}}
accel.parameter @parameter_c5 : tensor<4xf32> compute f8E4M3FN

// -----

// parameter_c5
// expected-error@below {{'accel.parameter' op expected `scale` exactly beside a `compute` of 8 bits, got one}}
accel.parameter @parameter_c5_wide : tensor<4xf32> compute bf16 {scale = 0 : i64}

// -----

// parameter_c6
// expected-error@below {{'accel.parameter' op expected a statistic of f32 that is not trainable and read as it is stored, got a trainable one}}
accel.parameter @parameter_c6 : tensor<4xf32> trainable statistic

// -----

// parameter_c6
// expected-error@below {{'accel.parameter' op expected a statistic of f32 that is not trainable and read as it is stored, got another element type}}
accel.parameter @parameter_c6_type : tensor<4xf64> statistic

// -----

// parameter_c7
// expected-error@below {{'accel.parameter' op expected a trainable parameter beside `lr_factor`, got one that nothing updates}}
accel.parameter @parameter_c7 : tensor<4xf32> {lr_factor = 0.5 : f64}

// -----

// parameter_c7
// expected-error@below {{'accel.parameter' op expected a trainable parameter beside `decays`, got one that nothing updates}}
accel.parameter @parameter_c7_decays : tensor<4xf32> statistic {decays = true}

// -----

// parameter_c7
// expected-error@below {{'accel.parameter' op expected a trainable parameter beside `weight_decay`, got one that nothing updates}}
accel.parameter @parameter_c7_decay : tensor<4xf32> {weight_decay = 0.0 : f64}

// -----

// parameter_c8
// expected-error@below {{'accel.parameter' op expected `lr_factor` that is finite and not negative, got -5.000000e-01}}
accel.parameter @parameter_c8 : tensor<4xf32> trainable {lr_factor = -0.5 : f64}

// -----

// parameter_c8
// expected-error@below {{'accel.parameter' op expected `weight_decay` that is finite and not negative, got INF}}
accel.parameter @parameter_c8_decay : tensor<4xf32> trainable {weight_decay = 0x7FF0000000000000 : f64}

// -----

// parameter_c4
// expected-error@below {{'accel.parameter' op expected `compute` bf16, f16, f8E4M3FN or f8E5M2 of a parameter of f32, got 'bf16' of 'f64'}}
accel.parameter @parameter_c4_stored : tensor<4xf64> trainable compute bf16

// -----

// state_c1
// expected-error@below {{'accel.state' op expected a ranked tensor type with a static shape, got 'tensor<*xf64>'}}
accel.state @state_c1 counter : tensor<*xf64>

// -----

// state_c1
// expected-error@below {{'accel.state' op expected element type f32, f64, bf16, f16, i64, i32, i1, ui8, f8E4M3FN, f8E5M2 or f8E8M0FNU, got 'f8E4M3FNUZ'}}
accel.state @state_c1_element counter : tensor<4xf8E4M3FNUZ>

// -----

// state_c2
// expected-error@below {{'accel.state' op expected a counter to have no `group`, got one}}
accel.state @state_c2 counter : tensor<f64> {group = #accel.group<decayed>}

// -----

// expected-error@below {{expected string or keyword containing one of the following enum values for attribute 'kind' [hyperparameter, counter, accumulator, partial, slot, partial_max, scale, accumulator_max, input, output]}}
accel.state @unknown scalar : tensor<f64>

// -----

// expected-error@below {{expected the name of what the optimizer keeps, got none}}
accel.state @no_name slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<optimizer>, group = #accel.group<decayed>}

// -----

// expected-error@below {{expected no name of what the optimizer keeps, got "m"}}
accel.state @a_name slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master : "m">, group = #accel.group<decayed>}

// -----

// expected-error@below {{expected a name that is no role of a slot, got "compute"}}
accel.state @computed slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<optimizer : "compute">, group = #accel.group<decayed>}

// -----

// expected-error@below {{expected a name that is no role of a slot, got "gradient"}}
accel.state @a_role slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<optimizer : "gradient">, group = #accel.group<decayed>}

// -----

// state_c2
// expected-error@below {{'accel.state' op expected a slot to have `segment`, got none}}
accel.state @state_c2_slot slot : tensor<128xf32> {slot = #accel.slot<master>, group = #accel.group<decayed>}

// -----

// expected-error@below {{expected ::accel::OptimizerGroup to be one of: decayed, undecayed, frozen}}
// expected-error@below {{failed to parse Accel_OptimizerGroupAttr parameter 'value'}}
accel.state @group slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = #accel.group<trained>}

// -----

// expected-error@below {{attribute 'group' failed to satisfy constraint}}
accel.state @group_string slot : tensor<128xf32> {segment = #accel.segment_ref<@b "s">, slot = #accel.slot<master>, group = "decayed"}

// -----

// expected-error@below {{attribute 'segment' failed to satisfy constraint: names a segment of a bucket}}
accel.state @segment_string slot : tensor<128xf32> {segment = "s", slot = #accel.slot<master>, group = #accel.group<decayed>}

// -----

// expected-error@below {{expected the name of a segment of @b, got an empty one}}
accel.state @no_segment slot : tensor<128xf32> {segment = #accel.segment_ref<@b "">, slot = #accel.slot<master>, group = #accel.group<decayed>}

// -----

// expected-error@below {{attribute 'segments' failed to satisfy constraint: a list of segments}}
accel.bucket @dictionary {granule = 128 : i64, segments = [{name = "n"}]}

// -----

// expected-error@below {{expected ::accel::OptimizerGroup to be one of: decayed, undecayed, frozen}}
// expected-error@below {{failed to parse Accel_SegmentAttr parameter 'group'}}
accel.bucket @other_group {granule = 128 : i64, segments = [#accel.segment<"n" group g, 1 elements>]}

// -----

// expected-error@below {{expected a segment with a name and at least one element, got "" and 1}}
accel.bucket @no_name {granule = 128 : i64, segments = [#accel.segment<"" group frozen, 1 elements>]}

// -----

// expected-error@below {{expected a segment with a name and at least one element, got "n" and 0}}
accel.bucket @empty {granule = 128 : i64, segments = [#accel.segment<"n" group frozen, 0 elements>]}

// -----

// expected-error@below {{expected each parameter once, got @a twice}}
accel.bucket @twice {granule = 128 : i64, segments = [#accel.segment<"n" group decayed, 128 elements of @a, @b, @a>]}

// -----

// bucket_c1
// expected-error@below {{'accel.bucket' op expected segments with different names, got "n" twice}}
accel.bucket @bucket_c1_names {granule = 128 : i64, segments = [#accel.segment<"n" group decayed, 128 elements>, #accel.segment<"n" group frozen, 128 elements>]}

// -----

// bucket_c1
// expected-error@below {{'accel.bucket' op expected each parameter in one segment, got @a in two}}
accel.bucket @bucket_c1_parameters {granule = 128 : i64, segments = [#accel.segment<"n" group decayed, 128 elements of @a>, #accel.segment<"m" group frozen, 128 elements of @a>]}
