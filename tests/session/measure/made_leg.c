/* SPDX-License-Identifier: MIT */
#include "made_leg.h"

#include <math.h>

#include "support/support.h"

/* Where the joint is at a time, in strokes from q0: 0, 1, 0, ...; and its speed's sign. */
static double stroke_at(double t, double stroke_s, guint strokes, double *sign) {
  const double x = fmin(fmax(t / stroke_s, 0.0), strokes);
  const guint k = MIN((guint)x, strokes - 1);
  const double part = x - k;
  *sign = t <= 0.0 || t >= strokes * stroke_s ? 0.0 : k % 2 ? -1.0 : 1.0;
  return k % 2 ? 1.0 - part : part;
}

static double normal(TestRng *rng) {
  double sum = -6.0;
  for (guint k = 0; k < 12; k++)
    sum += test_rng_uniform(rng, 0.0, 1.0);
  return sum;
}

void made_leg_init(Made *made, const Way *way) {
  const bool turns = way->type == ARM_JOINT_R;
  const double reach = way->reach > 0.0 ? way->reach : turns ? 60 * DEG : 0.2;
  const double speed = way->speed > 0.0 ? way->speed : turns ? 30 * DEG : 0.05;
  g_assert_cmpint(arm_model_init(&made->model, 3), ==, ARM_OK);
  made->model.joints[1].type = way->type;
  if (way->arm_file_rest > 0.0)
    made->model.joints[1].limits.rest_error = way->arm_file_rest;
  made->description = (AioDescription){.joints = 3};
  made->description.joint[1].rest_error = way->driver_rest > 0.0 ? way->driver_rest : (double)NAN;
  made->description.joint[1].quantum = way->quantum;
  made->leg = (AseLeg){.purpose = ASE_PURPOSE_MEASURE,
                       .sweeps = !way->is_move,
                       .joint = 2,
                       .hold = 1,
                       .joints = 1u << 1,
                       .pose = {0.1, reach, -0.2, 7.0}, /* there is no joint 4 */
                       .q0 = -reach,
                       .q1 = reach,
                       .passes = way->passes,
                       .speed_R = speed,
                       .speed_T = speed};
}

void made_leg_push(Made *made, const AioSample *sample) {
  GPtrArray *chunks = made->run->chunks;
  AioChunk *last = chunks->len ? chunks->pdata[chunks->len - 1] : NULL;
  if (last && aio_chunk_push(last, sample, 0))
    return;
  last = aio_chunk_new(3, 0);
  g_ptr_array_add(chunks, last);
  g_assert_true(aio_chunk_push(last, sample, 0));
}

void made_leg_sample(Made *made, const Way *way) {
  const guint strokes = way->is_move ? 1 : way->passes;
  const double low = made->leg.q0, length = made->leg.q1 - low;
  const double slower = way->slower > 0.0 ? way->slower : 1.0;
  const double stroke_s = slower * length / made->leg.speed_R, all_s = strokes * stroke_s;
  const double from = way->lost_from != 0.0 ? way->lost_from : 0.1;
  TestRng rng;
  AioSample before = {0};
  test_rng_init(&rng, test_seed(7));
  made->run = ase_run_new(&made->leg, 1);
  made->run->motion = 7;
  for (double t = -0.5; t < all_s + 0.5; t += 1.0 / way->hz) {
    double sign, now_sign;
    const double part = fmin(fmax(t / all_s, 0.0), 1.0), omega = 2 * G_PI * 1.5;
    const double beat = t > 0.0 && t < all_s ? way->oscillation : 0.0;
    const double q = low + length * stroke_at(t - way->lag_s, stroke_s, strokes, &sign) +
                     beat * made->leg.speed_R / omega * sin(omega * t);
    stroke_at(t, stroke_s, strokes, &now_sign);
    AioSample s = {.t_us = (guint64)(1e6 * (t + 10.0)),
                   .motion = t >= 0.0 && t <= all_s ? 7 : 0,
                   .q = {0.1, q + (t > all_s ? way->off_end : 0.0), -0.2 + way->drift},
                   .current = {1.0, sign * 0.5 + 0.001 * normal(&rng), 2.0}};
    s.q[1] += way->noise_q * normal(&rng) * (t <= all_s) - way->backlash * (now_sign < 0.0);
    if (way->quantum > 0.0)
      s.q[1] = way->quantum * round(s.q[1] / way->quantum);
    s.qd[1] = (way->scale_qd != 0.0 ? way->scale_qd : 1.0) * sign * made->leg.speed_R / slower +
              way->noise_qd * normal(&rng);
    if (way->stuck_after > 0.0 && t > way->stuck_after * all_s) {
      s.q[1] = way->stuck & 1 ? before.q[1] : s.q[1];
      s.qd[1] = way->stuck & 2 ? before.qd[1] : s.qd[1];
      s.current[1] = way->stuck & 4 ? before.current[1] : s.current[1];
    }
    s.q[2] += way->leave * sin(G_PI * part) + way->swing * exp(-40.0 * fabs(part - 0.5)) +
              way->last_swing * exp(-40.0 * fabs(part - 0.97));
    s.qd[1] += beat * made->leg.speed_R * cos(omega * t);
    before = s;
    if (!(t > from * all_s && t < (from + way->lost) * all_s))
      made_leg_push(made, &s);
  }
}
