/* SPDX-License-Identifier: MIT */
/* One width of the kernel; lsq_kernel.c includes this once per width, with these macros:
 *   LANES   doubles per vector: 2, 4 or 8
 *   TILE    columns updated at once: 4, or 3 where there are 16 vector registers, which they and
 *           four reflectors fill
 *   TARGET  the function attribute that allows the instructions, may be empty
 *   FN(x)   x with a suffix of its own
 * Panels of four columns are reduced one reflector at a time, each in one pass that ends with the
 * products the next one needs. Then their four reflectors are applied together to the columns
 * behind them: I - V T^T V^T, T upper triangular; V is `top` on the diagonal in the rows of the
 * triangle and the panel's columns in the block. */

#define INLINE static inline __attribute__((always_inline)) TARGET

typedef double FN(Vec) __attribute__((vector_size(8 * LANES), may_alias));
#define Vec FN(Vec)

/* The four sums over the lanes of four vectors. */
INLINE void FN(reduce)(const Vec a[4], double sum[4]) {
#if LANES == 8
  const Vec ab = __builtin_shufflevector(a[0], a[1], 0, 8, 2, 10, 4, 12, 6, 14) +
                 __builtin_shufflevector(a[0], a[1], 1, 9, 3, 11, 5, 13, 7, 15);
  const Vec cd = __builtin_shufflevector(a[2], a[3], 0, 8, 2, 10, 4, 12, 6, 14) +
                 __builtin_shufflevector(a[2], a[3], 1, 9, 3, 11, 5, 13, 7, 15);
  const Vec all = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                  __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  const Quad four =
      __builtin_shufflevector(all, all, 0, 1, 2, 3) + __builtin_shufflevector(all, all, 4, 5, 6, 7);
  *(LooseQuad *)sum = four;
#elif LANES == 4
  const Vec ab = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6) +
                 __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  const Vec cd = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6) +
                 __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  *(LooseQuad *)sum =
      __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
#else
  for (int k = 0; k < 4; k++)
    sum[k] = a[k][0] + a[k][1];
#endif
}

/* Products of column k of a panel of `width` columns with all of them, itself among them. */
INLINE void FN(dots)(size_t rows, const double *panel, int k, int width, double dot[4]) {
  Vec sum[4] = {{0}};
  for (size_t i = 0; i < rows; i += LANES) {
    const Vec value = *(const Vec *)(panel + k * ARM_LSQ_BLOCK_LD + i);
#pragma GCC unroll 4
    for (int j = 0; j < width; j++)
      sum[j] += value * *(const Vec *)(panel + j * ARM_LSQ_BLOCK_LD + i);
  }
  FN(reduce)(sum, dot);
}

/* Column k of a panel is scaled into its reflector's vector, columns behind it lose share[j] times
 * that; dot becomes the products of the next column with all. */
INLINE void FN(advance)(size_t rows, double *panel, int k, int width, double factor,
                        const double share[4], double dot[4]) {
  const int products = k + 1 < width ? width : 0;
  Vec sum[4] = {{0}};
  for (size_t i = 0; i < rows; i += LANES) {
    Vec c[4];
#pragma GCC unroll 4
    for (int j = 0; j < width; j++)
      c[j] = *(const Vec *)(panel + j * ARM_LSQ_BLOCK_LD + i);
    c[k] *= factor;
#pragma GCC unroll 4
    for (int j = k; j < width; j++) {
      if (j > k)
        c[j] -= c[k] * share[j];
      *(Vec *)(panel + j * ARM_LSQ_BLOCK_LD + i) = c[j];
    }
#pragma GCC unroll 4
    for (int j = 0; j < products; j++)
      sum[j] += c[k + 1] * c[j];
  }
  FN(reduce)(sum, dot);
}

/* Reflector k of a panel of `width` columns that starts at the triangle's diagonal element r.
 * dot: products of column k with all of the panel, then of the next column. */
INLINE void FN(panel_step)(size_t rows, size_t ldr, double *r, double *panel, Together *all, int k,
                           int width, bool is_small, double dot[4]) {
  double share[4] = {0};
  const size_t at = (size_t)k;
  Reflector h;
  if (!is_small && are_safe(dot, k, width)) {
    h = from_norms(sqrt(dot[k]), &r[at + at * ldr]);
  } else {
    h = scaled_reflector(rows, &r[at + at * ldr], panel + at * ARM_LSQ_BLOCK_LD);
    FN(dots)(rows, panel, k, width, dot);
  }
#pragma GCC unroll 4
  for (int j = 0; j < k; j++) {
    double sum = 0;
    for (int l = j; l < k; l++)
      sum += all->t[j][l] * dot[l];
    all->t[j][k] = -h.gamma * h.factor * sum;
  }
  all->t[k][k] = h.gamma;
  all->top[k] = h.top;
#pragma GCC unroll 4
  for (int j = k + 1; j < width; j++) {
    double *value = &r[at + (size_t)j * ldr];
    share[j] = h.gamma * (h.top * *value + h.factor * dot[j]);
    *value -= h.top * share[j];
  }
  FN(advance)(rows, panel, k, width, h.factor, share, dot);
}

/* Squares of a panel's columns, and products of its first column with all. */
INLINE void FN(begin)(size_t rows, const double *panel, int width, double square[4],
                      double dot[4]) {
  Vec squares[4] = {{0}}, sum[4] = {{0}};
  for (size_t i = 0; i < rows; i += LANES) {
    const Vec first = *(const Vec *)(panel + i);
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) {
      const Vec value = *(const Vec *)(panel + j * ARM_LSQ_BLOCK_LD + i);
      squares[j] += value * value;
      sum[j] += first * value;
    }
  }
  FN(reduce)(squares, square);
  FN(reduce)(sum, dot);
}

INLINE void FN(reduce_panel)(size_t rows, size_t ldr, double *r, double *panel, Together *all,
                             int width) {
  double square[4], dot[4];
  FN(begin)(rows, panel, width, square, dot);
  const bool is_small = has_small_column(rows, width, square, panel);
  FN(panel_step)(rows, ldr, r, panel, all, 0, width, is_small, dot);
  if (width > 1)
    FN(panel_step)(rows, ldr, r, panel, all, 1, width, is_small, dot);
  if (width > 2)
    FN(panel_step)(rows, ldr, r, panel, all, 2, width, is_small, dot);
  if (width > 3)
    FN(panel_step)(rows, ldr, r, panel, all, 3, width, is_small, dot);
}

TARGET __attribute__((noinline)) static void
FN(any_panel)(size_t rows, size_t ldr, double *r, double *panel, Together *all, size_t width) {
  if (width >= 4)
    FN(reduce_panel)(rows, ldr, r, panel, all, 4);
  else if (width == 3)
    FN(reduce_panel)(rows, ldr, r, panel, all, 3);
  else if (width == 2)
    FN(reduce_panel)(rows, ldr, r, panel, all, 2);
  else
    FN(reduce_panel)(rows, ldr, r, panel, all, 1);
}

/* Four reflectors applied to `tile` columns b, whose rows of the triangle start at r. */
INLINE void FN(apply)(size_t rows, size_t ldr, double *r, const double *v, double *b, Together *all,
                      int tile) {
  Vec sum[TILE][4] = {{{0}}};
  for (size_t i = 0; i < rows; i += LANES) {
#pragma GCC unroll 4
    for (int j = 0; j < tile; j++) {
      const Vec value = *(const Vec *)(b + j * ARM_LSQ_BLOCK_LD + i);
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++)
        sum[j][k] += value * *(const Vec *)(v + k * ARM_LSQ_BLOCK_LD + i);
    }
  }
  Quad share[TILE];
  const Quad top = *(LooseQuad *)all->top;
#pragma GCC unroll 4
  for (int j = 0; j < tile; j++) {
    double dot[4];
    FN(reduce)(sum[j], dot);
    LooseQuad *row = (LooseQuad *)(r + (size_t)j * ldr);
    const Quad w = *(LooseQuad *)dot + *row * top;
    share[j] = *(LooseQuad *)all->t[0] * w[0] + *(LooseQuad *)all->t[1] * w[1] +
               *(LooseQuad *)all->t[2] * w[2] + *(LooseQuad *)all->t[3] * w[3];
    *row -= share[j] * top;
  }
  for (size_t i = 0; i < rows; i += LANES) {
    Vec value[TILE];
#pragma GCC unroll 4
    for (int j = 0; j < tile; j++)
      value[j] = *(const Vec *)(b + j * ARM_LSQ_BLOCK_LD + i);
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
      const Vec reflector = *(const Vec *)(v + k * ARM_LSQ_BLOCK_LD + i);
#pragma GCC unroll 4
      for (int j = 0; j < tile; j++)
        value[j] -= reflector * share[j][k];
    }
#pragma GCC unroll 4
    for (int j = 0; j < tile; j++)
      *(Vec *)(b + j * ARM_LSQ_BLOCK_LD + i) = value[j];
  }
}

TARGET static void FN(fold)(size_t rows, size_t columns, double *r, double *block) {
  for (size_t k = leading_zero_columns(rows, columns, block); k < columns; k += 4) {
    Together all = {0};
    double *v = block + k * ARM_LSQ_BLOCK_LD;
    FN(any_panel)(rows, columns, r + k + k * columns, v, &all, columns - k);
    size_t j = k + 4;
    for (; j + TILE <= columns; j += TILE)
      FN(apply)(rows, columns, r + k + j * columns, v, block + j * ARM_LSQ_BLOCK_LD, &all, TILE);
    if (j + 2 <= columns) {
      FN(apply)(rows, columns, r + k + j * columns, v, block + j * ARM_LSQ_BLOCK_LD, &all, 2);
      j += 2;
    }
    if (j < columns)
      FN(apply)(rows, columns, r + k + j * columns, v, block + j * ARM_LSQ_BLOCK_LD, &all, 1);
  }
}

#undef Vec
#undef INLINE
#undef LANES
#undef TILE
#undef TARGET
#undef FN
