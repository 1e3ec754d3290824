/* SPDX-License-Identifier: MIT */
/* What a motion does not show, in words: of a direction the parameters that it matters to most, of
 * what would show it the joints and their limits. */
#include "io/arm/excitation_text.h"

#include <math.h>

#include "io/arm/base_text.h"

/* A parameter is named when a direction gives this part of its sd, or, where it does so of none, of
 * what it gives most of one; at most so many are. */
static const double matters = 0.2;
enum { MOST_TERMS = 6 };

/* Who is named: a direction always has a name. */
typedef struct {
  const ArmExcitation *excitation;
  const ArmWeakDirection *direction;
  bool is_any; /* also what could not be weighed */
  double least;
} Naming;

/* The part of a parameter's sd that comes from the direction; of one without an sd, the step. */
static double share(const Naming *naming, gsize b) {
  const double step = fabs(naming->direction->step[b]), sd = naming->excitation->sd[b];
  if (naming->is_any)
    return step;
  if (isinf(naming->direction->sd))
    return isnan(sd) ? step : 0;
  return isnan(sd) ? 0 : step * naming->direction->sd / sd;
}

static double largest_share(const Naming *naming) {
  double largest = 0;
  for (gsize b = 0; b < naming->excitation->count; b++)
    largest = fmax(largest, share(naming, b));
  return largest;
}

static Naming naming_of(const ArmExcitation *excitation, gsize d) {
  Naming naming = {excitation, &excitation->weakest[d], false, 0};
  double largest = largest_share(&naming);
  naming.is_any = !(largest > 0);
  if (naming.is_any)
    largest = largest_share(&naming);
  if (!isinf(naming.direction->sd))
    naming.least = largest >= matters && !naming.is_any ? matters : matters * largest;
  return naming;
}

/* 0 where it is not worth a word. */
static double part(const Naming *naming, gsize b) {
  const double own = share(naming, b);
  return own >= naming->least ? own : 0;
}

/* How many terms there are, and how many of them come before b. */
static gsize count(const Naming *naming, gsize b, gsize *before) {
  const double own = part(naming, b);
  gsize all = 0;
  *before = 0;
  for (gsize k = 0; k < naming->excitation->count; k++) {
    const double other = part(naming, k);
    all += other > 0;
    *before += other > own || (other == own && k < b);
  }
  return all;
}

static void append_term(const ArmBase *base, double step, gsize b, GString *text) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  char *name = aio_base_name(base, b);
  if (text->len > 0)
    g_string_append(text, step < 0 ? " - " : " + ");
  else if (step < 0)
    g_string_append(text, "-");
  g_ascii_formatd(digits, sizeof digits, "%.2g", fabs(step));
  if (fabs(step) != 1.0)
    g_string_append_printf(text, "%s ", digits);
  g_string_append(text, name);
  g_free(name);
}

char *aio_excitation_direction(const ArmBase *base, const ArmExcitation *excitation, gsize d) {
  const Naming naming = naming_of(excitation, d);
  GString *text = g_string_new(NULL);
  gsize all = 0, before;
  for (gsize b = 0; b < base->count; b++) {
    all = count(&naming, b, &before);
    if (before < MOST_TERMS && part(&naming, b) > 0)
      append_term(base, naming.direction->step[b], b, text);
  }
  if (all > MOST_TERMS)
    g_string_append_printf(text, " and %d more", (int)all - MOST_TERMS);
  return g_string_free(text, FALSE);
}

/* "1.2 rad/s" */
static char *limit_text(const ArmModel *model, const ArmMotionLimits *limits,
                        ArmMotionQuantity quantity, gsize joint) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(digits, sizeof digits, "%.3g", limits->half[quantity][joint]);
  return g_strdup_printf("%s %s", digits, aio_motion_unit(model->joints[joint].type, quantity));
}

char *aio_excitation_motion(const ArmModel *model, const ArmMotionLimits *limits,
                            const ArmWeakDirection *direction) {
  const ArmMotionQuantity quantity =
      direction->by == ARM_SHOWN_BY_ACCELERATION ? ARM_MOTION_ACCELERATION : ARM_MOTION_SPEED;
  const int i = (int)direction->i + 1, j = (int)direction->j + 1;
  char *first = limit_text(model, limits, quantity, direction->i);
  char *second = limit_text(model, limits, quantity, direction->j);
  char *text = NULL;
  switch (direction->by) {
  case ARM_SHOWN_BY_SPEED:
    text = g_strdup_printf("joint %d in motion, at up to %s", i, first);
    break;
  case ARM_SHOWN_BY_SPEEDS:
    text = g_strdup_printf("joints %d and %d in motion at once, at up to %s and %s", i, j, first,
                           second);
    break;
  case ARM_SHOWN_BY_ACCELERATION:
    text = g_strdup_printf("joint %d speeding up and slowing down, at up to %s", i, first);
    break;
  case ARM_SHOWN_AT_REST:
  case ARM_SHOWN_KINDS:
    text = g_strdup("more and other poses, slowly");
    break;
  }
  g_free(first);
  g_free(second);
  return text;
}

const char *aio_motion_quantity(ArmMotionQuantity quantity) {
  static const char *const names[] = {"position", "speed", "acceleration"};
  return names[quantity];
}

const char *aio_motion_unit(ArmJointType type, ArmMotionQuantity quantity) {
  static const char *const units[2][ARM_MOTION_QUANTITIES] = {{"rad", "rad/s", "rad/s^2"},
                                                              {"m", "m/s", "m/s^2"}};
  return units[type == ARM_JOINT_T][quantity];
}
