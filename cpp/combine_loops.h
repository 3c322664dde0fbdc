// The host's loops of combine.cu, once for each instruction set that ALPHA_LEVEL names: no branch
// and no alias, so that compilers make vectors of them.  Included inside namespaces, more than
// once.

struct Loops {
  template <class T>
  ALPHA_LEVEL static void add_all(void* sum_bytes, const void* addend_bytes, u64 count) {
    T* __restrict__ sum = static_cast<T*>(sum_bytes);
    const T* __restrict__ addend = static_cast<const T*>(addend_bytes);
    for (u64 i = 0; i < count; ++i) sum[i] = add(sum[i], addend[i]);
  }

  template <class Narrow>
  ALPHA_LEVEL static void add_all_widened(f32* __restrict__ sum, const void* addend_bytes,
                                          u64 count) {
    const Narrow* __restrict__ addend = static_cast<const Narrow*>(addend_bytes);
    for (u64 i = 0; i < count; ++i) sum[i] = add(sum[i], widened(addend[i]));
  }

  template <class Narrow>
  ALPHA_LEVEL static void narrow_all(void* out_bytes, const f32* __restrict__ in, u64 count) {
    Narrow* __restrict__ out = static_cast<Narrow*>(out_bytes);
    for (u64 i = 0; i < count; ++i) narrow_to(in[i], &out[i]);
  }

  template <class Narrow>
  ALPHA_LEVEL static void widen_all(f32* __restrict__ out, const void* in_bytes, u64 count) {
    const Narrow* __restrict__ in = static_cast<const Narrow*>(in_bytes);
    for (u64 i = 0; i < count; ++i) out[i] = widened(in[i]);
  }

  template <class Narrow>
  ALPHA_LEVEL static void round_all(f32* values, u64 count) {
    for (u64 i = 0; i < count; ++i) {
      Narrow narrow;
      narrow_to(values[i], &narrow);
      values[i] = widened(narrow);
    }
  }
};
