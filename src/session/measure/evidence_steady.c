/* SPDX-License-Identifier: MIT */
/* Servos that do not do what they are told between the ends of a sweep: held joints that go away,
 * and a joint that oscillates. Gravity is measured at the place and the speed that the fit knows,
 * but the acceleration that an oscillation costs it does not know. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/evidence_internal.h"

/* rms of the speed about its mean; sound servos: < 0.02, oscillating ones > 0.25 */
#define UNSTEADY_PART 0.2
#define WINDOW_US     1e5  /* a speed is the way in this time: noise of encoders is less */
#define WINDOW_STEPS  10.0 /* ... over so many steps of the encoder... */
#define WINDOW_REST   1.5  /* ... and errors at rest */
#define MIDDLE        0.25 /* of the way, from either end: there it has its speed */
enum { FEW_WINDOWS = 8 };

typedef void (*Visit)(void *data, double t_us, double q);

/* the samples of the leg itself */
static void visit(const AseEvidence *e, guint j, Visit see, void *data) {
  for (guint c = 0; c < e->run->chunks->len; c++) {
    const AioChunk *chunk = e->run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++)
      if (ase_run_owns(e->run, chunk, k))
        see(data, (double)chunk->t_us[k], chunk->q[(gsize)k * chunk->joints + j]);
  }
}

/* ---- joints that are held ---- */

/* Mean position over a pass: a held joint may swing where the other one turns round. */
typedef struct {
  double pose, pass_us, began_us, last_us, sum;
  guint samples;
  double farthest; /* a mean */
} Held;

/* What is left over at the end, or after lost samples, may be but such a swing. */
static void end_pass(Held *held) {
  const bool is_most = held->last_us - held->began_us >= 0.5 * held->pass_us;
  const double mean = held->samples > 0 && is_most ? held->sum / held->samples : held->pose;
  if (fabs(mean - held->pose) > fabs(held->farthest - held->pose))
    held->farthest = mean;
  held->sum = 0.0;
  held->samples = 0;
}

static void see_held(void *data, double t_us, double q) {
  Held *held = data;
  if (held->samples > 0 && t_us - held->began_us >= held->pass_us)
    end_pass(held);
  held->began_us = held->samples > 0 ? held->began_us : t_us;
  held->last_us = t_us;
  held->sum += q;
  held->samples++;
}

static char *against_held(const AseEvidence *e, guint j) {
  const ArmJointType type = e->model->joints[j].type;
  const double way = fabs(e->leg->q1 - e->leg->q0);
  const bool turns = e->model->joints[e->leg->joint - 1].type == ARM_JOINT_R;
  Held held = {.pose = e->leg->pose[j],
               .farthest = e->leg->pose[j],
               .pass_us = 1e6 * way / (turns ? e->leg->speed_R : e->leg->speed_T)};
  visit(e, j, see_held, &held);
  end_pass(&held);
  if (fabs(held.farthest - held.pose) <= ase_evidence_end_error(e, j))
    return NULL;
  char *leg = ase_leg_said(e->model, e->leg);
  char *where = ase_position_said(type, held.farthest);
  char *to = ase_position_said(type, held.pose);
  /* TRANSLATORS: joint, the leg ("sweep joint 3, ..."), a position, a position */
  char *text =
      aio_said(N_("joint %u: during \"%s\" it was at %s on the mean of a pass, but was to "
                  "stand still at %s: it creeps or is pushed; check its drive and its brake, "
                  "and what touches it"),
               j + 1, leg, where, to);
  g_free(leg);
  g_free(where);
  g_free(to);
  return text;
}

/* ---- the joint that is swept ---- */

/* Speeds over windows in the middle of the passes, along the pass. */
typedef struct {
  double low, high, window_us;
  double direction, began_us, began_q; /* direction 0: not in the middle, or not known */
  double last_us, last_q;
  bool is_outside; /* the last sample, of either end */
  guint count;
  double sum, squares, slowest, fastest;
} Pass;

static void add_speed(Pass *pass, double speed) {
  pass->slowest = pass->count == 0 ? speed : fmin(pass->slowest, speed);
  pass->fastest = pass->count == 0 ? speed : fmax(pass->fastest, speed);
  pass->sum += speed;
  pass->squares += speed * speed;
  pass->count++;
}

/* Which way the joint goes is known where it was seen to come into the middle, until samples are
 * missing: it may have turned round meanwhile. */
static void see_pass(void *data, double t_us, double q) {
  Pass *pass = data;
  const bool is_in = q > pass->low && q < pass->high;
  const double longest_us = 2.0 * pass->window_us;
  if (!is_in || t_us - pass->began_us >= longest_us)
    pass->direction = 0.0;
  if (is_in && pass->is_outside && t_us - pass->last_us < longest_us) {
    pass->direction = pass->last_q <= pass->low ? 1.0 : -1.0;
    pass->began_us = t_us;
    pass->began_q = q;
  } else if (pass->direction != 0.0 && t_us - pass->began_us >= pass->window_us) {
    add_speed(pass, 1e6 * pass->direction * (q - pass->began_q) / (t_us - pass->began_us));
    pass->began_us = t_us;
    pass->began_q = q;
  }
  pass->last_us = t_us;
  pass->last_q = q;
  pass->is_outside = !is_in;
}

static Pass begin_pass(const AseEvidence *e) {
  const guint j = e->leg->joint - 1;
  const bool turns = e->model->joints[j].type == ARM_JOINT_R;
  const double low = fmin(e->leg->q0, e->leg->q1), way = fabs(e->leg->q1 - e->leg->q0);
  const double speed = turns ? e->leg->speed_R : e->leg->speed_T;
  const bool is_known = e->description && j < e->description->joints;
  const AioJointInfo *info = is_known ? &e->description->joint[j] : NULL;
  const double rest = ase_rest_error(&e->model->joints[j], info);
  const double least = fmax(WINDOW_REST * rest, info ? WINDOW_STEPS * info->quantum : 0.0);
  return (Pass){.low = low + MIDDLE * way,
                .high = low + (1.0 - MIDDLE) * way,
                .window_us = fmax(WINDOW_US, 1e6 * least / speed)};
}

static char *against_oscillation(const AseEvidence *e) {
  const guint j = e->leg->joint - 1;
  const bool turns = e->model->joints[j].type == ARM_JOINT_R;
  const double unit = turns ? G_PI / 180.0 : 1.0;
  Pass pass = begin_pass(e);
  visit(e, j, see_pass, &pass);
  const double mean = pass.sum / MAX(pass.count, 1);
  const double square = pass.squares / MAX(pass.count, 1) - mean * mean;
  if (pass.count < FEW_WINDOWS || square <= pow(UNSTEADY_PART * mean, 2.0))
    return NULL;
  char *leg = ase_leg_said(e->model, e->leg);
  /* TRANSLATORS: joint, the leg ("sweep joint 3, ..."), two speeds, their unit */
  char *text =
      aio_said(N_("joint %u: during \"%s\" its speed was to be constant, but goes from %.4g "
                  "to %.4g %s: it oscillates or sticks; look at the gains of its drive and "
                  "at what it rubs against, or sweep it at another speed"),
               j + 1, leg, pass.slowest / unit, pass.fastest / unit,
               turns ? aio_said_word(N_("deg/s")) : "m/s");
  g_free(leg);
  return text;
}

char *ase_evidence_against_unsteady(const AseEvidence *e) {
  char *text = NULL;
  if (!e->leg->sweeps)
    return NULL;
  for (guint j = 0; !text && j < e->model->n; j++)
    if (!ase_evidence_moves(e->leg, j))
      text = against_held(e, j);
  return text ? text : against_oscillation(e);
}
