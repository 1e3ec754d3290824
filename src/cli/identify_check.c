/* SPDX-License-Identifier: MIT */
/* A file of torques under the name of currents, or of currents under that of torques: both fit,
 * with links that are ten times too heavy. Nominal links and rotors, and limits of currents, tell.
 * What --method sequential lacks, and recordings that are too coarse. */
#include <math.h>

#include "cli/identify.h"
#include "cli/text.h"
#include "core/arm/dyn.h"
#include "core/arm/inertia.h"
#include "core/dynamics/outcome.h"

static const double far = 4;         /* times: no nominal link and no data sheet is that wrong */
static const double significant = 5; /* sds of a joint's scale */
static const double beyond = 3;      /* times a limit of current */
static const double milli = 1e3;
static const double room = 2; /* least cut-off of positions over that of the rows: at 2, 1 and
                                        3 inertias of a simulated arm that sticks at reversals were
                                        0.3, 1.2 and 0.1 % off */
static const double largest_ratio = 30; /* [N m/A] of a gear and a motor, where none is stated */

/* A joint speaks for what its name says, for the other thing, or for neither (a tool that nominal
 * links lack). */
typedef struct {
  size_t counted, own, other, milli; /* milli: for a thousandth of the unit */
  size_t joint; /* of those that speak for the other the one with the largest effort */
  double ratio; /* its scale over what its name says */
} Votes;

static bool is_near(double ratio) {
  return fabs(ratio) < far && fabs(ratio) > 1 / far;
}

/* How many times what the arm file makes it a current, or a torque, is; one number with the rotor
 * that is stated, one with any. None: the rows do not tell. */
typedef struct {
  size_t n;
  double ratio[2];
} Scales;

static bool is_any_near(const Scales *of, double unit) {
  for (size_t k = 0; k < of->n; k++)
    if (is_near(of->ratio[k] / unit))
      return true;
  return false;
}

static ArmStatus add_scale(const CliMoving *moving, const ArmDynamicsJoint *known,
                           const double *beta, double rotor, double expected, size_t j,
                           Scales *to) {
  double scale, sd;
  const ArmStatus status =
      arm_dynamics_scale(moving->information, known, beta, rotor, j, &scale, &sd);
  if (status == ARM_OK && fabs(scale) > significant * sd)
    to->ratio[to->n++] = scale / expected;
  return status;
}

/* Light joints are mostly rotor. One that feels nothing but inertia does not tell links from a
 * rotor that nobody states: it says nothing then. */
static ArmStatus scales_of(const CliMoving *moving, const ArmDynamicsJoint *known,
                           const double *beta, double rotor, size_t j, Scales *current,
                           Scales *torque) {
  *current = *torque = (Scales){0};
  ArmStatus status = add_scale(moving, known, beta, 0, 1, j, torque);
  if (status == ARM_OK && rotor > 0 && !known->has[ARM_DYN_ROTOR])
    status = add_scale(moving, known, beta, rotor, known->eta, j, current);
  return status == ARM_OK ? add_scale(moving, known, beta, (double)NAN, known->eta, j, current)
                          : status;
}

static void count(const CliMoving *moving, size_t j, const Scales *own, const Scales *other,
                  Votes *votes) {
  if (own->n == 0)
    return;
  votes->counted++;
  votes->own += is_any_near(own, 1);
  votes->milli += is_any_near(own, milli);
  if (is_any_near(own, 1) || !is_any_near(other, 1))
    return;
  if (votes->other++ == 0 ||
      moving->survey.most_effort[j] > moving->survey.most_effort[votes->joint]) {
    votes->joint = j;
    votes->ratio = fabs(own->ratio[0]);
  }
}

static ArmStatus vote(const CliMoving *moving, const ArmModel *model,
                      const ArmDynamicsJoint *joints, const double *beta, bool are_torques,
                      Votes *votes) {
  *votes = (Votes){0};
  for (size_t j = 0; j < model->n; j++) {
    Scales current, torque;
    if (moving->survey.is_torque[j] != are_torques || !isfinite(joints[j].eta))
      continue;
    const ArmStatus status = scales_of(moving, &joints[j], beta,
                                       arm_dyn_rotor_of(&model->joints[j]), j, &current, &torque);
    if (status != ARM_OK)
      return status;
    count(moving, j, are_torques ? &torque : &current, are_torques ? &current : &torque, votes);
  }
  return ARM_OK;
}

static int refuse(const CliMoving *moving, size_t joint, ArmJointType type, bool is_torque,
                  double ratio, bool is_larger) {
  const char *torque = type == ARM_JOINT_R ? "Nm" : "N";
  g_autofree char *times = cli_format_number(ratio, 2);
  const char *const name[2] = {"i", "tau"};
  cli_error("%s: %s%zu_%s: expected a %s, found what is %s times %s than the links and drives of "
            "the arm file make it, and in other joints alike, as a %s would be: are columns i1_A.. "
            "and tau1_Nm.. called by each other's names?",
            moving->path, name[is_torque], joint + 1, is_torque ? torque : "A",
            is_torque ? "torque" : "current", times, is_larger ? "larger" : "smaller",
            is_torque ? "current" : "torque");
  return CLI_BAD_INPUT;
}

static size_t largest(const CliMoving *moving, size_t n) {
  size_t j = 0;
  for (size_t k = 1; k < n; k++)
    if (!(moving->survey.most_effort[k] <= moving->survey.most_effort[j]))
      j = k;
  return j;
}

static int refuse_milli(const CliMoving *moving, size_t j, const char *expected) {
  g_autofree char *found = cli_format_number(moving->survey.most_effort[j], 3);
  cli_error("%s:%u: i%zu_A: expected %s, found %s A, in other joints alike: are these currents in "
            "mA? Then divide by 1000, or give the unit by a column map (`import`)",
            moving->path, moving->survey.most_effort_line[j], j + 1, expected, found);
  return CLI_BAD_INPUT;
}

static int judge(const CliMoving *moving, const ArmModel *model, const Votes *votes,
                 bool are_torques) {
  if (!are_torques && votes->own == 0 && votes->milli >= (model->n > 1 ? 2 : 1) &&
      2 * votes->milli >= votes->counted)
    return refuse_milli(moving, largest(moving, model->n),
                        "about a thousandth of that, by the links and drives of the arm file");
  const bool is_other = votes->own == 0 && votes->other >= (model->n > 1 ? 2 : 1) &&
                        2 * votes->other >= votes->counted;
  if (!is_other)
    return CLI_OK;
  return refuse(moving, votes->joint, model->joints[votes->joint].type, are_torques,
                votes->ratio > 1 ? votes->ratio : 1 / votes->ratio, votes->ratio > 1);
}

/* As amperes it is too much, and as a torque, too; a thousandth of it is not. */
static bool is_milli(const CliMoving *moving, const ArmModel *model, const ArmDynamicsJoint *known,
                     size_t j) {
  const double found = moving->survey.most_effort[j], most = model->joints[j].limits.current_max;
  const double as_torque = isfinite(known->eta) ? fabs(known->eta) : 1 / largest_ratio;
  return found * as_torque > beyond * most && found < milli * beyond * most;
}

/* Where masses are not stated. */
static int check_limits(const CliMoving *moving, const ArmModel *model,
                        const ArmDynamicsJoint *joints) {
  size_t counted = 0, above = 0, last = 0;
  for (size_t j = 0; j < model->n; j++) {
    const double most = model->joints[j].limits.current_max;
    if (moving->survey.is_torque[j] || !moving->survey.has_effort[j] || !isfinite(most))
      continue;
    counted++;
    above += moving->survey.most_effort[j] > beyond * most;
    last = moving->survey.most_effort[j] > beyond * most ? j : last;
  }
  if (above < 2 || 2 * above < counted)
    return CLI_OK;
  g_autofree char *found = cli_format_number(moving->survey.most_effort[last], 3);
  g_autofree char *limit = cli_format_number(model->joints[last].limits.current_max, 3);
  g_autofree char *expected =
      g_strdup_printf("currents of at most some %s A, the limit of the arm file", limit);
  if (is_milli(moving, model, &joints[last], last))
    return refuse_milli(moving, last, expected);
  cli_error("%s:%u: i%zu_A: expected %s, found %s: are these torques in N m? Then call the columns "
            "tau1_Nm..",
            moving->path, moving->survey.most_effort_line[last], last + 1, expected, found);
  return CLI_BAD_INPUT;
}

/* Of nothing but zeros nothing can be identified, and nothing said of single joints. */
static int check_measured(const CliMoving *moving, size_t n) {
  for (size_t j = 0; j < n; j++)
    if (moving->survey.most_effort[j] > 0)
      return CLI_OK;
  cli_error("%s: every current or torque is 0: are they measured, and in these columns?",
            moving->path);
  return CLI_BAD_INPUT;
}

int cli_identify_check(const CliIdentifySetup *setup, const GPtrArray *recordings,
                       const ArmDynamicsJoint *joints) {
  const ArmModel *model = &setup->arm->model;
  double pi[ARM_INERTIA_PARAMETERS * ARM_MAX_JOINTS];
  const bool has_links = arm_inertia_nominal(model, pi) == 0;
  g_autofree double *beta = g_new0(double, setup->base->count);
  arm_base_values(setup->base, pi, beta);
  for (guint k = 0; k < recordings->len; k++) {
    const CliMoving *moving = g_ptr_array_index(recordings, k);
    int code = check_measured(moving, model->n);
    if (code == CLI_OK)
      code = check_limits(moving, model, joints);
    for (int torque = 0; torque < 2 && has_links && code == CLI_OK; torque++) {
      Votes votes;
      const ArmStatus status = vote(moving, model, joints, beta, torque, &votes);
      code = status == ARM_OK ? judge(moving, model, &votes, torque)
                              : cli_fail_status(status, moving->path);
    }
    if (code != CLI_OK)
      return code;
  }
  return CLI_OK;
}

/* ---- too coarse ---- */

static void warn_coarse(CliIdentified *r, const CliMoving *moving) {
  const ArmDynStreamOptions options = cli_moving_options(r->setup, moving);
  const double smooth_Hz = arm_dyn_stream_smooth_Hz(&options);
  if (!(smooth_Hz < room * options.cutoff_Hz))
    return;
  g_autofree char *rate = cli_format_number(1 / options.step_s, 4);
  g_autofree char *positions = cli_format_number(smooth_Hz, 3);
  g_autofree char *rows = cli_format_number(options.cutoff_Hz, 3);
  g_autofree char *most = cli_format_number(smooth_Hz / room, 3);
  g_autofree char *text = g_strdup_printf(
      "%s: sampled at %s Hz, positions are low-passed at %s Hz, too near to the %s Hz of the rows: "
      "of joints that shake where they reverse, inertias come out some %% too large, which their "
      "sds do not say. Give --lowpass %s or less, or record faster",
      moving->path, rate, positions, rows, most);
  aio_dynamics_warn(r->out, "coarse_sampling", 0, text);
}

void cli_identify_warn_coarse(CliIdentified *r) {
  for (guint k = 0; k < r->recordings->len; k++)
    warn_coarse(r, g_ptr_array_index(r->recordings, k));
}

/* ---- one joint at a time ---- */

static int fail_alone(const CliMoving *moving, const ArmModel *model, size_t j) {
  const char *unit = model->joints[j].type == ARM_JOINT_R ? "Nm" : "N";
  cli_error("%s: --method sequential: expected a column tau%zu_%s, as it takes torques of all "
            "joints, held ones too (motor currents of a held joint are friction that sticks); "
            "found %s",
            moving->path, j + 1, unit,
            moving->survey.has_effort[j] ? "a current: leave --method out" : "none");
  return CLI_BAD_INPUT;
}

int cli_identify_check_alone(const CliIdentifySetup *setup, const CliMoving *moving) {
  const ArmModel *model = &setup->arm->model;
  for (size_t j = 0; j < model->n; j++)
    if (!moving->survey.is_torque[j] || !moving->survey.has_effort[j])
      return fail_alone(moving, model, j);
  if (moving->survey.with_one > 0)
    return CLI_OK;
  cli_error("%s: --method sequential: expected rows in which one joint moves alone, its number in "
            "the column joint; found joint = 0 in all rows: leave --method out",
            moving->path);
  return CLI_BAD_INPUT;
}
