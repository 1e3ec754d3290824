/* SPDX-License-Identifier: MIT */
/* Gravity is turned outward into every link frame; per joint i the weighted first moments are
 * carried inward from the tip. The current is that of row i of (I+L)^-T A (core/arm/gravity.h). */
#include "io/export/export_c_gravity.h"

#include <math.h>

typedef struct {
  const ArmModel *model;
  const ArmGravityParameters *parameters;
  AioProgram *program;
  double placement[ARM_MAX_JOINTS][9];
  AioScalar g[ARM_MAX_JOINTS][3]; /* m/s^2, in frame i */
  AioScalar cosine[ARM_MAX_JOINTS], sine[ARM_MAX_JOINTS], slide[ARM_MAX_JOINTS];
} Chain;

/* The cosine of a right angle given in degrees is 6e-17. */
static double snap(double entry) {
  const double whole = round(entry);
  return fabs(entry - whole) < 1e-15 ? whole : entry;
}

static AioScalar times(double factor, AioScalar scalar) {
  return (AioScalar){factor * scalar.factor, scalar.node};
}

static void add_sources(Chain *chain, size_t i) {
  const double offset = chain->model->joints[i].offset;
  if (chain->model->joints[i].type == ARM_JOINT_T) {
    chain->slide[i] = aio_program_source(chain->program, AIO_NODE_SLIDE, (int)i, offset);
  } else {
    chain->cosine[i] = aio_program_source(chain->program, AIO_NODE_COS, (int)i, offset);
    chain->sine[i] = aio_program_source(chain->program, AIO_NODE_SIN, (int)i, offset);
  }
  for (int k = 0; k < 9; k++)
    chain->placement[i][k] = snap(chain->model->joints[i].rotation[k]);
}

/* g in frame i from g in frame i-1 */
static void turn_gravity(Chain *chain, size_t i, const AioScalar outer[3]) {
  const int joint = (int)i + 1;
  AioScalar b[3];
  for (int column = 0; column < 3; column++) {
    AioScalar products[3][2];
    for (int row = 0; row < 3; row++) {
      products[row][0] = aio_scalar_number(chain->placement[i][3 * row + column]);
      products[row][1] = outer[row];
    }
    b[column] = aio_program_sum(chain->program, 3, (const AioScalar(*)[2])products, "b%d%c", joint,
                                'x' + column);
  }
  for (int k = 0; k < 3; k++)
    chain->g[i][k] = b[k];
  if (chain->model->joints[i].type == ARM_JOINT_T)
    return;
  const AioScalar c = chain->cosine[i], s = chain->sine[i];
  const AioScalar x[2][2] = {{c, b[0]}, {s, b[1]}}, y[2][2] = {{c, b[1]}, {times(-1.0, s), b[0]}};
  chain->g[i][0] = aio_program_sum(chain->program, 2, x, "g%dx", joint);
  chain->g[i][1] = aio_program_sum(chain->program, 2, y, "g%dy", joint);
}

/* rho_ij */
static double weight(const ArmGravityParameters *p, size_t i, size_t j) {
  if (i == j)
    return 1.0;
  return p->cluster[i] >= 0 && p->cluster[i] == p->cluster[j] ? p->ratio[i][j].used : 0.0;
}

/* u of frame m+1 becomes u of frame m; `own` is what joint m adds */
static void carry_inward(const Chain *chain, size_t i, size_t m, const AioScalar own[3][2],
                         AioScalar u[3]) {
  const int row = (int)i + 1, frame = (int)m + 1;
  AioScalar turned[3] = {aio_scalar_number(0.0), aio_scalar_number(0.0), aio_scalar_number(0.0)};
  const size_t outer = m + 1;
  if (outer < chain->model->n) {
    for (int k = 0; k < 3; k++)
      turned[k] = u[k];
    if (chain->model->joints[outer].type == ARM_JOINT_R) {
      const AioScalar c = chain->cosine[outer], s = chain->sine[outer];
      const AioScalar x[2][2] = {{c, u[0]}, {times(-1.0, s), u[1]}},
                      y[2][2] = {{s, u[0]}, {c, u[1]}};
      turned[0] = aio_program_sum(chain->program, 2, x, "t%d_%dx", row, frame + 1);
      turned[1] = aio_program_sum(chain->program, 2, y, "t%d_%dy", row, frame + 1);
    }
  }
  for (int axis = 0; axis < 3; axis++) {
    AioScalar products[4][2] = {{own[axis][0], own[axis][1]}};
    for (int k = 0; k < 3; k++) {
      products[k + 1][0] =
          aio_scalar_number(outer < chain->model->n ? chain->placement[outer][3 * axis + k] : 0.0);
      products[k + 1][1] = turned[k];
    }
    u[axis] = aio_program_sum(chain->program, 4, (const AioScalar(*)[2])products, "u%d_%d%c", row,
                              frame, 'x' + axis);
  }
}

/* Row i of (I+L)^-T, from column i on: forward substitution with I+L. */
static void coupling_row(const ArmModel *model, size_t i, double x[ARM_MAX_JOINTS]) {
  for (size_t m = i; m < model->n; m++) {
    x[m] = m == i ? 1.0 : 0.0;
    for (size_t k = i; k < m && model->has_coupling; k++)
      x[m] -= model->coupling[m][k] * x[k];
  }
}

/* With the moments carried inward,
 *
 *   u_m = rho_im w_m + P_(m+1) Rz u_(m+1)     (T joint m: (0, 0, d_m rho_im w_m))
 *
 * row m of A times the weights is (-g_y u_x + g_x u_y)_m for R, -g_z rho_im w_m for T. */
static AioScalar gravity_of(const Chain *chain, size_t i) {
  const ArmGravityParameters *p = chain->parameters;
  AioScalar u[3] = {aio_scalar_number(0.0), aio_scalar_number(0.0), aio_scalar_number(0.0)};
  AioScalar products[2 * ARM_MAX_JOINTS][2];
  double share[ARM_MAX_JOINTS];
  gsize n = 0;
  coupling_row(chain->model, i, share);
  for (size_t m = chain->model->n; m-- > i;) {
    const bool is_slide = chain->model->joints[m].type == ARM_JOINT_T;
    const AioScalar one = aio_scalar_number(1.0), none = aio_scalar_number(0.0);
    const AioScalar first = aio_scalar_number(weight(p, i, m) * p->joint[m].w[0].used);
    const AioScalar second = aio_scalar_number(weight(p, i, m) * p->joint[m].w[1].used);
    const AioScalar moments[3][2] = {{first, one}, {second, one}, {none, none}};
    const AioScalar mass[3][2] = {{none, none}, {none, none}, {first, chain->slide[m]}};
    carry_inward(chain, i, m, is_slide ? mass : moments, u);
    if (is_slide) {
      products[n][0] = times(-share[m], chain->g[m][2]);
      products[n++][1] = first;
    } else {
      products[n][0] = times(-share[m], chain->g[m][1]);
      products[n++][1] = u[0];
      products[n][0] = times(share[m], chain->g[m][0]);
      products[n++][1] = u[1];
    }
  }
  return aio_program_sum(chain->program, n, (const AioScalar(*)[2])products, "gravity%d",
                         (int)i + 1);
}

void aio_export_c_gravity(const ArmModel *model, const ArmGravityParameters *parameters,
                          AioProgram *program, AioScalar *gravity) {
  Chain *chain = g_new0(Chain, 1);
  AioScalar base[3];
  chain->model = model;
  chain->parameters = parameters;
  chain->program = program;
  for (int k = 0; k < 3; k++)
    base[k] = aio_scalar_number(model->gravity_m_s2[k]);
  for (size_t i = 0; i < model->n; i++) {
    add_sources(chain, i);
    turn_gravity(chain, i, i > 0 ? chain->g[i - 1] : base);
  }
  for (size_t i = 0; i < model->n; i++)
    gravity[i] = gravity_of(chain, i);
  g_free(chain);
}
