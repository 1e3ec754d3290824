/* SPDX-License-Identifier: MIT */
/* The controller's life: start, time, restart, the line. Its hardware is in controller_hal.c. */
#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "io/base/error.h"
#include "sim/controller_internal.h"

enum { FIRMWARE = 0x00010000, TTL_MIN_MS = 50, TTL_MAX_MS = 2000, TELEM_MAX_HZ = 1000 };
enum { SUPPLY_MIN_MV = 20000, SUPPLY_MAX_MV = 30000, TEMPERATURE_MAX = 8000 };

/* What is supervised or allowed where the arm file says nothing (docs/simulator.md). Chosen: slow
 * and gentle as arms are that people stand beside; following errors six times those of sound
 * motions. */
#define SPEED_R     1.0 /* [rad/s] */
#define SPEED_T     0.2 /* [m/s] */
#define RANGE_T     1.0 /* [m] */
#define ACCEL_S     0.5 /* time from rest to full speed [s] */
#define FOLLOWING_R 0.15
#define FOLLOWING_T 0.02

/* ---- configuration ---- */

static double known(double value, double otherwise) {
  return isnan(value) ? otherwise : value;
}

static guint32 to_u32(double x) {
  return x <= 0.0 ? 0 : x >= 4294967295.0 ? G_MAXUINT32 : (guint32)(x + 0.5);
}

static void configure_joint(WireDeviceJoint *out, const ArmJoint *joint,
                            const ArmPlantJoint *plant) {
  const bool is_t = joint->type == ARM_JOINT_T;
  const ArmLimits *limits = &joint->limits;
  const double range = is_t ? RANGE_T : G_PI;
  const double speed = known(limits->speed_max, is_t ? SPEED_T : SPEED_R);
  *out = (WireDeviceJoint){
      .is_sliding = is_t,
      .q_min = asim_to_i32(known(limits->q_min, -range) * 1e6),
      .q_max = asim_to_i32(known(limits->q_max, range) * 1e6),
      .v_max = to_u32(speed * 1e6),
      .a_max = to_u32(known(limits->accel_max, speed / ACCEL_S) * 1e6),
      .i_max = (uint16_t)MIN(to_u32(known(limits->current_max, plant->current_max) * 1e3), 32767u),
      .temperature_max = TEMPERATURE_MAX,
      .following_max = to_u32((is_t ? FOLLOWING_T : FOLLOWING_R) * 1e6),
      .quantum = to_u32(plant->encoder * 1e9)};
}

static void configure(AsimController *c, const AsimOptions *options) {
  const ArmPlantConfig *plant = &options->truth->plant;
  guint64 random = options->seed;
  for (gsize j = 0; j < c->n; j++)
    configure_joint(&c->joints[j], &plant->model.joints[j], &plant->joints[j]);
  asim_params_build(&c->params, plant);
  c->config = (WireDeviceConfig){
      .joints = c->joints,
      .n_joints = c->n,
      .params = c->params.param,
      .n_params = c->params.n,
      .firmware = FIRMWARE,
      .reset_cause = WIRE_RESET_POWER,
      .capabilities = WIRE_CAN_SWEEP | WIRE_CAN_TRAJECTORY | WIRE_CAN_STORE | WIRE_CAN_TEST |
                      WIRE_CAN_SWITCH_OFF | WIRE_CAN_CURRENT |
                      (c->time_factor == WIRE_TIME_FACTOR_REAL ? 0 : WIRE_CAN_COMPRESS),
      .time_factor = (guint32)c->time_factor,
      .supply_min_mv = SUPPLY_MIN_MV,
      .supply_max_mv = SUPPLY_MAX_MV,
      .ttl_min_ms = TTL_MIN_MS,
      .ttl_max_ms = TTL_MAX_MS,
      .telem_max_hz = TELEM_MAX_HZ,
      .is_minor_0 = options->is_minor_0};
  for (gsize k = 0; k < G_N_ELEMENTS(c->config.uid); k++)
    c->config.uid[k] = (guint32)(arm_random_next(&random) >> 32);
  c->config.uid[2] ^= g_str_hash(options->truth->name); /* another arm, another controller */
  c->random = arm_random_next(&random);
  asim_line_init(&c->line, options->line_room, arm_random_next(&random));
}

/* ---- start and restart ---- */

static void boot(AsimController *c, guint8 cause) {
  c->is_on = false;
  arm_plant_switch(c->plant, false);
  asim_controller_block(c);
  c->config.boot_count = asim_storage_boot(&c->storage);
  c->config.reset_cause = cause;
  /* the limits it checks have been kept by asim_controller_new */
  (void)wire_device_init(&c->device, &c->config, &asim_controller_hal, c);
}

static AsimController *refuse(AsimController *c, const AsimOptions *options, const char *why,
                              GError **error) {
  g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED, "%s: cannot be simulated: %s",
              options->truth->name, why);
  asim_controller_free(c);
  return NULL;
}

/* Telemetry comes in the middle of a servo period, and later by what amplifiers lag behind: a
 * current that is held from one sample of the servo to the next is then as old as its position.
 * Otherwise the slope of gravity, and of inertia from turn to turn, appears as viscous friction. */
static double telemetry_phase(const ArmPlantConfig *config) {
  double lag = 0.0;
  for (gsize j = 0; j < config->model.n; j++)
    lag += config->joints[j].lag_s / (double)config->model.n;
  return 0.5 * config->servo_s + lag;
}

AsimController *asim_controller_new(const AsimOptions *options, GError **error) {
  AsimController *c = g_new0(AsimController, 1);
  ArmStatus status;
  c->storage.fd = -1;
  c->n = options->truth->plant.model.n;
  c->plant_config = options->truth->plant;
  c->time_factor = llround(options->time_factor * WIRE_TIME_FACTOR_REAL);
  c->first_t_us = options->first_t_us;
  c->stamp = options->stamp;
  if (!(options->time_factor >= 1.0 && options->time_factor <= 1000.0))
    return refuse(c, options, "expected a time factor in 1..1000", error);
  c->plant = arm_plant_new(&c->plant_config, &status);
  if (!c->plant)
    return refuse(c, options, arm_status_text(status), error);
  if (!asim_storage_open(&c->storage, options->storage, error)) {
    asim_controller_free(c);
    return NULL;
  }
  memcpy(c->current_scale, options->truth->current_scale, sizeof c->current_scale);
  memcpy(c->has_brake, options->truth->has_brake, sizeof c->has_brake);
  arm_plant_place(c->plant, options->truth->home);
  asim_controller_block(c);
  c->has_diverged = arm_plant_advance(c->plant, telemetry_phase(&c->plant_config)) != ARM_OK;
  configure(c, options);
  boot(c, WIRE_RESET_POWER);
  return c;
}

void asim_controller_free(AsimController *c) {
  if (!c)
    return;
  asim_line_clear(&c->line);
  asim_storage_close(&c->storage);
  arm_plant_free(c->plant);
  g_free(c);
}

/* ---- faults ---- */

void asim_controller_block(AsimController *c) {
  for (gsize j = 0; j < c->n; j++)
    arm_plant_block(c->plant, j,
                    (c->has_brake[j] && !c->is_on) ||
                        asim_faults_find(&c->faults, WIRE_TEST_STALL, (guint)j + 1, c->now_us));
}

static void hang_load(AsimController *c) {
  const AsimPlanted *payload = asim_faults_find(&c->faults, WIRE_TEST_PAYLOAD, 0, c->now_us);
  const double load_kg = payload ? 1e-3 * payload->test.value : 0.0;
  if (load_kg != c->load_kg)
    arm_plant_load(c->plant, load_kg);
  c->load_kg = load_kg;
}

/* What a fault does at once, not when it is looked for. */
static void apply_faults(AsimController *c) {
  hang_load(c);
  AsimPlanted *brown_out = asim_faults_find(&c->faults, WIRE_TEST_BROWN_OUT, 0, c->now_us);
  if (!brown_out) {
    c->storage.power = G_MAXINT64;
  } else if (!brown_out->is_done) {
    brown_out->is_done = true;
    c->storage.power = brown_out->test.value;
  }
  asim_controller_block(c);
  if (asim_controller_is_unplugged(c))
    asim_line_clear(&c->line);
}

/* In front of a tick, never amid a request. */
static void restart_if_due(AsimController *c) {
  AsimPlanted *reboot = asim_faults_find(&c->faults, WIRE_TEST_REBOOT, 0, c->now_us);
  if (c->storage.is_dead) {
    boot(c, WIRE_RESET_BROWN_OUT);
  } else if (reboot && !reboot->is_done) {
    reboot->is_done = true;
    boot(c, (guint8)reboot->test.value);
  }
}

static bool plant_fault(AsimController *c, const WireTest *test, gint64 from_us) {
  return asim_fault_is_valid(test, c->n) && asim_faults_plant(&c->faults, test, from_us, c->now_us);
}

bool asim_controller_test(AsimController *c, const WireTest *test) {
  if (!plant_fault(c, test, c->now_us))
    return false;
  apply_faults(c);
  return true;
}

bool asim_controller_plan_fault(AsimController *c, const AsimFault *fault) {
  return plant_fault(c, &fault->test, (gint64)llround(fault->at_s * 1e6));
}

bool asim_controller_is_unplugged(const AsimController *c) {
  AsimFaults *faults = (AsimFaults *)&c->faults; /* only looked at */
  return asim_faults_find(faults, WIRE_TEST_UNPLUG, 0, c->now_us) != NULL;
}

/* ---- time and bytes ---- */

static void tick(AsimController *c) {
  c->now_us = c->next_us;
  const double seconds = (double)(c->now_us - c->plant_us) * 1e-6;
  c->plant_us = c->now_us;
  c->has_diverged = arm_plant_advance(c->plant, seconds) != ARM_OK;
  asim_controller_warm(c, seconds);
  apply_faults(c);
  restart_if_due(c);
  wire_device_tick(&c->device);
  c->next_us += ASIM_TICK_US;
}

void asim_controller_advance(AsimController *c, gint64 wall_us) {
  c->wall_us += wall_us;
  const gint64 until_us = c->wall_us * c->time_factor / WIRE_TIME_FACTOR_REAL;
  while (c->next_us <= until_us)
    tick(c);
  c->now_us = until_us;
}

void asim_controller_receive(AsimController *c, const guint8 *bytes, gsize n) {
  apply_faults(c);
  if (!asim_controller_is_unplugged(c) && !c->storage.is_dead)
    wire_device_receive(&c->device, bytes, n);
}

void asim_controller_line_break(AsimController *c) {
  if (!asim_controller_is_unplugged(c))
    wire_device_line_break(&c->device);
}

gsize asim_controller_take(AsimController *c, guint8 *bytes, gsize room) {
  return asim_line_take(&c->line, bytes, room, c->now_us);
}

gint64 asim_controller_device_us(const AsimController *c) {
  return c->now_us;
}

const ArmPlant *asim_controller_plant(const AsimController *c) {
  return c->plant;
}
