/* SPDX-License-Identifier: MIT */
/* One width of the kernel; fir_kernel.c includes this once per width, with these macros:
 *   LANES   doubles per vector: 2, 4 or 8
 *   TARGET  the function attribute that allows the instructions, may be empty
 *   FN(x)   x with a suffix of its own
 * A tile is four rows by two columns: eight sums, six loads for eight products. */

#define INLINE static inline __attribute__((always_inline)) TARGET

typedef double FN(Vec) __attribute__((vector_size(8 * LANES), may_alias, aligned(8)));
#define Vec FN(Vec)

INLINE double FN(sum_lanes)(Vec v) {
#if LANES == 8
  const Vec half = v + __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  const Vec quarter = half + __builtin_shufflevector(half, half, 2, 3, 0, 1, 6, 7, 4, 5);
  return quarter[0] + quarter[1];
#elif LANES == 4
  const Vec half = v + __builtin_shufflevector(v, v, 2, 3, 0, 1);
  return half[0] + half[1];
#else
  return v[0] + v[1];
#endif
}

/* w[k] = tap[k] * weight */
INLINE void FN(weigh)(size_t count, const double *const *tap, const double *weight,
                      double (*w)[ARM_FIR_BLOCK]) {
  for (size_t k = 0; k < ARM_FIR_ROWS; k++) {
    size_t s = 0;
    for (; s + LANES <= count; s += LANES)
      *(Vec *)(w[k] + s) = *(const Vec *)(tap[k] + s) * *(const Vec *)(weight + s);
    for (; s < count; s++)
      w[k][s] = tap[k][s] * weight[s];
  }
}

INLINE void FN(tile)(size_t count, double (*w)[ARM_FIR_BLOCK], const double *a, const double *b,
                     double sum[2][ARM_FIR_ROWS]) {
  Vec va[ARM_FIR_ROWS] = {{0}}, vb[ARM_FIR_ROWS] = {{0}};
  size_t s = 0;
  for (; s + LANES <= count; s += LANES) {
    const Vec xa = *(const Vec *)(a + s), xb = *(const Vec *)(b + s);
#pragma GCC unroll 4
    for (size_t k = 0; k < ARM_FIR_ROWS; k++) {
      const Vec wk = *(const Vec *)(w[k] + s);
      va[k] += wk * xa;
      vb[k] += wk * xb;
    }
  }
#pragma GCC unroll 4
  for (size_t k = 0; k < ARM_FIR_ROWS; k++) {
    sum[0][k] = FN(sum_lanes)(va[k]);
    sum[1][k] = FN(sum_lanes)(vb[k]);
  }
  for (; s < count; s++)
    for (size_t k = 0; k < ARM_FIR_ROWS; k++) {
      sum[0][k] += w[k][s] * a[s];
      sum[1][k] += w[k][s] * b[s];
    }
}

TARGET static void FN(fold)(size_t count, const double *const *tap, const double *weight,
                            size_t columns, const double *const *column, double *const *sum) {
  double w[ARM_FIR_ROWS][ARM_FIR_BLOCK] __attribute__((aligned(64)));
  double part[2][ARM_FIR_ROWS];
  FN(weigh)(count, tap, weight, w);
  for (size_t c = 0; c < columns; c += 2) {
    const size_t width = columns - c < 2 ? 1 : 2;
    FN(tile)(count, w, column[c], column[c + width - 1], part);
    for (size_t k = 0; k < ARM_FIR_ROWS; k++)
      for (size_t i = 0; i < width; i++)
        sum[k][c + i] += part[i][k];
  }
}

#undef INLINE
#undef Vec
#undef LANES
#undef TARGET
#undef FN
