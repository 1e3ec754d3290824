/* SPDX-License-Identifier: MIT */
/* The friction laws and the function of one precision, from texts in which the type and the prefix
 * are filled in: double and float are one source and cannot disagree. */
#include <math.h>

#include "io/export/export_c_internal.h"

/* In these texts REAL is double or float, NAME the prefix, _F "" or "_f", 0_0 and 1_0 literals. */

static const char limit_code[] = "\n/* Within +-max; 0 for a NaN. */\n"
                                 "static inline REAL NAME_limit_F(REAL i, REAL max)\n"
                                 "{\n"
                                 "  if (i > max)\n"
                                 "    return max;\n"
                                 "  if (i < -max)\n"
                                 "    return -max;\n"
                                 "  return i >= -max ? i : 0_0;\n"
                                 "}\n";

static const char speed_code[] = "\n/* 0 for a NaN. */\n"
                                 "static inline REAL NAME_speed_F(REAL v)\n"
                                 "{\n"
                                 "  return v > 0_0 || v < 0_0 ? v : 0_0;\n"
                                 "}\n";

/* what a joint in motion gets; after it comes what it gets at rest */
#define MOVING_FRICTION                                                                            \
  "\nstatic inline REAL NAME_friction_F(REAL v, REAL coulomb_pos, REAL viscous_pos,\n"             \
  "    REAL coulomb_neg, REAL viscous_neg)\n"                                                      \
  "{\n"                                                                                            \
  "  if (v > 0_0)\n"                                                                               \
  "    return coulomb_pos + viscous_pos * v;\n"                                                    \
  "  if (v < 0_0)\n"                                                                               \
  "    return coulomb_neg + viscous_neg * v;\n"

static const char friction_code[] = MOVING_FRICTION "  return 0_0;\n}\n";

static const char band_code[] = MOVING_FRICTION "  return (coulomb_pos + coulomb_neg) / 2;\n}\n";

static const char deadband_code[] =
    "\nstatic inline REAL NAME_friction_F(REAL v, REAL coulomb_pos, REAL viscous_pos,\n"
    "    REAL coulomb_neg, REAL viscous_neg)\n"
    "{\n"
    "  const REAL deadband = DEADBAND;\n"
    "  const REAL speed = v < 0_0 ? -v : v;\n"
    "  const REAL share = speed < deadband ? speed / deadband : 1_0;\n"
    "  if (v > 0_0)\n"
    "    return share * coulomb_pos + viscous_pos * v;\n"
    "  if (v < 0_0)\n"
    "    return share * coulomb_neg + viscous_neg * v;\n"
    "  return 0_0;\n"
    "}\n";

static const char sign_error_code[] =
    "\nstatic inline REAL NAME_friction_F(REAL v, REAL error, REAL coulomb_pos, REAL viscous_pos,\n"
    "    REAL coulomb_neg, REAL viscous_neg)\n"
    "{\n"
    "  if (v > 0_0)\n"
    "    return coulomb_pos + viscous_pos * v;\n"
    "  if (v < 0_0)\n"
    "    return coulomb_neg + viscous_neg * v;\n"
    "  if (error > 0_0)\n"
    "    return coulomb_pos;\n"
    "  if (error < 0_0)\n"
    "    return coulomb_neg;\n"
    "  return 0_0;\n"
    "}\n";

static const char head_code[] =
    "\nstatic inline void NAME_current_F(const REAL q[JOINTS], const REAL qd[JOINTS],\n"
    "    QDDERRORREAL i_A[JOINTS])\n"
    "{\n";

static void append_code(const AioExport *x, bool is_float, const char *code, GString *out) {
  GString *text = g_string_new(code), *deadband = g_string_new(NULL);
  const bool has_error = x->options->zero_speed == ARM_ZERO_SPEED_SIGN_ERROR;
  char *joints = g_strdup_printf("%d", x->n);
  aio_c_number(x->options->deadband, is_float, deadband);
  g_string_replace(text, "QDD", x->is_motion ? "const REAL qdd[JOINTS], " : "", 0);
  g_string_replace(text, "ERROR", has_error ? "const REAL error[JOINTS], " : "", 0);
  g_string_replace(text, "DEADBAND", deadband->str, 0);
  g_string_replace(text, "JOINTS", joints, 0);
  g_string_replace(text, "REAL", is_float ? "float" : "double", 0);
  g_string_replace(text, "EXP(", is_float ? "expf(" : "exp(", 0);
  g_string_replace(text, "_F(", is_float ? "_f(" : "(", 0);
  g_string_replace(text, "0_0", is_float ? "0.0f" : "0.0", 0);
  g_string_replace(text, "1_0", is_float ? "1.0f" : "1.0", 0);
  g_string_replace(text, "NAME", x->prefix, 0);
  g_string_append_len(out, text->str, (gssize)text->len);
  g_free(joints);
  g_string_free(deadband, TRUE);
  g_string_free(text, TRUE);
}

/* What a joint with friction terms has beside: s mu |load| and s c3 e^(-|v|/v_s), where `way` is s
 * times the part of Coulomb friction that acts. */
static const char load_code[] = "\n/* Friction that grows with the load. */\n"
                                "static inline REAL NAME_load_F(REAL way, REAL load, REAL mu)\n"
                                "{\n"
                                "  return way * mu * (load < 0_0 ? -load : load);\n"
                                "}\n";

static const char curve_code[] =
    "\n/* Friction off the straight line of speed. */\n"
    "static inline REAL NAME_curve_F(REAL way, REAL v, REAL curve, REAL curve_speed)\n"
    "{\n"
    "  const REAL speed = v > 0_0 ? v : v < 0_0 ? -v : 0_0;\n"
    "  return way * curve * EXP(-speed / curve_speed);\n"
    "}\n";

static const char *const friction_codes[] = {
    [ARM_ZERO_SPEED_NONE] = friction_code,
    [ARM_ZERO_SPEED_DEADBAND] = deadband_code,
    [ARM_ZERO_SPEED_SIGN_ERROR] = sign_error_code,
    [ARM_ZERO_SPEED_BAND] = band_code,
};

/* Row i of (I+L) qd: the motor's speed on the joint side. */
static void print_speed(const AioExport *x, int i, bool is_float, GString *out) {
  const ArmModel *model = &x->arm->model;
  if (!model->has_coupling) {
    g_string_append_printf(out, "qd[%d]", i);
    return;
  }
  const char *suffix = is_float ? "_f" : "";
  g_string_append_printf(out, "%s_speed%s(qd[%d])", x->prefix, suffix, i);
  for (int j = 0; j < i; j++) {
    const double share = model->coupling[i][j];
    if (share == 0.0)
      continue;
    g_string_append_printf(out, "\n      %s ", share < 0.0 ? "-" : "+");
    aio_c_number(fabs(share), is_float, out);
    g_string_append_printf(out, " * %s_speed%s(qd[%d])", x->prefix, suffix, j);
  }
}

/* lambda: lambda1+, lambda2+, lambda1-, lambda2- */
static void print_law(const AioExport *x, int i, const double *lambda, bool is_float,
                      GString *out) {
  g_string_append_printf(out, "%s_friction%s(", x->prefix, is_float ? "_f" : "");
  print_speed(x, i, is_float, out);
  if (x->options->zero_speed == ARM_ZERO_SPEED_SIGN_ERROR)
    g_string_append_printf(out, ", error[%d]", i);
  for (int f = 0; f < 4; f++) {
    g_string_append(out, f == 0 ? ",\n      " : ", ");
    aio_c_number(lambda[f], is_float, out);
  }
  g_string_append_c(out, ')');
}

/* The same law with 1 and -1 for Coulomb friction is the part of it that acts. */
static void print_call(const AioExport *x, int i, const char *name, bool is_float, GString *out) {
  const double sign = x->friction[i].sign, way[4] = {sign, 0.0, -sign, 0.0};
  g_string_append_printf(out, "\n      + %s_%s%s(", x->prefix, name, is_float ? "_f" : "");
  print_law(x, i, way, is_float, out);
  g_string_append(out, ",\n      ");
}

static void print_terms(const AioExport *x, int i, bool is_float, GString *out) {
  const AioExportFriction *friction = &x->friction[i];
  if (friction->has_load && x->load[i].factor != 0.0) {
    print_call(x, i, "load", is_float, out);
    aio_scalar_print(x->program, x->load[i], is_float, out);
    g_string_append(out, ", ");
    aio_c_number(friction->load, is_float, out);
    g_string_append_c(out, ')');
  }
  if (friction->has_curve) {
    print_call(x, i, "curve", is_float, out);
    print_speed(x, i, is_float, out);
    g_string_append(out, ", ");
    aio_c_number(friction->curve, is_float, out);
    g_string_append(out, ", ");
    aio_c_number(friction->curve_speed, is_float, out);
    g_string_append_c(out, ')');
  }
}

static void print_friction(const AioExport *x, int i, bool is_float, GString *out) {
  print_law(x, i, x->friction[i].lambda, is_float, out);
  print_terms(x, i, is_float, out);
}

static void print_joint(const AioExport *x, int i, bool is_float, GString *out) {
  const bool has_load = x->load[i].factor != 0.0, has_rotor = x->rotor[i].factor != 0.0;
  if (!x->is_known[i]) {
    g_string_append_printf(out, "  i_A[%d] = %s; /* no row was fitted */\n", i,
                           is_float ? "0.0f" : "0.0");
    return;
  }
  g_string_append_printf(out, "  i_A[%d] = %s_limit%s(", i, x->prefix, is_float ? "_f" : "");
  if (has_load || (!x->has_friction[i] && !has_rotor))
    aio_scalar_print(x->program, x->load[i], is_float, out);
  if (has_rotor) {
    g_string_append(out, has_load ? " + " : "");
    aio_scalar_print(x->program, x->rotor[i], is_float, out);
  }
  if (x->has_friction[i]) {
    g_string_append(out, has_load || has_rotor ? " + " : "");
    print_friction(x, i, is_float, out);
  }
  g_string_append(out, ", ");
  aio_c_number(x->limit[i], is_float, out);
  g_string_append(out, ");\n");
}

static void print_unused(const AioExport *x, GString *out) {
  if (!aio_program_reads_q(x->program))
    g_string_append(out, "  (void)q;\n");
  if (!x->reads_speed && !aio_program_reads(x->program, AIO_NODE_SPEED))
    g_string_append(out, "  (void)qd;\n");
  if (x->is_motion && !aio_program_reads(x->program, AIO_NODE_ACCELERATION))
    g_string_append(out, "  (void)qdd;\n");
  if (!x->reads_speed && x->options->zero_speed == ARM_ZERO_SPEED_SIGN_ERROR)
    g_string_append(out, "  (void)error;\n");
}

void aio_export_c_function(const AioExport *x, bool is_float, GString *out) {
  append_code(x, is_float, limit_code, out);
  if (x->arm->model.has_coupling)
    append_code(x, is_float, speed_code, out);
  append_code(x, is_float, friction_codes[x->options->zero_speed], out);
  bool has_load = false, has_curve = false;
  for (int i = 0; i < x->n; i++) {
    has_load |= x->is_known[i] && x->friction[i].has_load;
    has_curve |= x->is_known[i] && x->friction[i].has_curve;
  }
  if (has_load)
    append_code(x, is_float, load_code, out);
  if (has_curve)
    append_code(x, is_float, curve_code, out);
  append_code(x, is_float, head_code, out);
  aio_program_print(x->program, is_float, out);
  print_unused(x, out);
  for (int i = 0; i < x->n; i++)
    print_joint(x, i, is_float, out);
  g_string_append(out, "}\n");
}
