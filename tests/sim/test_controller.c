/* SPDX-License-Identifier: MIT */
/* The controller as a host sees it, without faults. */
#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "host.h"
#include "sim/params.h"
#include "support/support.h"

static const WireSweep sweep_2 = {.joint = 2,
                                  .passes = 2,
                                  .dwell_ms = 200,
                                  .q0 = -2000000,
                                  .q1 = -1000000,
                                  .v = 800000,
                                  .a = 4000000};

/* ---- what it says of itself ---- */

static void test_hello(void) {
  Host *host = host_new("puma560-truth2", &(AsimOptions){.seed = 5, .time_factor = 2.5});
  WireEvent event;
  host_run_ms(host, 2);
  g_assert_true(host_event(host, WIRE_EVENT_BOOT, &event));
  g_assert_cmpint(event.value, ==, 1);
  g_assert_cmpint(event.reason, ==, WIRE_RESET_POWER);
  const WireHelloAck ack = host_hello(host);
  g_assert_cmpuint(ack.joints, ==, 6);
  g_assert_cmpuint(ack.time_factor, ==, 2500);
  g_assert_cmpuint(ack.boot_count, ==, 1);
  g_assert_cmpuint(ack.telem_max_hz, ==, 1000);
  g_assert_cmpuint(ack.params, ==, 3 + 6 * 10);
  g_assert_cmpuint(ack.capabilities & WIRE_CAN_COMPRESS, !=, 0);
  g_assert_cmpuint(ack.capabilities & WIRE_CAN_TEST, !=, 0);
  g_assert_cmpuint(host_state(host).state, ==, WIRE_STATE_OFF);
  host_free(host);
}

static WireSchema schema(Host *host, guint16 index) {
  guint8 payload[WIRE_SIZE_SCHEMA_GET];
  const WireSchemaGet get = {index};
  WireSchema out;
  wire_schema_get_put(payload, &get);
  g_assert_cmpuint(host_request(host, WIRE_TYPE_SCHEMA_GET, payload, sizeof payload), ==,
                   WIRE_TYPE_SCHEMA);
  g_assert_true(wire_schema_get(&out, host_answer(host)->payload, host_answer(host)->length));
  return out;
}

static void test_schema(void) {
  Host *host = host_new("scara", NULL);
  const WireHelloAck ack = host_hello(host);
  GString *names = g_string_new(NULL);
  for (guint16 k = 0; k < ack.params; k++) {
    const WireSchema param = schema(host, k);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    float initial;
    memcpy(&initial, &param.initial, sizeof initial);
    g_string_append_printf(names, "%u:%.24s[%.8s]=%s ", param.id, param.name, param.unit,
                           g_ascii_formatd(number, sizeof number, "%g", (double)initial));
  }
  g_assert_true(g_str_has_prefix(
      names->str, "1:servo.kp[1/s2]=100 2:servo.kd[1/s]=20 3:servo.sample[s]=0.01 "
                  "101:gear.ratio[1][]=50 102:motor.sign[1][]=1 103:servo.inertia[1][A s2/rad]="));
  g_assert_nonnull(strstr(names->str, "111:gravity.kx[1][A s2/m]=0 112:gravity.ky[1][A s2/m]=0 "
                                      "114:eta.ratio[1][]=0 115:friction.coulomb_pos[1][A]=0 "
                                      "116:friction.viscous_pos[1][A s/rad]=0 "
                                      "117:friction.coulomb_neg[1][A]=0 "
                                      "118:friction.viscous_neg[1][A s/rad]=0 201:"));
  g_assert_nonnull(strstr(names->str, "202:motor.sign[2][]=-1 "));
  g_assert_nonnull(strstr(names->str, "303:servo.inertia[3][A s2/m]="));
  g_assert_nonnull(strstr(names->str, "313:gravity.mhat[3][A s2/m]=0 314:"));
  g_assert_nonnull(strstr(names->str, "316:friction.viscous_pos[3][A s/m]=0 "));
  g_string_free(names, TRUE);
  host_free(host);
}

/* ---- the same again ---- */

static GByteArray *session(guint64 seed) {
  Host *host = host_new("puma560-table1", &(AsimOptions){.seed = seed, .time_factor = 4});
  host_run_ms(host, 3);
  host_hello(host);
  host_subscribe(host, 250, 10);
  host_arm(host);
  g_assert_cmpuint(host_sweep(host, &sweep_2), ==, 0);
  host_run_ms(host, 100);
  g_assert_cmpuint(host_test(host, WIRE_TEST_BIT_ERRORS, 0, 2000, 100), ==, 0);
  g_assert_cmpuint(host_test(host, WIRE_TEST_DROP_FRAMES, 0, 100000, 0), ==, 0);
  host_run_ms(host, 1500);
  GByteArray *bytes = host->bytes;
  host->bytes = g_byte_array_new();
  host_free(host);
  return bytes;
}

static bool is_equal(const GByteArray *a, const GByteArray *b) {
  return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* As many joints as an arm may have: what a drive is goes first when there is no room, by the list
 * of what a controller holds and no number of its own. */
static void test_room(void) {
  static AsimParams params;
  static ArmPlantConfig plant;
  size_t count, found = 0;
  const ArmControllerParam *list = arm_controller_params(&count);
  for (size_t k = 0; k < count; k++)
    found += arm_controller_param_fits(&list[k], ARM_JOINT_R);
  for (size_t n = 1; n <= ARM_MAX_JOINTS; n++) {
    plant.model.n = n;
    asim_params_build(&params, &plant);
    const size_t all = 3 + (found + 3) * n;
    g_assert_cmpuint(params.n, ==, all <= WIRE_DEVICE_PARAMS ? all : 3 + found * n);
    g_assert_cmpuint(params.n, <=, WIRE_DEVICE_PARAMS);
  }
}

static void test_determinism(void) {
  GByteArray *one = session(3), *again = session(3), *other = session(4);
  g_assert_cmpuint(one->len, >, 100000);
  g_assert_true(is_equal(one, again));
  g_assert_false(is_equal(one, other));
  g_byte_array_unref(one);
  g_byte_array_unref(again);
  g_byte_array_unref(other);
}

/* How time is cut into pieces makes no difference to the arm or the telemetry. */
static void test_pieces_of_time(void) {
  Host *fine = host_new("planar2r", NULL), *coarse = host_new("planar2r", NULL);
  for (gint64 us = 0; us < 300000; us += 137)
    asim_controller_advance(fine->controller, MIN(137, 300000 - us));
  asim_controller_advance(coarse->controller, 300000);
  host_drain(fine);
  host_drain(coarse);
  g_assert_true(is_equal(fine->bytes, coarse->bytes));
  double a[2], b[2];
  arm_plant_truth(asim_controller_plant(fine->controller), a, NULL, NULL);
  arm_plant_truth(asim_controller_plant(coarse->controller), b, NULL, NULL);
  g_assert_cmpmem(a, sizeof a, b, sizeof b);
  host_free(fine);
  host_free(coarse);
}

/* ---- motion and telemetry ---- */

static gint64 time_sweep(double factor) {
  Host *host = host_new("puma560-table1", &(AsimOptions){.seed = 1, .time_factor = factor});
  WireAck ack;
  host_hello(host);
  host_arm(host);
  g_assert_cmpuint(host_sweep(host, &sweep_2), ==, 0);
  g_assert_true(wire_ack_get(&ack, host_answer(host)->payload, host_answer(host)->length));
  const gint64 ms = host_run_motion(host, 60000);
  g_assert_cmpfloat(fabs(ms * factor - ack.value), <=, 2 * factor);
  host_free(host);
  return ms;
}

/* A sweep takes 1/factor of the wall time; the lease is wall time. */
static void test_time_factor(void) {
  const gint64 real = time_sweep(1.0), fast = time_sweep(20.0);
  g_assert_cmpint(ABS(real - 20 * fast), <=, 40);
  for (int factor = 1; factor <= 100; factor *= 10) {
    Host *host = host_new("planar2r", &(AsimOptions){.seed = 1, .time_factor = factor});
    host_hello(host);
    host_arm(host);
    host->keeps_lease = false;
    host_run_ms(host, 299);
    g_assert_cmpuint(host_state(host).state, ==, WIRE_STATE_ARMED);
    host_run_ms(host, 2);
    const WireState state = host_state(host);
    g_assert_cmpuint(state.state, ==, WIRE_STATE_LOCKED);
    g_assert_cmpuint(state.faults, ==, WIRE_FAULT_LEASE);
    g_assert_cmpuint(state.lockout_ms, >, 490);
    host_free(host);
  }
}

/* The arm of the file is Table I of Lin 1994, last digit included. */
static void test_table1(void) {
  static const double stars[6][2] = {
      {0, 0},           {2.191535, .00371}, {.02212, .80144}, {-.03060, .01287}, {-.01424, .13828},
      {-.00053, .00043}};
  static const double ratios[5] = {0.0, -.57450, .10676, .14463, .000002};
  static const double sd[6] = {.0225, .0293, .0149, .0187, .0167, .00636};
  Host *host = host_new("puma560-table1", NULL);
  const ArmPlantConfig *plant = &host->truth->plant;
  double w[12];
  arm_gravity_nominal(&plant->model, w);
  for (int j = 1; j < 6; j++)
    for (int axis = 0; axis < 2; axis++)
      g_assert_cmpfloat(fabs(plant->joints[j].eta * w[2 * j + axis] * 9.8 - stars[j][axis]), <,
                        1e-9);
  for (int j = 1; j < 5; j++)
    g_assert_true(
        test_is_near(plant->joints[j].eta / plant->joints[j + 1].eta, ratios[j], 1e-9, 0));
  for (int j = 0; j < 6; j++)
    g_assert_true(plant->joints[j].noise_sd == sd[j]);
  g_assert_cmpint(plant->kind, ==, ARM_PLANT_DIAGONAL);
  host_free(host);
}

/* On the plateaus of a sweep the mean current is that of eq (20), and its noise is Table I's. */
static void test_plateaus(void) {
  const WireSweep slow = {2, 2, 200, -2000000, -1000000, 300000, 4000000, 0};
  Host *host = host_new("puma560-table1", NULL);
  double sum[2] = {0.0}, squares[2] = {0.0};
  int count[2] = {0};
  host_run_ms(host, 5);
  host_hello(host);
  host_subscribe(host, 500, 0);
  host_arm(host);
  g_assert_cmpuint(host_sweep(host, &slow), ==, 0);
  host_run_motion(host, 20000);
  for (guint k = 0; k < host->frames->len; k++) {
    const HostFrame *frame = &g_array_index(host->frames, HostFrame, k);
    double q[6];
    if (frame->header.type != WIRE_TYPE_TELEM)
      continue;
    for (guint j = 0; j < 6; j++)
      q[j] = host_telem(frame, j).q * 1e-6;
    const WireTelemJoint joint = host_telem(frame, 1);
    const double qd = joint.qd * 1e-6;
    if (q[1] < -1.5 || q[1] > -1.2 || fabs(fabs(qd) - 0.3) > 0.05)
      continue;
    const double error = joint.current * 1e-3 - host_load_current(host->truth, 1, q, qd);
    sum[qd < 0.0] += error;
    squares[qd < 0.0] += error * error;
    count[qd < 0.0]++;
  }
  for (int way = 0; way < 2; way++) {
    const double mean = sum[way] / count[way], sd = sqrt(squares[way] / count[way] - mean * mean);
    g_test_message("way %d: %d rows, mean error %.5f A, sd %.5f A", way, count[way], mean, sd);
    g_assert_cmpint(count[way], >, 200);
    g_assert_cmpfloat(fabs(mean), <, 0.01);
    g_assert_cmpfloat(fabs(sd / 0.0293 - 1.0), <, 0.2);
  }
  host_free(host);
}

/* Every shipped arm with links: each joint sweeps within its limits and follows. */
static void check_moves(const char *arm) {
  Host *host = host_new(arm, NULL);
  const ArmModel *model = &host->truth->plant.model;
  host_run_ms(host, 5);
  host_hello(host);
  host_arm(host);
  host_run_ms(host, 200);
  for (guint j = 0; j < model->n; j++) {
    const ArmLimits *limits = &model->joints[j].limits;
    const double v = 0.4 * limits->speed_max, a = 0.5 * limits->accel_max;
    const double middle = fmax(fmin(host->truth->home[j], limits->q_max - 0.15 * v), limits->q_min);
    const double reach = fmin(0.25 * (limits->q_max - limits->q_min), 0.5);
    const double q1 = fmin(middle + reach, limits->q_max), q0 = fmax(middle, limits->q_min);
    const WireSweep sweep = {.joint = (guint8)(j + 1),
                             .passes = 2,
                             .dwell_ms = 100,
                             .q0 = (gint32)(q0 * 1e6),
                             .q1 = (gint32)(q1 * 1e6),
                             .v = (guint32)(v * 1e6),
                             .a = (guint32)(a * 1e6)};
    g_assert_cmpuint(host_sweep(host, &sweep), ==, 0);
    double q[ARM_MAX_JOINTS];
    WireEvent event;
    g_array_set_size(host->frames, 0);
    for (gint64 ms = 0; ms < 30000 && !host_event(host, WIRE_EVENT_MOTION_END, &event); ms++) {
      host_run_ms(host, 1);
      arm_plant_truth(asim_controller_plant(host->controller), q, NULL, NULL);
      for (guint k = 0; k < model->n; k++)
        g_assert_true(q[k] > model->joints[k].limits.q_min - 0.02 &&
                      q[k] < model->joints[k].limits.q_max + 0.02);
    }
    g_assert_true(host_event(host, WIRE_EVENT_MOTION_END, &event));
    if (event.reason != WIRE_END_DONE)
      g_test_message("%s: joint %u: faults %x", arm, j + 1, host_state(host).faults);
    g_assert_cmpint(event.reason, ==, WIRE_END_DONE);
    host_run_ms(host, 500);
    arm_plant_truth(asim_controller_plant(host->controller), q, NULL, NULL);
    g_assert_cmpfloat(fabs(q[j] - q0), <, 0.02);
  }
  host_free(host);
}

static void test_shipped_arms(void) {
  static const char *const arms[] = {"puma560-table1", "puma560-truth2", "stanford", "scara",
                                     "planar2r",       "puma560",        "ur10e"};
  for (gsize k = 0; k < G_N_ELEMENTS(arms); k++)
    check_moves(arms[k]);
}

/* A brake holds the quill of the SCARA while the drives are off, and lets it go with them on. */
static void test_brake(void) {
  Host *host = host_new("scara", NULL);
  double q[4];
  host_run_ms(host, 1000);
  arm_plant_truth(asim_controller_plant(host->controller), q, NULL, NULL);
  g_assert_true(q[2] == host->truth->home[2]);
  host_hello(host);
  host_arm(host);
  host_run_ms(host, 100);
  arm_plant_truth(asim_controller_plant(host->controller), q, NULL, NULL);
  g_assert_true(q[2] != host->truth->home[2]);
  g_assert_cmpfloat(fabs(q[2] - host->truth->home[2]), <, 0.02);
  host_free(host);
}

static void test_telemetry(void) {
  Host *host = host_new("puma560-truth2", &(AsimOptions){.seed = 1, .time_factor = 10});
  host_run_ms(host, 5);
  host_hello(host);
  host_subscribe(host, 1000, 10);
  host_run_ms(host, 100);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_TELEM), ==, 1000);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_HEALTH), ==, 10);
  g_assert_cmpuint(host->telem.lost, ==, 0);
  guint32 t_us = 0;
  for (guint k = 0; k < host->frames->len; k++) {
    const HostFrame *frame = &g_array_index(host->frames, HostFrame, k);
    if (frame->header.type != WIRE_TYPE_TELEM)
      continue;
    if (t_us)
      g_assert_cmpuint(frame->header.t_us - t_us, ==, 1000);
    t_us = frame->header.t_us;
  }
  host_free(host);
}

/* The device clock starts 50 ms before its wrap. */
static void test_clock_wrap(void) {
  Host *host = host_new("planar2r", &(AsimOptions){.seed = 1, .first_t_us = (guint32)-50000});
  const WireSweep sweep = {.joint = 1,
                           .passes = 1,
                           .dwell_ms = 20,
                           .q0 = -1570000,
                           .q1 = -1500000,
                           .v = 500000,
                           .a = 4000000};
  host_run_ms(host, 5);
  host_hello(host);
  host_subscribe(host, 1000, 0);
  host_arm(host);
  g_assert_cmpuint(host_sweep(host, &sweep), ==, 0);
  const gint64 ms = host_run_motion(host, 2000);
  g_assert_cmpint(ms, <, 600);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_TELEM), >=, (guint)ms);
  g_assert_cmpuint(g_array_index(host->frames, HostFrame, 0).header.t_us, ==, (guint32)-50000);
  g_assert_cmpuint(host_last(host, WIRE_TYPE_TELEM)->header.t_us, <, 1000000);
  g_assert_cmpuint(host->telem.lost, ==, 0);
  host_free(host);
}

/* Nobody reads: whole frames are dropped, and the numbers say how many. */
static void test_full_line(void) {
  Host *host = host_new("planar2r", &(AsimOptions){.seed = 1, .line_room = 1000});
  host_run_ms(host, 5);
  host_hello(host);
  host_subscribe(host, 1000, 0);
  asim_controller_advance(host->controller, 1000000);
  host_drain(host);
  const guint received = host_count(host, WIRE_TYPE_TELEM);
  g_assert_cmpuint(received, <, 40);
  host_run_ms(host, 1);
  g_assert_cmpuint(host_count(host, WIRE_TYPE_TELEM), ==, received + 1);
  g_assert_cmpuint(host->telem.lost, ==, 1000 - received);
  g_assert_cmpuint(wire_counters_rejected(&host->decoder.counters), ==, 0);
  host_free(host);
}

static void test_emergency(void) {
  static const guint8 text[] = {0, 0x18, 0x18, 0x18, 0x18, 0x18, 0x18, 0x18, 0x18, 0};
  for (int way = 0; way < 2; way++) {
    Host *host = host_new("puma560-truth2", NULL);
    host_run_ms(host, 5);
    host_hello(host);
    host_arm(host);
    host_run_ms(host, 50);
    if (way == 0)
      asim_controller_receive(host->controller, text, sizeof text);
    else
      asim_controller_line_break(host->controller);
    g_assert_cmpuint(host_state(host).faults, ==, WIRE_FAULT_EMERGENCY);
    double current[6];
    host_run_ms(host, 20);
    arm_plant_truth(asim_controller_plant(host->controller), NULL, NULL, current);
    for (int j = 0; j < 6; j++)
      g_assert_cmpfloat(fabs(current[j]), <, 1e-9);
    host_free(host);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim/controller/hello", test_hello);
  g_test_add_func("/sim/controller/schema", test_schema);
  g_test_add_func("/sim/controller/room", test_room);
  g_test_add_func("/sim/controller/determinism", test_determinism);
  g_test_add_func("/sim/controller/pieces-of-time", test_pieces_of_time);
  g_test_add_func("/sim/controller/time-factor", test_time_factor);
  g_test_add_func("/sim/controller/table1", test_table1);
  g_test_add_func("/sim/controller/plateaus", test_plateaus);
  g_test_add_func("/sim/controller/shipped-arms", test_shipped_arms);
  g_test_add_func("/sim/controller/brake", test_brake);
  g_test_add_func("/sim/controller/telemetry", test_telemetry);
  g_test_add_func("/sim/controller/clock-wrap", test_clock_wrap);
  g_test_add_func("/sim/controller/full-line", test_full_line);
  g_test_add_func("/sim/controller/emergency", test_emergency);
  return g_test_run();
}
