/* SPDX-License-Identifier: MIT */
/* Positions that come in coarse steps, or scatter (core/dynamics/resolution.h): a recording that
 * has them is read once more, every window of it into all copies, each with errors of its own. */
#include <math.h>
#include <string.h>

#include "cli/identify.h"
#include "cli/text.h"
#include "core/dynamics/even.h"

enum { COPIES = ARM_RESOLUTION_REFITS };

typedef struct {
  ArmInformation *information; /* of all recordings; borrowed */
  ArmDynStream *stream;
  ArmEven *even; /* NULL: steps of time are even */
  ArmDither dither[ARM_MAX_JOINTS];
} Copy;

typedef struct {
  Copy copy[COPIES];
  double step[ARM_MAX_JOINTS]; /* of positions; 0: none */
  double *q, *effort;          /* room x joints, g_free */
  gsize room;
  ArmStatus status;
} Copies;

/* ---- where it matters ---- */

/* The step that errors are as large as: of positions that come in any their own. */
static double width_of(const CliMoving *moving, size_t j) {
  const double step = arm_resolution_step(&moving->resolution[j]);
  return step > 0 ? step : sqrt(12) * arm_scatter_sd(&moving->scatter[j]);
}

static int find_coarse(CliIdentified *r, CliMoving *moving) {
  const ArmDynStreamOptions options = cli_moving_options(r->setup, moving);
  for (size_t j = 0; j < r->fit->n; j++) {
    const double step = arm_resolution_step(&moving->resolution[j]);
    const double scatter = step > 0 ? 0 : arm_scatter_sd(&moving->scatter[j]);
    bool matters;
    const ArmStatus status =
        arm_resolution_matters(moving->information, j, &options, width_of(moving, j), &matters);
    if (status != ARM_OK)
      return cli_fail_status(status, moving->path);
    if (!matters)
      continue;
    r->step[j] = fmax(r->step[j], step);
    r->scatter[j] = fmax(r->scatter[j], scatter);
    moving->is_coarse = true;
  }
  return CLI_OK;
}

/* ---- one recording ---- */

static ArmStatus fold(void *user, size_t joint, size_t rows, bool follows, const double *t,
                      const double *block, size_t ld) {
  ArmInformation *information = ((const Copy *)user)->information;
  (void)t;
  if (!follows)
    arm_information_break(information, joint);
  return arm_information_push(information, joint, block, rows, ld);
}

static ArmStatus push_even(void *user, const ArmDynSamples *samples) {
  return arm_dyn_stream_push(user, samples);
}

static void shake(Copies *copies, Copy *copy, const AioRecording *window, gsize first,
                  gsize count) {
  for (size_t j = 0; j < window->n; j++)
    for (gsize s = 0; s < count; s++)
      copies->q[s + j * count] =
          arm_dither(&copy->dither[j], copies->step[j], window->q[first + s + j * window->rows]);
}

/* What is not a position, as it is; columns of both are of one length. */
static bool take_rows(const AioRecording *window, gsize first, gsize count, void *data) {
  Copies *copies = data;
  if (count > copies->room) {
    copies->room = count;
    copies->q = g_renew(double, copies->q, count * window->n);
    copies->effort = g_renew(double, copies->effort, count * window->n);
  }
  for (size_t j = 0; j < window->n; j++)
    memcpy(copies->effort + j * count, window->current + first + j * window->rows,
           count * sizeof *copies->effort);
  for (int k = 0; k < COPIES && copies->status == ARM_OK; k++) {
    Copy *copy = &copies->copy[k];
    shake(copies, copy, window, first, count);
    const ArmDynSamples samples = {.samples = count,
                                   .ld = count,
                                   .t = window->t + first,
                                   .joint = window->joint + first,
                                   .q = copies->q,
                                   .effort = copies->effort};
    copies->status = copy->even ? arm_even_push(copy->even, &samples)
                                : arm_dyn_stream_push(copy->stream, &samples);
  }
  return copies->status == ARM_OK;
}

/* Deterministic, and another one of each copy, recording and joint. */
static ArmStatus begin(const CliIdentifySetup *setup, const CliMoving *moving, guint64 seed,
                       Copy *copy) {
  const ArmDynStreamOptions options = cli_moving_options(setup, moving);
  const ArmModel *model = &setup->arm->model;
  for (size_t j = 0; j < model->n; j++)
    copy->dither[j] = (ArmDither){.state = seed * ARM_MAX_JOINTS + j};
  ArmStatus status = arm_dyn_stream_new(model, setup->base, &options, fold, copy, &copy->stream);
  if (status == ARM_OK && moving->survey.is_uneven)
    status =
        arm_even_new(model->n, options.step_s, false, false, push_even, copy->stream, &copy->even);
  return status;
}

static ArmStatus end(Copy *copy) {
  const ArmStatus status = copy->even ? arm_even_end(copy->even) : ARM_OK;
  return status == ARM_OK ? arm_dyn_stream_finish(copy->stream) : status;
}

static int read_copies(const CliIdentifySetup *setup, const CliMoving *moving, Copies *copies) {
  GError *error = NULL;
  g_autoptr(AioCsv) csv = aio_csv_open(moving->path, &error);
  if (!csv || !aio_moving_each(csv, &setup->arm->model, &setup->span, take_rows, copies, &error))
    return cli_fail(error);
  for (int k = 0; k < COPIES && copies->status == ARM_OK; k++)
    copies->status = end(&copies->copy[k]);
  return copies->status == ARM_OK ? CLI_OK : cli_fail_status(copies->status, moving->path);
}

static int shake_one(const CliIdentifySetup *setup, const CliMoving *moving, guint64 number,
                     ArmInformation *const *all) {
  Copies copies = {.status = ARM_OK};
  for (size_t j = 0; j < setup->base->n; j++)
    copies.step[j] = width_of(moving, j);
  for (int k = 0; k < COPIES && copies.status == ARM_OK; k++) {
    copies.copy[k].information = all[k];
    copies.status = begin(setup, moving, number * COPIES + (guint64)k, &copies.copy[k]);
  }
  const int code = copies.status == ARM_OK ? read_copies(setup, moving, &copies)
                                           : cli_fail_status(copies.status, moving->path);
  for (int k = 0; k < COPIES; k++) {
    arm_even_free(copies.copy[k].even);
    arm_dyn_stream_free(copies.copy[k].stream);
  }
  g_free(copies.q);
  g_free(copies.effort);
  return code;
}

/* ---- all of them ---- */

/* A recording with fine positions is the same in all copies. */
static int shake_all(CliIdentified *r, const CliIdentifySetup *setup, ArmInformation *const *all) {
  int code = CLI_OK;
  for (guint k = 0; k < r->recordings->len && code == CLI_OK; k++) {
    const CliMoving *moving = g_ptr_array_index(r->recordings, k);
    ArmStatus status = ARM_OK;
    if (moving->is_coarse)
      code = shake_one(setup, moving, k, all);
    for (int c = 0; c < COPIES && !moving->is_coarse && status == ARM_OK; c++)
      status = arm_information_merge(all[c], moving->information, 1);
    if (status != ARM_OK)
      code = cli_fail_status(status, moving->path);
  }
  return code;
}

static ArmStatus widen(CliIdentified *r, const ArmDynamicsJoint *joints,
                       ArmInformation *const *all) {
  const ArmDynamicsOptions how = cli_identify_how(r, r->fit->way);
  ArmDynamicsFit *refits[COPIES] = {NULL};
  ArmStatus status = ARM_OK;
  for (int c = 0; c < COPIES && status == ARM_OK; c++)
    status = arm_dynamics_identify(all[c], joints, &how, &refits[c]);
  if (status == ARM_OK)
    status = arm_dynamics_widen_shifts(r->fit, refits, COPIES, &r->by_steps);
  for (int c = 0; c < COPIES; c++)
    arm_dynamics_fit_free(refits[c]);
  return status;
}

int cli_identify_steps(CliIdentified *r, const ArmDynamicsJoint *joints, const ArmDynTerms *terms) {
  CliIdentifySetup setup = *r->setup;
  ArmInformation *all[COPIES] = {NULL};
  bool any = false;
  ArmStatus status = ARM_OK;
  int code = CLI_OK;
  setup.stream.terms = terms;
  for (guint k = 0; k < r->recordings->len && r->fit->has_converged && code == CLI_OK; k++) {
    CliMoving *moving = g_ptr_array_index(r->recordings, k);
    code = find_coarse(r, moving);
    any = any || moving->is_coarse;
  }
  if (!any || code != CLI_OK)
    return code;
  for (int c = 0; c < COPIES && status == ARM_OK; c++)
    status = cli_moving_new_information(&setup, &all[c]);
  if (status == ARM_OK)
    code = shake_all(r, &setup, all);
  if (status == ARM_OK && code == CLI_OK)
    status = widen(r, joints, all);
  for (int c = 0; c < COPIES; c++)
    arm_information_free(all[c]);
  return status == ARM_OK ? code : cli_fail_status(status, "identification");
}

/* ---- in words ---- */

/* Errors of one kind, of joints of one type those that have a size. */
typedef struct {
  ArmJointType type;
  const double *size;
  const char *code, *before, *after, *better; /* words around the size, and what helps */
} Errors;

static void warn_errors(CliIdentified *r, const Errors *e) {
  bool has[ARM_MAX_JOINTS] = {false};
  double most = 0;
  for (size_t j = 0; j < r->fit->n; j++) {
    has[j] = e->size[j] > 0 && r->setup->arm->model.joints[j].type == e->type;
    most = has[j] ? fmax(most, e->size[j]) : most;
  }
  g_autofree char *joints = cli_list_joints(has, r->fit->n);
  if (!joints)
    return;
  g_autofree char *size = cli_format_number(most, 3);
  g_autofree char *times = cli_format_number(r->by_steps, 3);
  cli_identify_warn(
      r, e->code, 0,
      g_strdup_printf("joint %s: positions %s %s %s%s beside what they accelerate by: inertias, "
                      "rotors and friction are biased. sds are widened by what estimates shift by "
                      "with other errors of that size, up to %s times; where that is much they may "
                      "still be too small. %s positions, a faster motion, or columns of speeds and "
                      "accelerations help",
                      joints, e->before, size, e->type == ARM_JOINT_R ? "rad" : "m", e->after,
                      times, e->better));
}

void cli_identify_warn_steps(CliIdentified *r) {
  static const ArmJointType types[] = {ARM_JOINT_R, ARM_JOINT_T};
  for (gsize k = 0; k < G_N_ELEMENTS(types); k++) {
    const Errors steps = {types[k],           r->step,    "position_step",
                          "come in steps of", ", coarse", "Finer"};
    const Errors scatter = {types[k],     r->scatter,      "position_scatter",
                            "scatter by", " (1 sd), much", "Quieter"};
    warn_errors(r, &steps);
    warn_errors(r, &scatter);
  }
}
