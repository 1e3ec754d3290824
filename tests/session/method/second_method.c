/* SPDX-License-Identifier: MIT */
#include "second_method.h"

#include <math.h>

static const ArmMethodParam kinds[] = {
    {ARM_PARAM_COULOMB_POS, false}, {ARM_PARAM_VISCOUS_POS, false}, {ARM_PARAM_COULOMB_NEG, false},
    {ARM_PARAM_VISCOUS_NEG, false}, {ARM_PARAM_ROTOR, true},        {ARM_PARAM_M, true},
    {ARM_PARAM_BASE, false},        {ARM_PARAM_ETA, false},         {ARM_PARAM_ETA_TO_FIRST, false},
};

static const ArmMethod *finds(void) {
  static const ArmMethod method = {"second", G_N_ELEMENTS(kinds), kinds, false, false};
  return &method;
}

/* ---- its figures ---- */

static double current(const AsePredictor *self, guint joint, const double *q, const double *qd) {
  (void)self, (void)q;
  return qd[joint - 1] < 0.0 ? -SECOND_CURRENT_A : SECOND_CURRENT_A;
}

static AsePredictor *predictor(const ArmModel *model, const AseFit *fit) {
  (void)model, (void)fit;
  AsePredictor *self = g_atomic_rc_box_new0(AsePredictor);
  *self = (AsePredictor){.current = current};
  return self;
}

static ArmStatus select_rows(ArmWindows *windows) {
  (void)windows;
  return ARM_OK;
}

/* What it says of the first sweep, all at where that began, and a limit. */
static void fill(const AseShown *shown, AsePicture *picture) {
  const AseSweptJoint *joint = ase_shown_joint(shown);
  *picture = (AsePicture){.title = "warmth",
                          .x = {"position", ASE_QUANTITY_POSITION, NAN, NAN},
                          .y = {"current", ASE_QUANTITY_CURRENT, NAN, NAN},
                          .none = "nothing is warm",
                          .series = picture->series};
  if (!joint || !joint->runs->len)
    return;
  const AseSweptRun *run = joint->runs->pdata[0];
  AseSeries *line = ase_picture_add(picture, ASE_SERIES_VALUE, "first sweep", ASE_SWEPT_BINS);
  for (guint k = 0; k < ASE_SWEPT_BINS; k++)
    if (run->bin[0][k].n)
      ase_series_put(line, run->low, run->bin[0][k].computed / run->bin[0][k].n);
  AseSeries *limit = ase_picture_add(picture, ASE_SERIES_BAND, "limit", 2);
  ase_series_put(limit, -INFINITY, 0.0);
  ase_series_put(limit, INFINITY, 0.0);
  limit->top[0] = limit->top[1] = 2.0 * SECOND_CURRENT_A;
}

static const AseFigure figures[] = {
    {.key = "warmth", .place = ASE_FIGURE_BESIDE, .fill = fill},
    {.key = "cold", .place = ASE_FIGURE_BELOW, .is_of_new = true, .fill = fill},
    {0},
};
static const AseMeasuring measuring = {
    .steps = &second_steps, .figures = figures, .select = select_rows, .predictor = predictor};

const AseMethod second_method = {.finds = finds, .measuring = &measuring};

static ArmEstimate found(double value) {
  return (ArmEstimate){value, 0.5, value, true, ARM_REASON_NONE};
}

static void add(ArmParamSet *set, ArmParamKind kind, size_t i, double value) {
  ArmEstimate *e = arm_param_set_add_id(set, kind, i, 0);
  g_assert_nonnull(e);
  *e = found(value);
}

static void add_base(ArmParamSet *set, ArmParamKind of, size_t link, const char *name,
                     double coefficient, double value) {
  const ArmParamTerm terms[] = {{{of, (guchar)link, 0}, 1.0},
                                {{ARM_PARAM_YY, (guchar)link, 0}, coefficient},
                                {{ARM_PARAM_M, 1, 0}, 0.1}};
  const ArmParam param = {{ARM_PARAM_BASE, (guchar)link, (guchar)(of - ARM_PARAM_XX)},
                          name,
                          NULL,
                          terms,
                          coefficient == 0.0 ? 1 : 3};
  ArmEstimate *e = arm_param_set_add(set, &param);
  g_assert_nonnull(e);
  *e = found(value);
}

void second_method_make(ArmParamSet *set, double coefficient) {
  const ArmParamRoom room = {.params = 32, .covered = 15, .terms = 8, .text = 64};
  g_assert_cmpint(arm_param_set_init(set, SECOND_JOINTS, &room), ==, ARM_OK);
  set->type[1] = ARM_JOINT_T;
  set->group[0] = set->group[1] = 0;
  set->n_groups = 1;
  for (size_t i = 0; i < SECOND_JOINTS; i++) {
    set->joint[i] = (ArmJointStatistics){
        .rows_used = 100 + i, .columns = 9, .rank = 8, .cond_raw = INFINITY, .widening = 1.5};
    set->joint[i].rows_by_use[ARM_ROW_USED] = 100 + i;
    for (int kind = ARM_PARAM_COULOMB_POS; kind <= ARM_PARAM_VISCOUS_NEG; kind++)
      add(set, (ArmParamKind)kind, i, 0.1 * kind + (double)i);
    if (i == 1)
      add(set, ARM_PARAM_ROTOR, i, 0.125);
  }
  add(set, ARM_PARAM_M, 1, 4.25);
  add_base(set, ARM_PARAM_XX, 1, "XXR2", coefficient, 0.25);
  add_base(set, ARM_PARAM_MX, 0, "mX1", 0.0, -3.0);
  for (size_t i = 0; i < SECOND_JOINTS; i++) {
    add(set, ARM_PARAM_ETA, i, 2.5);
    add(set, ARM_PARAM_ETA_TO_FIRST, i, 1.0 + (double)i);
  }
  ArmEstimate *last = &set->estimate[set->n - 2];
  *last = (ArmEstimate){NAN, NAN, 2.0, false, ARM_REASON_TOO_WEAK};
  for (size_t k = 0; k < set->n; k++)
    if (set->estimate[k].identifiable)
      g_assert_true(arm_param_set_cover(set, k));
  g_assert_cmpuint(set->n_covered, ==, room.covered);
  for (size_t k = 0; k < room.covered * room.covered; k++)
    set->covariance[k] = k % (room.covered + 1) == 0 ? 0.25 : 0.001;
}
