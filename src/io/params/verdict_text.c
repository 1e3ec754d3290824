/* SPDX-License-Identifier: MIT */
/* What a verdict says to a person: what is wrong, by how much, and what to do next. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "io/params/plausible_text.h"
#include "io/params/verdict_file.h"

#define LEAST_UNSTEADY 0.1 /* of a joint's rows, chosen: less does not decide about its sds */
#define LEAST_TOO_WIDE 1.1 /* within a tenth sds of sums are those of rows */
#define MOST_LAG1      0.9999

static void free_line(gpointer data) {
  AioVerdictLine *line = data;
  g_free(line->message);
  g_free(line);
}

static void add(GPtrArray *lines, const char *code, size_t joint, bool is_misfit, char *message) {
  AioVerdictLine *line = g_new(AioVerdictLine, 1);
  *line = (AioVerdictLine){code, joint, message, is_misfit, is_misfit, false};
  g_ptr_array_add(lines, line);
}

static char *gravity_text(const ArmJointVerdict *v, int joint) {
  return g_strdup_printf(
      "joint %d: the gravity model misses by %.3g mA rms (promised %.3g mA), worst in hold %d: is "
      "the base level, and are geometry, zeros, gear ratios, payload and the joints swept as in "
      "the arm file?",
      joint, 1e3 * v->test[ARM_TEST_GRAVITY].size, 1e3 * v->promised, (int)v->worst_hold + 1);
}

static char *stroke_text(const ArmJointVerdict *v, ArmJointType type, int joint) {
  return g_strdup_printf(
      "joint %d: the sweep that starts %.1f s after the first one (hold %d, %+.3g %s) stands out "
      "from the other speeds of its hold by %.3g mA: did somebody touch the arm? Repeat it or "
      "leave it out",
      joint, v->stroke_time, (int)v->stroke_hold + 1, v->stroke_speed,
      type == ARM_JOINT_R ? "rad/s" : "m/s", 1e3 * v->test[ARM_TEST_STROKE].size);
}

static char *direction_text(const ArmJointVerdict *v, int joint) {
  return g_strdup_printf(
      "joint %d: %.3g mA rms depend on position and turn with the direction, which friction of "
      "this model does not (%.3g %% of friction): is the current delayed against the position, or "
      "does friction grow with load?",
      joint, 1e3 * v->test[ARM_TEST_DIRECTION].size,
      100 * v->test[ARM_TEST_DIRECTION].size / v->friction);
}

static char *alarm_text(const ArmJointVerdict *v, ArmTestKind kind, ArmJointType type, int joint) {
  switch (kind) {
  case ARM_TEST_STROKE:
    return stroke_text(v, type, joint);
  case ARM_TEST_GRAVITY:
    return gravity_text(v, joint);
  case ARM_TEST_DIRECTION:
    return direction_text(v, joint);
  case ARM_TEST_SCATTER:
    return g_strdup_printf("joint %d: friction scatters by %.3g %% from sweep to sweep: warm the "
                           "joint up, and see that nothing rubs now and then",
                           joint, 100 * v->test[ARM_TEST_SCATTER].size);
  case ARM_TEST_TREND:
    return g_strdup_printf("joint %d: friction changed by %+.2g %% while the joint was swept: warm "
                           "the joint up before the sweeps",
                           joint, 100 * v->trend);
  case ARM_TEST_SPEED:
    return g_strdup_printf("joint %d: friction is no straight line of speed, it misses by %.3g %% "
                           "of it: its numbers hold between the recorded speeds only",
                           joint, 100 * v->test[ARM_TEST_SPEED].size / v->friction);
  case ARM_TESTS:
    break;
  }
  return g_strdup("");
}

static char *small_text(const ArmJointVerdict *v, ArmTestKind kind, int joint) {
  const ArmTest *test = &v->test[kind];
  return g_strdup_printf("joint %d: the %s of the model misses by %.3g mA rms: more than chance, "
                         "but below the limit of %.3g mA",
                         joint, kind == ARM_TEST_GRAVITY ? "gravity" : "friction", 1e3 * test->size,
                         1e3 * test->limit);
}

/* Of a joint that does not fit that much is told; how well it can be judged is another matter. */
static char *untold_text(const ArmJointVerdict *v, int joint) {
  char *few =
      g_strdup_printf("%zu of %zu sweeps have none back over the range at nearly the same speed: "
                      "sweep each hold both ways, at the same speeds",
                      v->strokes - 2 * v->pairs, v->strokes);
  char *unsure =
      g_strdup_printf("it misses by %.3g mA rms, more than the limit, and %zu pairs of sweeps are "
                      "too few to tell that from noise (p %.1g): record another hold or speed",
                      1e3 * arm_verdict_unsure(v), v->pairs, v->p);
  const char *const texts[] = {
      [ARM_UNTOLD_NO_STROKES] = "it has no sweep of a dozen samples or more: record sweeps of "
                                "it",
      [ARM_UNTOLD_NO_PAIRS] = "no sweep over its range has one back at the same speed: sweep both "
                              "ways, over the same range",
      [ARM_UNTOLD_ONE_SPEED] = "each hold was swept at one speed only, so that noise cannot be "
                               "told from misfit: record a second speed",
      [ARM_UNTOLD_NO_SIGNAL] = "its current does not follow its motion: does it oscillate, and is "
                               "this its current?",
      [ARM_UNTOLD_NUMERIC] = "its sweeps could not be fitted",
      [ARM_UNTOLD_LEFT_OUT] =
          "in no row of its sweeps the current can be used: look at its column, "
          "unit and limit",
      [ARM_UNTOLD_NO_CURRENT] = "its current is many times what the arm file allows: is it in A, "
                                "and is the limit right?",
      [ARM_UNTOLD_SHORT] = "only strokes of one speed cover at least 70 % of the range at "
                           "constant speed, so that noise cannot be told from misfit: record "
                           "slower ones, or over a longer range",
      [ARM_UNTOLD_FEW_PAIRS] = few,
      [ARM_UNTOLD_UNSURE] = unsure,
  };
  char *text = g_strdup_printf(v->verdict == ARM_VERDICT_MISFIT
                                   ? "joint %d: by how much the model misses is told badly: %s"
                                   : "joint %d: whether the model fits cannot be told: %s",
                               joint, texts[v->untold]);
  g_free(few);
  g_free(unsure);
  return text;
}

static void add_doubts(const ArmGravityFit *fit, GPtrArray *lines) {
  const ArmDoubts *doubts = &fit->doubts;
  for (int kind = 0; kind < ARM_DOUBTS; kind++)
    for (size_t k = 0; k < doubts->count; k++) {
      const ArmDoubt *d = &doubts->at[k];
      const bool is_of_all = d->joint >= fit->refined.n;
      if (d->kind != (ArmDoubtKind)kind)
        continue;
      add(lines, arm_doubt_key(d->kind), is_of_all ? 0 : d->joint + 1, arm_doubt_is_error(d),
          aio_doubt_text(d, is_of_all ? ARM_JOINT_R : fit->refined.type[d->joint]));
      ((AioVerdictLine *)g_ptr_array_index(lines, lines->len - 1))->is_severe =
          arm_doubt_is_severe(d->kind);
    }
}

/* How many times too wide sds of sums may be: rows widen at least as neighbours do, of which sums
 * know all; what slow errors add sums know by the polynomials of strokes alone, which also miss
 * what has shorter waves. */
static double most_too_wide(const ArmJointFit *joint) {
  const double rho = fmin(fmax(joint->lag1, 0.0), MOST_LAG1);
  return joint->widening * sqrt((1.0 - rho) / (1.0 + rho));
}

static char *unsteady_text(const ArmJointFit *joint, int number) {
  const double most = most_too_wide(joint);
  char *wide = most > LEAST_TOO_WIDE ? g_strdup_printf("up to %.2g times too wide, or ", most)
                                     : g_strdup("");
  char *text = g_strdup_printf(
      "joint %d: %.3g %% of its rows are in strokes of varying speed, whose slow errors sums tell "
      "badly, and they have not all of its rows: its standard deviations may be %stoo narrow: fit "
      "the recording itself, or reduce it again without --sums-alone",
      number, 100 * joint->unsteady, wide);
  g_free(wide);
  return text;
}

/* Of white noise there is nothing to tell. */
static void add_unsteady(const ArmGravityFit *fit, GPtrArray *lines) {
  for (size_t i = 0; i < fit->refined.n; i++) {
    const ArmJointFit *joint = &fit->refined.joint[i];
    if (joint->unsteady >= LEAST_UNSTEADY && joint->widening > 1.0)
      add(lines, "sums_unsteady", i + 1, false, unsteady_text(joint, (int)i + 1));
  }
}

static void add_lines(const ArmGravityFit *fit, GPtrArray *lines) {
  const ArmVerdict *verdict = &fit->verdict;
  const ArmTestKind first = arm_verdict_first(verdict);
  for (size_t i = 0; i < verdict->n && first < ARM_TESTS; i++)
    if (verdict->joint[i].test[first].is_alarm)
      add(lines, arm_test_key(first), i + 1, first <= ARM_TEST_DIRECTION,
          alarm_text(&verdict->joint[i], first, fit->refined.type[i], (int)i + 1));
  for (size_t i = 0; i < verdict->n && first > ARM_TEST_DIRECTION; i++)
    for (int t = ARM_TEST_GRAVITY; t <= ARM_TEST_DIRECTION; t++)
      if (verdict->joint[i].test[t].is_significant)
        add(lines, t == ARM_TEST_GRAVITY ? "gravity_small" : "direction_small", i + 1, false,
            small_text(&verdict->joint[i], (ArmTestKind)t, (int)i + 1));
  for (size_t i = 0; i < verdict->n; i++) {
    const bool is_misfit = verdict->joint[i].verdict == ARM_VERDICT_MISFIT;
    if (verdict->joint[i].untold == ARM_UNTOLD_NOTHING)
      continue;
    add(lines, is_misfit ? "verdict_rough" : "verdict_unknown", i + 1, false,
        untold_text(&verdict->joint[i], (int)i + 1));
    ((AioVerdictLine *)g_ptr_array_index(lines, lines->len - 1))->is_untold = !is_misfit;
  }
}

bool aio_verdict_is_misfit(const ArmGravityFit *fit) {
  bool is_misfit = fit->verdict.n > 0 && fit->verdict.verdict == ARM_VERDICT_MISFIT;
  for (size_t k = 0; k < fit->doubts.count; k++)
    is_misfit = is_misfit || arm_doubt_is_error(&fit->doubts.at[k]);
  return is_misfit;
}

bool aio_verdict_is_doubtful(const ArmGravityFit *fit) {
  for (size_t k = 0; k < fit->doubts.count; k++)
    if (arm_doubt_is_severe(fit->doubts.at[k].kind))
      return true;
  return false;
}

bool aio_verdict_is_unknown(const ArmGravityFit *fit) {
  return fit->verdict.n == 0 || fit->verdict.verdict == ARM_VERDICT_UNKNOWN;
}

/* Of each doubt the first joint's line, and which other joints have it; NULL: not the first. */
static char *reminder(const GPtrArray *lines, guint first) {
  const AioVerdictLine *line = g_ptr_array_index(lines, first);
  GString *more = g_string_new(NULL);
  char *text = NULL;
  bool is_first = true;
  for (guint k = 0; k < lines->len; k++) {
    const AioVerdictLine *other = g_ptr_array_index(lines, k);
    if (k == first || strcmp(other->code, line->code) != 0)
      continue;
    is_first = is_first && k > first;
    g_string_append_printf(more, "%s%zu", more->len ? ", " : " (also joint ", other->joint);
  }
  if (is_first)
    text = g_strdup_printf("doubtful when it was fitted: %s%s%s", line->message, more->str,
                           more->len ? ")" : "");
  g_string_free(more, TRUE);
  return text;
}

GPtrArray *aio_verdict_reminders(const ArmGravityFit *fit) {
  GPtrArray *lines = aio_verdict_lines(fit);
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  bool is_told = !aio_verdict_is_misfit(fit);
  for (guint k = 0; k < lines->len; k++) {
    const AioVerdictLine *line = g_ptr_array_index(lines, k);
    char *text = line->is_misfit ? g_strdup_printf("the model did not fit: %s", line->message)
                 : line->is_severe || line->is_untold ? reminder(lines, k)
                                                      : NULL;
    is_told = is_told || line->is_misfit;
    if (text)
      g_ptr_array_add(texts, text);
  }
  if (!is_told)
    g_ptr_array_add(texts, g_strdup("the model did not fit, as its verdict says"));
  if (fit->verdict.n == 0)
    g_ptr_array_add(texts, g_strdup("no verdict says whether the model fits: fit again"));
  g_ptr_array_unref(lines);
  return texts;
}

/* The lines stand in files, which are the same whatever language the program that wrote them
 * speaks: numbers with a point, for this thread and as long as it takes. */
GPtrArray *aio_verdict_lines(const ArmGravityFit *fit) {
  GPtrArray *lines = g_ptr_array_new_with_free_func(free_line);
  const locale_t point = newlocale(LC_NUMERIC_MASK, "C", duplocale(uselocale((locale_t)0)));
  const locale_t before = uselocale(point);
  add_doubts(fit, lines);
  add_lines(fit, lines);
  add_unsteady(fit, lines);
  uselocale(before);
  freelocale(point);
  return lines;
}
