void block([[maybe_unused]] u64 rows, [[maybe_unused]] const void* const* in, void* const* out,
           [[maybe_unused]] void* scratch) {
  const f32 v0 = *static_cast<const f32*>(in[0]);
  const f32* const v1 = static_cast<const f32*>(in[1]);
  const f32* const v2 = static_cast<const f32*>(in[2]);
  const f32* const v3 = static_cast<const f32*>(in[3]);
  f32* const v9 = static_cast<f32*>(out[0]);
  f32* const v12 = static_cast<f32*>(out[1]);
  f32* const v13 = static_cast<f32*>(out[2]);
  u8* const base = static_cast<u8*>(scratch);
  const u64 padded = (rows + 63) / 64 * 64;
  f32* const v4 = reinterpret_cast<f32*>(base + 0);
  f32* const w1 = reinterpret_cast<f32*>(base + 4 * padded);
  f32* const v6 = reinterpret_cast<f32*>(base + 4 * padded + 196608);
  f32* const v11 = reinterpret_cast<f32*>(base + 0);
  f32* const w2 = reinterpret_cast<f32*>(base + 4 * padded);
  // dot_general, learners.py:22
  multiply<true>(rows, 1, 10, Matrix<const f32>{v2, 10, 1},
      Matrix<const f32>{v1, 1, 1}, Matrix<f32>{v4, 1, 1}, w1);
  // sub, learners.py:22
  ALPHA_APART
  for (u64 i0 = 0; i0 < rows; ++i0) {
    const f32 t0 = v4[i0] + v0;
    const f32 t1 = t0 - v3[i0];
    v6[i0] = t1;
  }
  // reduce_sum
  v9[0] = reduce_sum<f32>(rows, [&]([[maybe_unused]] u64 k) {
    const f32 t0 = integer_power<2>(v6[k]);
    return t0;
  });
  canonicalise(v9, 1);
  // mul, learners.py:22
  ALPHA_APART
  for (u64 i0 = 0; i0 < rows; ++i0) {
    const f32 t0 = 2.0f * v6[i0];
    const f32 t1 = 1.0f * t0;
    v11[i0] = t1;
  }
  // reduce_sum, learners.py:22
  v12[0] = reduce_sum<f32>(rows, [&]([[maybe_unused]] u64 k) {
    return v11[k];
  });
  canonicalise(v12, 1);
  // dot_general, learners.py:22
  multiply<true>(1, 10, rows, Matrix<const f32>{v11, 1, 1},
      Matrix<const f32>{v2, 10, 1}, Matrix<f32>{v13, 1, 1}, w2);
  canonicalise(v13, 10);
}

void update([[maybe_unused]] u64 rows, [[maybe_unused]] const void* const* in, void* const* out,
            [[maybe_unused]] void* scratch) {
  f32* const out0 = static_cast<f32*>(out[0]);
  const f32 v0 = *static_cast<const f32*>(in[0]);
  const f32* const v1 = static_cast<const f32*>(in[1]);
  const f32 v2 = *static_cast<const f32*>(in[2]);
  const f32* const v3 = static_cast<const f32*>(in[3]);
  f32* const v8 = static_cast<f32*>(out[1]);
  // mul
  const f32 v5 = -0.1f * v2;
  // add
  const f32 v7 = v0 + v5;
  // add
  ALPHA_APART
  for (u64 i0 = 0; i0 < 10; ++i0) {
    const f32 t0 = -0.1f * v3[i0];
    const f32 t1 = v1[i0] + t0;
    const f32 t2 = canonical(t1);
    v8[i0] = t2;
  }
  {
    const f32 t0 = canonical(v7);
    out0[0] = t0;
  }
}
