/* SPDX-License-Identifier: MIT */
/* The comment on top of an exported header: whose numbers these are, what was said of them, and the
 * table of values with sds, so that a header found in a firmware years later can be judged. */
#include <string.h>

#include "io/export/export_c_internal.h"
#include "io/export/export_c_text.h"

static void print_provenance(const AioProvenance *from, GString *out) {
  for (guint k = 0; from && k < from->recordings->len; k++) {
    const AioSource *source = g_ptr_array_index(from->recordings, k);
    char *name = aio_c_comment_text(source->name), *digest = aio_c_comment_text(source->digest);
    aio_c_comment_line(out, 12, "%s %s, %s", k == 0 ? "fitted from" : "           ", name, digest);
    g_free(name);
    g_free(digest);
  }
}

/* Numbers travel further than what was said of them when they were made. */
static void print_warnings(const AioExport *x, GString *out) {
  for (guint k = 0; k < x->of->warnings->len; k++) {
    char *text = aio_c_comment_message(g_ptr_array_index(x->of->warnings, k));
    aio_c_comment_line(out, 2, "WARNING: %s", text);
    g_free(text);
  }
}

static void print_identity(const AioExport *x, GString *out) {
  char *name = aio_c_comment_text(x->arm->name), *digest = aio_c_comment_text(x->of->digest);
  char *program = aio_c_comment_text(x->options->program),
       *date = aio_c_comment_text(x->options->date);
  aio_c_comment_line(out, 2, "%s_current: motor currents of the arm \"%s\" against %s.", x->prefix,
                     name, x->is_motion ? "inertia, gravity and friction" : "gravity and friction");
  if (x->options->program || x->options->date)
    aio_c_comment_line(out, 2, "Written%s%s%s%s; export again rather than edit.",
                       x->options->program ? " by " : "", x->options->program ? program : "",
                       x->options->date ? ", " : "", x->options->date ? date : "");
  aio_c_comment_line(out, 2, "%s", "");
  aio_c_comment_line(out, 2, "arm         %s", x->arm->digest);
  aio_c_comment_line(out, 2, "parameters  %s", digest);
  print_provenance(x->of->provenance, out);
  if (x->of->arm_digest && strcmp(x->of->arm_digest, x->arm->digest) != 0) {
    char *other = aio_c_comment_text(x->of->arm_name);
    aio_c_comment_line(out, 2, "WARNING: the parameters were fitted with another arm file (%s).",
                       other);
    g_free(other);
  }
  print_warnings(x, out);
  g_free(name);
  g_free(digest);
  g_free(program);
  g_free(date);
}

static void print_usage(const AioExport *x, GString *out) {
  aio_c_comment_line(out, 2, "%s", "");
  aio_c_comment_line(out, 10, "q        in, joint positions [rad; sliding joints: m]");
  aio_c_comment_line(out, 10, "qd       in, joint speeds [rad/s; m/s]%s",
                     x->is_motion ? "" : "; a NaN counts as 0");
  if (x->is_motion)
    aio_c_comment_line(out, 10, "qdd      in, joint accelerations [rad/s^2; m/s^2]");
  if (x->options->zero_speed == ARM_ZERO_SPEED_SIGN_ERROR)
    aio_c_comment_line(out, 10,
                       "error    in, desired minus measured positions; only the signs count");
  aio_c_comment_line(out, 9,
                     "i_A      out, motor currents [A], all of them; must not overlap the inputs");
  aio_c_comment_line(out, 2, "%s", "");
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(digits, sizeof digits, "%.9g", x->options->deadband);
  switch (x->options->zero_speed) {
  case ARM_ZERO_SPEED_NONE:
    aio_c_comment_line(out, 2,
                       "Zero speed, rule \"none\": a joint at rest has no friction, only %s.",
                       x->is_motion ? "what moves it" : "gravity");
    break;
  case ARM_ZERO_SPEED_DEADBAND:
    aio_c_comment_line(out, 2,
                       "Zero speed, rule \"deadband=%s\": below %s rad/s (m/s) Coulomb friction "
                       "falls linearly to 0 at rest.",
                       digits, digits);
    break;
  case ARM_ZERO_SPEED_SIGN_ERROR:
    aio_c_comment_line(out, 2,
                       "Zero speed, rule \"sign-error\": a joint at rest has Coulomb friction "
                       "with the sign of its position error, none when that is 0.");
    break;
  case ARM_ZERO_SPEED_BAND:
    aio_c_comment_line(
        out, 2,
        "Zero speed, rule \"band\": a joint at rest has the mean of Coulomb friction "
        "forth and back, the centre of the band in which friction holds it.");
    break;
  }
  aio_c_comment_line(out, 2,
                     "A current that depends on a %s that is not finite is 0. Compile "
                     "without -ffinite-math-only, which drops this.",
                     x->is_motion ? "number" : "position");
}

static void print_limits(const AioExport *x, GString *out) {
  for (int i = 0; i < x->n; i++) {
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(digits, sizeof digits, "%.9g", x->limit[i]);
    if (!x->is_known[i])
      aio_c_comment_line(out, 2, "joint %d: no row was fitted: its current is always 0", i + 1);
    else if (x->found->is_torque[i])
      aio_c_comment_line(
          out, 2, "joint %d: fitted from torques: i_A[%d] is in %s%s, not A, and not limited",
          i + 1, i, x->found->type[i] == ARM_JOINT_R ? "N m" : "N",
          x->arm->model.has_coupling ? " of the drive" : "");
    else if (x->limit[i] < AIO_EXPORT_NO_LIMIT)
      aio_c_comment_line(out, 2, "joint %d: limited to +-%s A", i + 1, digits);
    else
      aio_c_comment_line(out, 2, "joint %d: not limited, no current_A is known", i + 1);
  }
}

static void print_parameter(const AioExport *x, size_t k, GString *out) {
  const ArmParamSet *set = x->found;
  char used[G_ASCII_DTOSTR_BUF_SIZE], sd[G_ASCII_DTOSTR_BUF_SIZE];
  const ArmEstimate *e = &set->estimate[k];
  char *name = aio_param_name(set, k);
  g_ascii_formatd(used, sizeof used, "%.6g", e->used);
  g_ascii_formatd(sd, sizeof sd, "%.2g", e->sd);
  g_string_append_printf(out, " *   %-19s %-13s %-10s %s\n", name, used,
                         e->identifiable ? sd : "unknown", arm_param_set_unit(set, k));
  if (!e->identifiable)
    aio_c_comment_line(out, 6, "      not identifiable%s%s",
                       e->reason == ARM_REASON_NONE ? "" : ": ", arm_reason_text(e->reason));
  if (!x->is_motion && arm_param_info(set->param[k].id.kind)->quantity == ARM_COUNTS_INERTIA)
    aio_c_comment_line(out, 6, "      not part of the current: the function has no acceleration");
  g_free(name);
}

void aio_export_c_comment(const AioExport *x, GString *out) {
  g_string_append(out, "/*\n");
  print_identity(x, out);
  print_usage(x, out);
  aio_c_comment_line(out, 0, "%s", "");
  print_limits(x, out);
  aio_c_comment_line(out, 0, "%s", "");
  g_string_append_printf(out, " *   %-19s %-13s %-10s %s\n", "parameter", "used", "sd", "unit");
  for (size_t k = 0; k < x->found->n; k++)
    if (arm_param_set_is_listed(x->found, k))
      print_parameter(x, k, out);
  g_string_append(out, " */\n");
}
