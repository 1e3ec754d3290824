/* SPDX-License-Identifier: MIT */
/* The simulated hardware behind the device: clocks, sensors, drives, line, storage. */
#include <math.h>

#include "core/base/random.h"
#include "sim/controller_internal.h"

#define SUPPLY_MV     24000
#define ROOM_C        25.0
#define WARM_S        600.0 /* thermal time constant of a motor */
#define CREPT_BACK_S  0.05
#define WARM_AT_MAX_K 60.0 /* final warmth under the joint's largest current */

gint32 asim_to_i32(double x) {
  return x <= (double)G_MININT32   ? G_MININT32
         : x >= (double)G_MAXINT32 ? G_MAXINT32
                                   : (gint32)lround(x);
}

static gint16 to_i16(double x) {
  return (gint16)CLAMP(asim_to_i32(x), G_MININT16, G_MAXINT16);
}

/* ---- clocks ---- */

static uint32_t now_us(void *ctx) {
  const AsimController *c = ctx;
  return c->first_t_us + (uint32_t)(c->now_us & G_MAXUINT32);
}

static uint32_t wall_us(void *ctx) {
  const AsimController *c = ctx;
  return (uint32_t)((c->now_us * WIRE_TIME_FACTOR_REAL / c->time_factor) & G_MAXUINT32);
}

/* ---- sensors ---- */

void asim_controller_warm(AsimController *c, double seconds) {
  double current[ARM_MAX_JOINTS];
  arm_plant_truth(c->plant, NULL, NULL, current);
  for (gsize j = 0; j < c->n; j++) {
    const double part = current[j] / c->plant_config.joints[j].current_max;
    const double final = isfinite(part) ? WARM_AT_MAX_K * part * part : 0.0;
    c->warmth[j] += (final - c->warmth[j]) * seconds / WARM_S;
  }
}

/* Standard normal, Box and Muller. */
static double normal(guint64 *random) {
  const double radius = sqrt(-2.0 * log1p(-arm_random_uniform(random, 0.0, 1.0)));
  return radius * cos(arm_random_uniform(random, 0.0, 2.0 * G_PI));
}

static double quantised(double x, double quantum) {
  return quantum > 0.0 ? quantum * round(x / quantum) : x;
}

/* joint from 1, 0: of the line */
static gint32 fault_value(AsimController *c, guint16 kind, gsize joint, gint32 otherwise) {
  const AsimPlanted *planted = asim_faults_find(&c->faults, kind, (guint)joint, c->now_us);
  return planted ? planted->test.value : otherwise;
}

static void read_joint(AsimController *c, gsize j, double q, double qd, double current,
                       WireReading *reading) {
  const ArmPlantJoint *joint = &c->plant_config.joints[j];
  const double noise = joint->noise_sd > 0.0 ? joint->noise_sd * normal(&c->random) : 0.0;
  reading->q[j] = asim_to_i32(quantised(q * joint->position_scale, joint->encoder) * 1e6);
  reading->qd[j] = asim_to_i32(qd * 1e6);
  reading->current[j] = to_i16((current + noise) * c->current_scale[j] * 1e3 +
                               fault_value(c, WIRE_TEST_OVER_CURRENT, j + 1, 0));
  reading->motor_temperature[j] = (gint16)fault_value(c, WIRE_TEST_OVER_TEMPERATURE, j + 1,
                                                      to_i16((ROOM_C + c->warmth[j]) * 100.0));
}

static void read_sensors(void *ctx, WireReading *reading) {
  AsimController *c = ctx;
  ArmPlantReading servo;
  double q[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS];
  arm_plant_read(c->plant, &servo);
  arm_plant_truth(c->plant, q, NULL, current);
  *reading = (WireReading){.t_us = c->stamp ? c->stamp(c->now_us) : now_us(c),
                           .faults = c->has_diverged ? WIRE_FAULT_DRIVE : 0,
                           .is_estop_closed =
                               !asim_faults_find(&c->faults, WIRE_TEST_ESTOP_OPEN, 0, c->now_us),
                           .supply_mv = SUPPLY_MV,
                           .temperature = (gint16)(ROOM_C * 100.0)};
  for (gsize j = 0; j < c->n; j++)
    read_joint(c, j, q[j], servo.qd[j], current[j], reading);
}

/* ---- drives ---- */

static bool switch_drives(void *ctx, bool on) {
  AsimController *c = ctx;
  c->is_on = on;
  arm_plant_switch(c->plant, on);
  asim_controller_block(c);
  return true;
}

/* A joint that is to stand still creeps off; when it is to move, it is back within 50 ms. */
static double creep(AsimController *c, gsize j, double speed) {
  const double step_s = ASIM_TICK_US * 1e-6;
  const gint32 rate = fault_value(c, WIRE_TEST_CREEP, j + 1, 0);
  if (speed == 0.0)
    c->crept[j] += 1e-6 * rate * step_s;
  if (speed != 0.0 || rate == 0)
    c->crept[j] -= c->crept[j] * step_s / CREPT_BACK_S;
  return c->crept[j];
}

static void set_points(void *ctx, const int32_t *q, const int32_t *qd) {
  AsimController *c = ctx;
  double position[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS];
  for (gsize j = 0; j < c->n; j++) {
    speed[j] = 1e-6 * qd[j];
    position[j] = 1e-6 * q[j] + creep(c, j, speed[j]);
  }
  arm_plant_set_points(c->plant, position, speed);
}

/* ---- line and storage ---- */

/* Without power nothing is sent, and what goes into a pulled cable is gone. */
static bool send_frame(void *ctx, const uint8_t *bytes, size_t n) {
  AsimController *c = ctx;
  if (c->storage.is_dead || asim_controller_is_unplugged(c))
    return true;
  const AsimSpoil spoil = {.bit_errors = fault_value(c, WIRE_TEST_BIT_ERRORS, 0, 0),
                           .drops = fault_value(c, WIRE_TEST_DROP_FRAMES, 0, 0),
                           .delay_us = fault_value(c, WIRE_TEST_LATE_FRAMES, 0, 0)};
  guint8 other[WIRE_FRAME_MAX];
  const gsize frozen = asim_freeze_frame(&c->freeze, &c->faults, c->now_us, bytes, n, other);
  return asim_line_send(&c->line, frozen ? other : bytes, frozen ? frozen : n, c->now_us, &spoil);
}

static bool erase(void *ctx, int slot) {
  return asim_storage_erase(&((AsimController *)ctx)->storage, slot);
}

static bool write_bytes(void *ctx, int slot, size_t offset, const uint8_t *bytes, size_t n) {
  return asim_storage_write(&((AsimController *)ctx)->storage, slot, offset, bytes, n);
}

static bool load_bytes(void *ctx, int slot, size_t offset, uint8_t *bytes, size_t n) {
  return asim_storage_load(&((AsimController *)ctx)->storage, slot, offset, bytes, n);
}

static bool test(void *ctx, const WireTest *asked) {
  return asim_controller_test(ctx, asked);
}

const WireHal asim_controller_hal = {.now_us = now_us,
                                     .wall_us = wall_us,
                                     .send = send_frame,
                                     .read = read_sensors,
                                     .switch_drives = switch_drives,
                                     .set_points = set_points,
                                     .erase = erase,
                                     .write = write_bytes,
                                     .load = load_bytes,
                                     .test = test};
