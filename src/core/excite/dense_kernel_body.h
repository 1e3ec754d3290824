/* SPDX-License-Identifier: MIT */
/* One width of the kernels; dense_kernel.c includes this once per width, with these macros:
 *   LANES   doubles per vector: 2, 4 or 8
 *   TARGET  the function attribute that allows the instructions, may be empty
 *   FN(x)   x with a suffix of its own */

typedef double FN(Vec) __attribute__((vector_size(8 * LANES), may_alias));
#define Vec FN(Vec)

/* At most four rows of the result, `vectors` (1 or 2) of each: eight sums hide the latency of one.
 */
static inline __attribute__((always_inline)) TARGET void
FN(tile)(bool add, int rows, int vectors, size_t inner, size_t ld, const double *a, size_t row,
         size_t column, const double *b, double *c) {
  Vec sum[4][2];
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++)
      sum[i][v] = add ? *(const Vec *)(c + (size_t)i * ld + v * LANES) : (Vec){0};
  for (size_t k = 0; k < inner; k++) {
    const double *from = a + k * column;
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++) {
      const Vec y = *(const Vec *)(b + k * ld + v * LANES);
#pragma GCC unroll 4
      for (int i = 0; i < rows; i++)
        sum[i][v] += from[(size_t)i * row] * y;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; v++)
      *(Vec *)(c + (size_t)i * ld + v * LANES) = sum[i][v];
}

static inline __attribute__((always_inline)) TARGET void FN(band)(bool add, int rows, size_t inner,
                                                                  size_t ld, const double *a,
                                                                  size_t row, size_t column,
                                                                  const double *b, double *c) {
  size_t j = 0;
  for (; j + 2 * LANES <= ld; j += 2 * LANES)
    FN(tile)(add, rows, 2, inner, ld, a, row, column, b + j, c + j);
  for (; j < ld; j += LANES)
    FN(tile)(add, rows, 1, inner, ld, a, row, column, b + j, c + j);
}

TARGET static void FN(multiply)(bool add, size_t rows, size_t inner, size_t ld, const double *a,
                                size_t row, size_t column, const double *b, double *c) {
  size_t i = 0;
  for (; i + 4 <= rows; i += 4)
    FN(band)(add, 4, inner, ld, a + i * row, row, column, b, c + i * ld);
  a += i * row, c += i * ld;
  if (rows - i == 3)
    FN(band)(add, 3, inner, ld, a, row, column, b, c);
  else if (rows - i == 2)
    FN(band)(add, 2, inner, ld, a, row, column, b, c);
  else if (rows - i == 1)
    FN(band)(add, 1, inner, ld, a, row, column, b, c);
}

/* y -= f x, columns from..to, whole vectors */
static inline __attribute__((always_inline)) TARGET void
FN(subtract)(size_t from, size_t to, double f, const double *x, double *y) {
  for (size_t j = from / LANES * LANES; j < to; j += LANES)
    *(Vec *)(y + j) -= f * *(const Vec *)(x + j);
}

static inline __attribute__((always_inline)) TARGET void FN(scale)(size_t from, size_t to, double f,
                                                                   double *y) {
  for (size_t j = from / LANES * LANES; j < to; j += LANES)
    *(Vec *)(y + j) *= f;
}

/* Elimination of [M 1] row by row (Golub and Van Loan, Matrix Computations, 4th ed., 4.2). */
TARGET static bool FN(factor)(size_t n, size_t ld, double *u, double *lower) {
  memset(lower, 0, n * ld * sizeof *lower);
  for (size_t k = 0; k < n; k++)
    lower[k * ld + k] = 1;
  for (size_t k = 0; k < n; k++) {
    const double pivot = u[k * ld + k];
    if (!(pivot > 0 && pivot <= DBL_MAX))
      return false;
    const double inverse = 1 / sqrt(pivot);
    FN(scale)(k, ld, inverse, u + k * ld);
    FN(scale)(0, k + 1, inverse, lower + k * ld);
    for (size_t i = k + 1; i < n; i++) {
      const double f = u[k * ld + i];
      FN(subtract)(i, ld, f, u + k * ld, u + i * ld);
      FN(subtract)(0, k + 1, f, lower + k * ld, lower + i * ld);
    }
  }
  return true;
}

#undef Vec
#undef LANES
#undef TARGET
#undef FN
