// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// variants: few
// scratch: ceil(n_row / max(32, ceil(n_row / 128))) * 2 * d
// then: batchnorm_forward.look
// binds: x scratch
// uses: scalar norm norm_statistics norm_columns column_sums column_tiles column_partials
// y = x_hat gamma + beta over each column of x, in passes over tiles of rows and over their partial sums. First the sums of
// a first look.
const has_mean = true;
const n_term = 2u;
alias Terms = vec2f;

fn terms(model: u32, row: u32, column: u32) -> Terms {
  let start = start_of(model, column);
  let scaled = x[start + row * stride()] * guard;
  return Terms(scaled - x[start] * guard, abs(scaled));
}

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- batchnorm_forward.few ----
// tile: rows all, cols 64
// variant: software || n_row <= 64; n_lane 64
// vec4: stats
// uses: scalar norm norm_statistics norm_columns alone norm_alone norm_forward norm_output norm_of_x norm_affine
// y = x_hat gamma + beta over each column of x. A lane takes a column.
const has_mean = true;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  normalize_line(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- batchnorm_forward.look ----
// groups: ceil(d / 64)
// vec4: stats
// then: batchnorm_forward.centre
// binds: x scratch stats
// uses: scalar norm norm_statistics norm_columns column_sums column_tiles column_totals
// What the first look finds waits in a column's statistics until these are complete.
const has_mean = true;
const n_term = 2u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  let look = first_look(x[start_of(workgroup.z, column)], total_of(workgroup.z, column));
  let mean = select(look.mean, not_a_number(infinity_bits), look.spoilt);
  stats[workgroup.z * params.d + column] = vec4f(mean, 0.0, 0.0, look.inv_scale);
}

// ---- batchnorm_forward.centre ----
// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// vec4: stats
// then: batchnorm_forward.spread
// binds: x stats scratch
// uses: scalar norm norm_columns column_sums column_tiles column_partials
// Over tiles of rows: sums of the centred values and of their squares.
const n_term = 2u;
alias Terms = vec2f;

fn terms(model: u32, row: u32, column: u32) -> Terms {
  let s = unpack_stats(stats[stats_at(model, row, column)]);
  let v = x[start_of(model, column) + row * stride()] * s.inv_scale - s.mean;
  return Terms(v, v * v);
}

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  store_partials(lane, group_index(workgroup, n_workgroup), workgroup.z);
}

// ---- batchnorm_forward.spread ----
// groups: ceil(d / 64)
// vec4: stats
// then: batchnorm_forward.write
// binds: scratch stats
// uses: scalar norm norm_statistics norm_columns column_sums column_tiles column_totals
// The complete statistics of a column.
const has_mean = true;
const n_term = 2u;
alias Terms = vec2f;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let column = group_index(workgroup, n_workgroup) * n_lane + lane;
  if (column >= params.d) { return; }
  let line = workgroup.z * params.d + column;
  let known = unpack_stats(stats[line]);
  let look = FirstLook(known.mean, known.inv_scale, !is_finite(known.mean));
  stats[line] = pack_stats(finish_stats(look, total_of(workgroup.z, column)));
}

// ---- batchnorm_forward.write ----
// groups: ceil(d / 64) * ceil(n_row / max(32, ceil(n_row / 128)))
// vec4: stats
// binds: x gamma beta y stats
// uses: scalar norm norm_columns column_tiles norm_output norm_of_x norm_affine
// A lane writes one column of one tile.
const n_term = 0u;

@compute @workgroup_size(n_lane)
fn batchnorm_forward(@builtin(local_invocation_index) lane: u32,
                     @builtin(workgroup_id) workgroup: vec3u,
                     @builtin(num_workgroups) n_workgroup: vec3u) {
  let place = tile_place(lane, group_index(workgroup, n_workgroup));
  let start = start_of(workgroup.z, place.column);
  let feature = feature_of(workgroup.z, place.column);
  for (var row = place.begin; row < place.end; row += 1u) {
    let at = start + row * stride();
    write_value(at, feature, value_at(at), unpack_stats(stats[feature]));
  }
}
