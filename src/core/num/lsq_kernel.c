/* SPDX-License-Identifier: MIT */
/* The one source of lsq_kernel_body.h for three vector widths, chosen at run time: a baseline
 * x86-64 build still uses AVX2 or AVX-512. Reflectors that would overflow or underflow are made
 * again, scaled. */
#include "core/num/lsq_kernel.h"

#include "core/base/lanes.h"

#include <math.h>
#include <stdbool.h>

/* Sums of squares inside these bounds have neither overflowed nor lost anything that matters. */
static const double square_least = 1e-270;
static const double square_most = 1e300;

typedef double Quad __attribute__((vector_size(32), may_alias));
typedef double LooseQuad __attribute__((vector_size(32), may_alias, aligned(8)));

static size_t leading_zero_columns(size_t rows, size_t columns, const double *block) {
  size_t j = 0;
  for (; j < columns; j++)
    for (size_t i = 0; i < rows; i++)
      if (block[i + j * ARM_LSQ_BLOCK_LD] != 0)
        return j;
  return j;
}

/* The reflector I - gamma (top; v)(top; v)^T, v = factor * x, |v| = 1. */
typedef struct {
  double gamma; /* 0 for a zero column */
  double top;
  double factor;
} Reflector;

/* Four of them at once: I - (top; V) T^T (top; V)^T. */
typedef struct {
  double t[4][4];
  double top[4];
} Together;

/* The reflector that takes the triangle's diagonal value alpha and a column of the block, of this
 * norm, to (beta; 0), both never negative: while the triangle outweighs the block it changes little
 * and loses little, where the textbook's sign would turn its rows over (and round them) every time.
 * top is free of cancellation (Parlett, The Symmetric Eigenvalue Problem, 6.3.1). */
static inline Reflector from_norms(double norm, double *diagonal) {
  const double alpha = *diagonal;
  const double total = alpha * alpha + norm * norm;
  const double beta =
      total >= square_least && total <= square_most ? sqrt(total) : hypot(alpha, norm);
  const double top = norm / (alpha + beta);
  *diagonal = beta;
  return (Reflector){2 / (1 + top * top), -top, 1 / norm};
}

static bool is_zero(size_t rows, const double *x) {
  for (size_t i = 0; i < rows; i++)
    if (x[i] != 0)
      return false;
  return true;
}

/* Products with a column of a panel may have lost what matters. Those of zeros have not. */
static inline bool has_small_column(size_t rows, int width, const double square[4],
                                    const double *panel) {
  for (int j = 0; j < width; j++)
    if (square[j] < square_least && !is_zero(rows, panel + j * ARM_LSQ_BLOCK_LD))
      return true;
  return false;
}

/* The square of column k can be taken for its length, and no product with it has overflowed. */
static inline bool are_safe(const double dot[4], int k, int width) {
  bool is_safe = dot[k] >= square_least;
  for (int j = 0; j < width; j++)
    is_safe = is_safe && fabs(dot[j]) <= square_most;
  return is_safe;
}

/* The reflector of a column of any size, which is scaled by a power of two. */
static Reflector scaled_reflector(size_t rows, double *diagonal, double *x) {
  if (is_zero(rows, x))
    return (Reflector){0, 0, 0};
  double largest = 0;
  for (size_t i = 0; i < rows; i++)
    largest = fmax(largest, fabs(x[i]));
  int exponent;
  (void)frexp(largest, &exponent);
  double square = 0;
  for (size_t i = 0; i < rows; i++) {
    x[i] = ldexp(x[i], -exponent);
    square += x[i] * x[i];
  }
  const double norm = sqrt(square);
  Reflector h = from_norms(ldexp(norm, exponent), diagonal);
  h.factor = 1 / norm;
  return h;
}

#define LANES 2
#define TILE  3
#define TARGET
#define FN(x) x##_2
#include "core/num/lsq_kernel_body.h"

#ifdef __x86_64__

#define LANES  4
#define TILE   3
#define TARGET __attribute__((target("avx2,fma")))
#define FN(x)  x##_4
#include "core/num/lsq_kernel_body.h"

#define LANES  8
#define TILE   4
#define TARGET __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl")))
#define FN(x)  x##_8
#include "core/num/lsq_kernel_body.h"

ArmLsqFold *arm_lsq_kernel(int max_lanes) {
  if (max_lanes >= 8 && arm_has_avx512())
    return fold_8;
  if (max_lanes >= 4 && arm_has_avx2())
    return fold_4;
  return fold_2;
}

#else

ArmLsqFold *arm_lsq_kernel(int max_lanes) {
  (void)max_lanes;
  return fold_2;
}

#endif
