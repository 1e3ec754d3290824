/* SPDX-License-Identifier: MIT */
/* Newton and Euler about the origins of the link frames (Luh, Walker and Paul 1980), of links whose
 * parameters are the base parameters, each as the one that it stands for, all others 0: Y pi is
 * then Y_b beta. In what is written names end in the axis, numbers in the joint. */
#include "io/export/export_c_dynamics.h"

#include <math.h>

#include "core/arm/inertia.h"

typedef struct {
  AioScalar v[3];
} Vector;

typedef struct {
  const ArmModel *model;
  AioProgram *program;
  double pi[ARM_INERTIA_PARAMETERS * ARM_MAX_JOINTS];
  double placement[ARM_MAX_JOINTS][9];
  AioScalar cosine[ARM_MAX_JOINTS], sine[ARM_MAX_JOINTS], slide[ARM_MAX_JOINTS];
  AioScalar speed[ARM_MAX_JOINTS], acceleration[ARM_MAX_JOINTS];
  Vector w[ARM_MAX_JOINTS], dw[ARM_MAX_JOINTS], a[ARM_MAX_JOINTS];
  AioScalar u[ARM_MAX_JOINTS][9];
} Chain;

/* Outward w, w', a of every frame; inward
 *
 *   f_m = m a + U mc + P Rz f_(m+1),       U = [w' x] + [w x][w x]
 *   n_m = I w' + w x (I w) + mc x a + P Rz n_(m+1) + s x (P Rz f_(m+1)) */

/* ---- scalars and vectors ---- */

static AioScalar times(double factor, AioScalar scalar) {
  return (AioScalar){factor * scalar.factor, scalar.node};
}

static AioScalar number(double x) {
  return aio_scalar_number(x);
}

static const AioScalar one = {1.0, AIO_NO_NODE};

/* The cosine of a right angle given in degrees is 6e-17. */
static double snap(double entry) {
  const double whole = round(entry);
  return fabs(entry - whole) < 1e-15 ? whole : entry;
}

static Vector none(void) {
  return (Vector){{number(0.0), number(0.0), number(0.0)}};
}

/* Sum of products, a line "NAMEjointAXIS". */
static AioScalar sum(const Chain *c, gsize n, const AioScalar (*products)[2], const char *name,
                     size_t joint, size_t axis) {
  return aio_program_sum(c->program, n, products, "%s%d%c", name, (int)joint + 1, "xyz"[axis % 3]);
}

static Vector add(const Chain *c, const Vector *x, const Vector *y, const char *name,
                  size_t joint) {
  Vector result;
  for (size_t k = 0; k < 3; k++) {
    const AioScalar products[2][2] = {{x->v[k], one}, {y->v[k], one}};
    result.v[k] = sum(c, 2, products, name, joint, k);
  }
  return result;
}

/* Rows of a matrix of numbers times x; transposed: its columns. */
static Vector turn(const Chain *c, const double *matrix, bool is_transposed, const Vector *x,
                   const char *name, size_t joint) {
  Vector result;
  for (size_t k = 0; k < 3; k++) {
    AioScalar products[3][2];
    for (size_t m = 0; m < 3; m++) {
      products[m][0] = number(matrix[is_transposed ? 3 * m + k : 3 * k + m]);
      products[m][1] = x->v[m];
    }
    result.v[k] = sum(c, 3, (const AioScalar(*)[2])products, name, joint, k);
  }
  return result;
}

/* Into the frame of a rotational joint, or, inward, out of it. */
static Vector spin(const Chain *c, size_t j, bool is_inward, const Vector *x, const char *name) {
  if (c->model->joints[j].type == ARM_JOINT_T)
    return *x;
  const AioScalar cosine = c->cosine[j], sine = times(is_inward ? -1.0 : 1.0, c->sine[j]);
  const AioScalar first[2][2] = {{cosine, x->v[0]}, {sine, x->v[1]}};
  const AioScalar second[2][2] = {{cosine, x->v[1]}, {times(-1.0, sine), x->v[0]}};
  return (Vector){{sum(c, 2, first, name, j, 0), sum(c, 2, second, name, j, 1), x->v[2]}};
}

/* The products of x cross y along an axis, into two places. */
static void cross(const Vector *x, const Vector *y, size_t axis, AioScalar products[2][2]) {
  const size_t k = (axis + 1) % 3, m = (axis + 2) % 3;
  products[0][0] = x->v[k];
  products[0][1] = y->v[m];
  products[1][0] = times(-1.0, x->v[m]);
  products[1][1] = y->v[k];
}

/* ---- outward ---- */

/* U of frame j. */
static void spread(Chain *c, size_t j) {
  static const char *const names[9] = {"Uxx", "Uxy", "Uxz", "Uyx", "Uyy",
                                       "Uyz", "Uzx", "Uzy", "Uzz"};
  const Vector *w = &c->w[j], *dw = &c->dw[j];
  for (size_t row = 0; row < 3; row++)
    for (size_t column = 0; column < 3; column++) {
      const size_t k = (row + 1) % 3, m = (row + 2) % 3, left = 3 - row - column;
      const AioScalar own[2][2] = {{times(-1.0, w->v[k]), w->v[k]},
                                   {times(-1.0, w->v[m]), w->v[m]}};
      const double sign = column == k ? -1.0 : 1.0;
      const AioScalar other[2][2] = {{w->v[row], w->v[column]},
                                     {times(sign, dw->v[row == column ? 0 : left]), one}};
      c->u[j][3 * row + column] = aio_program_sum(c->program, 2, row == column ? own : other,
                                                  "%s%d", names[3 * row + column], (int)j + 1);
    }
}

/* x + U s */
static Vector shift(const Chain *c, size_t j, const Vector *x, const Vector *s, const char *name,
                    size_t joint) {
  Vector result;
  for (size_t k = 0; k < 3; k++) {
    AioScalar products[4][2] = {{x->v[k], one}};
    for (size_t m = 0; m < 3; m++) {
      products[m + 1][0] = c->u[j][3 * k + m];
      products[m + 1][1] = s->v[m];
    }
    result.v[k] = sum(c, 4, (const AioScalar(*)[2])products, name, joint, k);
  }
  return result;
}

/* What sliding adds to a, in the joint's frame: U (0, 0, d) + 2 w x z qd + z qdd; U of frame j is
 * that of the link before, turned. */
static void slide(Chain *c, size_t j) {
  Vector *a = &c->a[j];
  const Vector *w = &c->w[j];
  const AioScalar two_speed = times(2.0, c->speed[j]);
  const AioScalar x[3][2] = {{a->v[0], one}, {c->u[j][2], c->slide[j]}, {w->v[1], two_speed}};
  const AioScalar y[3][2] = {
      {a->v[1], one}, {c->u[j][5], c->slide[j]}, {times(-1.0, w->v[0]), two_speed}};
  const AioScalar z[3][2] = {{a->v[2], one}, {c->u[j][8], c->slide[j]}, {c->acceleration[j], one}};
  *a = (Vector){{sum(c, 3, x, "e", j, 0), sum(c, 3, y, "e", j, 1), sum(c, 3, z, "e", j, 2)}};
}

static void rotate(Chain *c, size_t j) {
  Vector *w = &c->w[j], *dw = &c->dw[j];
  const AioScalar x[2][2] = {{dw->v[0], one}, {w->v[1], c->speed[j]}};
  const AioScalar y[2][2] = {{dw->v[1], one}, {times(-1.0, w->v[0]), c->speed[j]}};
  const AioScalar z[2][2] = {{dw->v[2], one}, {c->acceleration[j], one}};
  const AioScalar turned[2][2] = {{w->v[2], one}, {c->speed[j], one}};
  *dw = (Vector){{sum(c, 2, x, "dw", j, 0), sum(c, 2, y, "dw", j, 1), sum(c, 2, z, "dw", j, 2)}};
  w->v[2] = sum(c, 2, turned, "w", j, 2);
}

static void move_outward(Chain *c, size_t j) {
  const ArmJoint *joint = &c->model->joints[j];
  Vector w = none(), dw = none(), a, s;
  for (size_t k = 0; k < 3; k++) {
    a.v[k] = number(-c->model->gravity_m_s2[k]);
    s.v[k] = number(joint->translation[k]);
  }
  if (j > 0) {
    w = c->w[j - 1];
    dw = c->dw[j - 1];
    a = shift(c, j - 1, &c->a[j - 1], &s, "o", j);
  }
  const double *p = c->placement[j];
  w = turn(c, p, true, &w, "p", j);
  dw = turn(c, p, true, &dw, "dp", j);
  a = turn(c, p, true, &a, "b", j);
  c->w[j] = spin(c, j, false, &w, "r");
  c->dw[j] = spin(c, j, false, &dw, "dr");
  c->a[j] = spin(c, j, false, &a, "h");
  if (joint->type == ARM_JOINT_R)
    rotate(c, j);
  spread(c, j);
  if (joint->type == ARM_JOINT_T)
    slide(c, j);
}

/* ---- inward ---- */

static Vector moment(const Chain *c, size_t j) {
  const double *pi = c->pi + ARM_INERTIA_PARAMETERS * j;
  return (Vector){{number(pi[1]), number(pi[2]), number(pi[3])}};
}

static Vector force_of(const Chain *c, size_t j) {
  const double mass = c->pi[ARM_INERTIA_PARAMETERS * j];
  const Vector h = moment(c, j), *a = &c->a[j];
  const Vector weight = {{times(mass, a->v[0]), times(mass, a->v[1]), times(mass, a->v[2])}};
  return shift(c, j, &weight, &h, "f", j);
}

/* I w' + w x (I w) + mc x a */
static Vector moment_of(const Chain *c, size_t j) {
  const double *pi = c->pi + ARM_INERTIA_PARAMETERS * j;
  const double inertia[9] = {pi[4], pi[5], pi[7], pi[5], pi[6], pi[8], pi[7], pi[8], pi[9]};
  const Vector h = moment(c, j), spun = turn(c, inertia, false, &c->w[j], "L", j);
  Vector result;
  for (size_t k = 0; k < 3; k++) {
    AioScalar products[7][2];
    for (size_t m = 0; m < 3; m++) {
      products[m][0] = number(inertia[3 * k + m]);
      products[m][1] = c->dw[j].v[m];
    }
    cross(&c->w[j], &spun, k, products + 3);
    cross(&h, &c->a[j], k, products + 5);
    result.v[k] = sum(c, 7, (const AioScalar(*)[2])products, "n", j, k);
  }
  return result;
}

/* Force and moment of joint j about the origin of frame j, to the frame before. */
static void carry_inward(const Chain *c, size_t j, Vector *force, Vector *moment) {
  const ArmJoint *joint = &c->model->joints[j];
  Vector f = spin(c, j, true, force, "fr"), n = spin(c, j, true, moment, "nr");
  if (joint->type == ARM_JOINT_T) { /* (0, 0, d) x f */
    const AioScalar x[2][2] = {{n.v[0], one}, {times(-1.0, c->slide[j]), f.v[1]}};
    const AioScalar y[2][2] = {{n.v[1], one}, {c->slide[j], f.v[0]}};
    n = (Vector){{sum(c, 2, x, "ns", j, 0), sum(c, 2, y, "ns", j, 1), n.v[2]}};
  }
  f = turn(c, c->placement[j], false, &f, "fp", j);
  n = turn(c, c->placement[j], false, &n, "np", j);
  *force = f;
  for (size_t k = 0; k < 3; k++) {
    const Vector s = {{number(joint->translation[0]), number(joint->translation[1]),
                       number(joint->translation[2])}};
    AioScalar products[3][2] = {{n.v[k], one}};
    cross(&s, &f, k, products + 1);
    moment->v[k] = sum(c, 3, (const AioScalar(*)[2])products, "ms", j, k);
  }
}

static void find_torques(const Chain *c, AioScalar *torque) {
  Vector force = none(), moment = none();
  for (size_t j = c->model->n; j-- > 0;) {
    const Vector f = force_of(c, j), n = moment_of(c, j);
    force = add(c, &f, &force, "F", j);
    moment = add(c, &n, &moment, "N", j);
    torque[j] = c->model->joints[j].type == ARM_JOINT_R ? moment.v[2] : force.v[2];
    carry_inward(c, j, &force, &moment);
  }
}

/* ---- parameters and drives ---- */

static double used(const ArmParamSet *found, ArmParamKind kind, size_t i, double without) {
  const ArmEstimate *e = arm_param_set_at(found, (ArmParamId){kind, (unsigned char)i, 0});
  return e ? e->used : without;
}

static void take_parameters(const ArmParamSet *found, Chain *c) {
  for (size_t k = 0; k < found->n; k++) {
    const ArmParamId id = found->param[k].id;
    if (id.kind == ARM_PARAM_BASE)
      c->pi[ARM_INERTIA_PARAMETERS * id.i +
            arm_inertia_place(ARM_INERTIA_ORDER_GAUTIER_KHALIL, id.j)] = found->estimate[k].used;
  }
}

static void add_sources(Chain *c, size_t j) {
  const ArmJoint *joint = &c->model->joints[j];
  if (joint->type == ARM_JOINT_T) {
    c->slide[j] = aio_program_source(c->program, AIO_NODE_SLIDE, (int)j, joint->offset);
  } else {
    c->cosine[j] = aio_program_source(c->program, AIO_NODE_COS, (int)j, joint->offset);
    c->sine[j] = aio_program_source(c->program, AIO_NODE_SIN, (int)j, joint->offset);
  }
  c->speed[j] = aio_program_source(c->program, AIO_NODE_SPEED, (int)j, 0.0);
  c->acceleration[j] = aio_program_source(c->program, AIO_NODE_ACCELERATION, (int)j, 0.0);
  for (size_t k = 0; k < 9; k++)
    c->placement[j][k] = snap(joint->rotation[k]);
}

/* m = (I+L)^-T tau from the last joint, in place; rotors: with accelerations of drives, (I+L) qdd,
 * and less what those that base parameters hold weigh in them. */
static void couple(const Chain *c, const ArmParamSet *found, AioScalar *torque, AioScalar *rotor) {
  const ArmModel *model = c->model;
  for (size_t j = model->n; j-- > 0;) {
    AioScalar products[ARM_MAX_JOINTS][2] = {{torque[j], one}};
    AioScalar own[ARM_MAX_JOINTS + 1][2] = {{c->acceleration[j], one}};
    const double inertia = used(found, ARM_PARAM_ROTOR, j, 0.0);
    gsize n = 1, m = 1;
    for (size_t k = 0; k < model->n && model->has_coupling; k++) {
      if (k > j) {
        products[n][0] = times(-model->coupling[k][j], torque[k]);
        products[n++][1] = one;
      } else if (k < j) {
        own[m][0] = times(model->coupling[j][k], c->acceleration[k]);
        own[m++][1] = one;
      }
    }
    torque[j] =
        aio_program_sum(c->program, n, (const AioScalar(*)[2])products, "motor%d", (int)j + 1);
    for (gsize k = 0; k < m; k++)
      own[k][0] = times(inertia, own[k][0]);
    own[m][0] = number(used(found, ARM_PARAM_ROTOR_WEIGHT, j, 0.0));
    own[m++][1] = one;
    rotor[j] = aio_program_sum(c->program, m, (const AioScalar(*)[2])own, "rotor%d", (int)j + 1);
  }
}

void aio_export_c_dynamics_load(const ArmModel *model, const ArmParamSet *found,
                                AioProgram *program, AioScalar *load, AioScalar *rotor) {
  Chain *c = g_new0(Chain, 1);
  c->model = model;
  c->program = program;
  take_parameters(found, c);
  for (size_t j = 0; j < model->n; j++) {
    add_sources(c, j);
    move_outward(c, j);
  }
  find_torques(c, load);
  couple(c, found, load, rotor);
  for (size_t j = 0; j < model->n; j++) {
    const AioScalar scaled[1][2] = {{load[j], number(used(found, ARM_PARAM_ETA, j, 1.0))}};
    load[j] = aio_program_sum(program, 1, scaled, "load%d", (int)j + 1);
  }
  g_free(c);
}
