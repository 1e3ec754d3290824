/* SPDX-License-Identifier: MIT */
/* Currents of the simulated controller are as old as the positions that they are sent with. */
#include <math.h>

#include "host.h"
#include "support/support.h"

typedef struct {
  double rows, x, e, xx, xe;
} Slope;

/* By how much currents are older than positions: at constant speed v a current is i(q) + delay
 * di/dq v beside its position, friction apart. */
static double find_delay(const Host *host, gsize j, double v) {
  Slope way[2] = {{0}};
  double xx = 0.0, xe = 0.0;
  bool has_turned = false; /* it is not on its way to the first end */
  for (guint k = 0; k < host->frames->len; k++) {
    const HostFrame *frame = &g_array_index(host->frames, HostFrame, k);
    double q[ARM_MAX_JOINTS];
    if (frame->header.type != WIRE_TYPE_TELEM)
      continue;
    for (guint i = 0; i < host->truth->plant.model.n; i++)
      q[i] = host_telem(frame, i).q * 1e-6;
    const WireTelemJoint joint = host_telem(frame, (guint)j);
    const double qd = joint.qd * 1e-6;
    has_turned = has_turned || qd > 0.9 * v;
    /* the servo settles before, and brakes after it */
    if (!has_turned || fabs(fabs(qd) - v) > 0.01 * v || q[j] * qd < -0.5 * v || fabs(q[j]) > 1.35)
      continue;
    Slope *of = &way[qd < 0.0];
    const double here = host_load_current(host->truth, j, q, qd), e = joint.current * 1e-3 - here;
    q[j] += 1e-4;
    const double x = (host_load_current(host->truth, j, q, qd) - here) / 1e-4 * qd;
    *of = (Slope){of->rows + 1, of->x + x, of->e + e, of->xx + x * x, of->xe + x * e};
  }
  for (int k = 0; k < 2; k++) {
    g_assert_cmpfloat(way[k].rows, >, 100);
    xx += way[k].xx - way[k].x * way[k].x / way[k].rows;
    xe += way[k].xe - way[k].x * way[k].e / way[k].rows;
  }
  return xe / xx;
}

/* What a servo holds for 10 ms, and amplifiers follow later, is as old as the position that it is
 * sent with. */
static void test_no_delay(void) {
  const WireSweep sweep = {2, 8, 200, -1500000, 1500000, 1000000, 4000000, 0};
  Host *host = host_new("planar2r", NULL);
  GError *error = NULL;
  for (gsize j = 0; j < 2; j++) {
    ArmPlantJoint *joint = &host->truth->plant.joints[j];
    joint->lag_s = 2e-3;
    joint->noise_sd = joint->encoder = 0.0;
  }
  asim_controller_free(host->controller);
  host->controller = asim_controller_new(
      &(AsimOptions){
          .truth = host->truth, .seed = 1, .time_factor = 1.0, .line_room = ASIM_LINE_ROOM},
      &error);
  g_assert_no_error(error);
  host_run_ms(host, 5);
  host_hello(host);
  host_subscribe(host, 100, 0);
  host_arm(host);
  g_assert_cmpuint(host_sweep(host, &sweep), ==, 0);
  host_run_motion(host, 60000);
  const double delay = find_delay(host, 1, 1.0);
  g_test_message("currents are %.3g s older than positions", delay);
  g_assert_cmpfloat(fabs(delay), <, 4e-4);
  host_free(host);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim/delay/none", test_no_delay);
  return g_test_run();
}
