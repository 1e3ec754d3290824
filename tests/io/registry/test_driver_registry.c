/* SPDX-License-Identifier: MIT */
/* The registry with a second driver in it: who is chosen, that probing only reads, what a driver is
 * told of the arm, that captures name who spoke; and the second driver itself, in simulated time.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "abacus.h"
#include "io/acquire/capture_internal.h"
#include "io/acquire/capture_samples.h"
#include "io/driver/native/driver_native.h"
#include "io/registry/driver_registry.h"
#include "wire/frame.h"
#include "wire/message.h"

#define DEG (G_PI / 180.0)

static char *folder;

static AioArm *load_arm(const char *text) {
  GError *error = NULL;
  AioArm *arm = aio_arm_load_bytes("abacus", text, strlen(text), &error);
  g_assert_no_error(error);
  return arm;
}

/* The arm of the abacus, a piece of its file replaced. */
static AioArm *load_changed(const char *piece, const char *by) {
  g_auto(GStrv) parts = g_strsplit(abacus_arm, piece, 2);
  g_assert_nonnull(parts[1]);
  g_autofree char *text = g_strjoinv(by, parts);
  return load_arm(text);
}

static void assert_says(GError **error, AioErrorCode code, const char *part) {
  g_assert_error(*error, AIO_ERROR, (gint)code);
  if (!strstr((*error)->message, part))
    g_error("\"%s\" lacks \"%s\"", (*error)->message, part);
  g_clear_error(error);
}

/* ---- the list ---- */

static void test_names(void) {
  GError *error = NULL;
  g_autofree char *names = aio_driver_names();
  g_assert_cmpstr(names, ==, "native, abacus");
  g_assert_true(aio_driver_find("native", &error) == &aio_driver_native);
  g_assert_true(aio_driver_find("abacus", &error) == &abacus_driver);
  g_assert_null(aio_driver_find("nobody", &error));
  assert_says(&error, AIO_ERROR_NOT_FOUND,
              "driver: expected one of native, abacus, found \"nobody\"");
  g_assert_null(aio_driver_find("", &error));
  g_clear_error(&error);
  g_assert_cmpuint(aio_driver_baud(NULL), ==, 1000000);
  g_assert_cmpuint(aio_driver_baud(&aio_driver_native), ==, 1000000);
  g_assert_cmpuint(aio_driver_baud(&abacus_driver), ==, 115200);
}

static void test_choice(void) {
  GError *error = NULL;
  AioDriverContext context = {.joints = 0};
  const AioDriverClass *klass = &aio_driver_native;
  g_assert_true(aio_driver_choose(NULL, &context, &klass, &error));
  g_assert_null(klass); /* two are known: one has to ask */
  strcpy(context.driver, "abacus");
  g_assert_true(aio_driver_choose(NULL, &context, &klass, &error));
  g_assert_true(klass == &abacus_driver);
  g_assert_true(aio_driver_choose("native", &context, &klass, &error));
  g_assert_true(klass == &aio_driver_native);
  strcpy(context.driver, "slide rule");
  g_assert_false(aio_driver_choose(NULL, &context, &klass, &error));
  assert_says(&error, AIO_ERROR_MEANING, "arm file: x_armature_driver: driver: expected one of");
  g_assert_true(klass == &aio_driver_native);
}

/* ---- what it is told of the arm ---- */

static void assert_context(const AioDriverContext *context) {
  g_assert_cmpuint(context->joints, ==, 2);
  g_assert_true(g_str_has_prefix(context->digest, "sha256:"));
  const AioDriverJoint *one = &context->joint[0], *two = &context->joint[1];
  g_assert_cmpuint(one->n_ids, ==, 1);
  g_assert_cmpuint(one->id[0], ==, 11);
  g_assert_cmpuint(two->n_ids, ==, 2);
  g_assert_cmpuint(two->id[1], ==, 13);
  g_assert_cmpuint(two->n_motors, ==, 1);
  g_assert_cmpfloat(two->motor[0].gear_ratio, ==, 2.0);
  g_assert_cmpfloat(two->motor[0].sign, ==, -1.0);
  g_assert_cmpfloat(one->motor[0].sign, ==, 1.0);
  g_assert_cmpfloat(two->limits.q_max, ==, 80.0 * DEG);
  g_assert_cmpfloat(two->limits.current_max, ==, 2.0);
  g_assert_true(isnan(two->limits.rest_error));
}

static void test_context(void) {
  GError *error = NULL;
  AioArm *arm = load_arm(abacus_arm);
  AioDriverContext context, back = {.joints = 7};
  g_assert_true(aio_driver_context_of(&context, arm, &error));
  assert_context(&context);
  g_assert_cmpstr(context.driver, ==, "");
  g_autofree char *text = aio_driver_context_format(&context, "abacus");
  g_assert_true(aio_driver_context_parse(&back, "head", text, strlen(text), &error));
  g_assert_no_error(error);
  assert_context(&back);
  g_assert_cmpstr(back.driver, ==, "abacus");
  g_assert_false(aio_driver_context_parse(&back, "head", "{\"driver\": 1}", 13, &error));
  assert_says(&error, AIO_ERROR_MEANING, "head:1:12: driver: expected");
  assert_context(&back);
  g_assert_true(aio_driver_context_of(&back, NULL, &error));
  g_assert_cmpuint(back.joints, ==, 0);
  aio_arm_free(arm);
}

static void test_wrong_keys(void) {
  static const struct {
    const char *by, *says;
  } cases[] = {
      {"\"x_armature_ids\": 11", "arm file: joint 1: x_armature_ids:1:1"},
      {"\"x_armature_ids\": []", "expected 1 to 8 numbers of drives, found"},
      {"\"x_armature_ids\": [1.5]", "arm file: joint 1: x_armature_ids"},
      {"\"x_armature_ids\": [254]", "254"},
      {"\"x_armature_ids\": [\"a\"]", "found \"a\""},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    GError *error = NULL;
    AioArm *arm = load_changed("\"x_armature_ids\": [11]", cases[k].by);
    AioDriverContext context = {.joints = 7};
    g_assert_false(aio_driver_context_of(&context, arm, &error));
    assert_says(&error, AIO_ERROR_MEANING, cases[k].says);
    g_assert_cmpuint(context.joints, ==, 7);
    aio_arm_free(arm);
  }
  GError *error = NULL;
  AioArm *arm = load_changed("\"joints\":", "\"x_armature_driver\": 5, \"joints\":");
  AioDriverContext context;
  g_assert_false(aio_driver_context_of(&context, arm, &error));
  assert_says(&error, AIO_ERROR_MEANING, "arm file: x_armature_driver:1:1: expected");
  aio_arm_free(arm);
  arm = load_changed("\"joints\":", "\"x_armature_driver\": \"abacus\", \"joints\":");
  g_assert_true(aio_driver_context_of(&context, arm, &error));
  g_assert_cmpstr(context.driver, ==, "abacus");
  aio_arm_free(arm);
}

/* ---- a driver and the abacus, in simulated time ---- */

typedef struct {
  Abacus abacus;
  AioDriver *driver;
  gint64 now_ns;
  GByteArray *written;
  AioReply reply;
  guint replies, samples, legs;
  AioSample sample;
  AioMotionEnd end; /* of the last motion */
  AioDescription description;
  bool keeps_alive;
} World;

static void take_write(void *ctx, const guint8 *bytes, gsize n) {
  World *world = ctx;
  g_byte_array_append(world->written, bytes, (guint)n);
  abacus_hear(&world->abacus, bytes, n);
}

static void take_sample(void *ctx, const AioSample *sample) {
  World *world = ctx;
  world->sample = *sample;
  world->samples++;
}

static void take_event(void *ctx, const AioEvent *event) {
  World *world = ctx;
  world->legs += event->kind == AIO_EVENT_LEG;
  if (event->kind == AIO_EVENT_MOTION_END)
    world->end = event->end;
}

static void take_reply(void *ctx, const AioReply *reply) {
  World *world = ctx;
  world->reply = *reply;
  world->replies++;
  if (reply->description)
    world->description = *reply->description;
}

static const AioSink sink = {take_write, take_sample, take_event, take_reply};

static void world_init(World *world, const AioDriverClass *klass) {
  GError *error = NULL;
  AioArm *arm = load_arm(abacus_arm);
  AioDriverContext context;
  g_assert_true(aio_driver_context_of(&context, arm, &error));
  *world = (World){.now_ns = 1000000000, .written = g_byte_array_new(), .keeps_alive = true};
  abacus_init(&world->abacus);
  world->driver = klass->make(&sink, world, 0x12345678, &context);
  aio_arm_free(arm);
}

static void world_clear(World *world) {
  aio_driver_free(world->driver);
  abacus_clear(&world->abacus);
  g_byte_array_unref(world->written);
}

static void world_pass(World *world, guint ms) {
  for (guint k = 0; k < ms; k++) {
    world->now_ns += 1000000;
    abacus_pass(&world->abacus, 1000);
    if (world->keeps_alive)
      aio_driver_keep_alive(world->driver, world->now_ns + 200000000);
    g_autoptr(GString) answer = g_string_new(world->abacus.answer->str);
    g_string_truncate(world->abacus.answer, 0);
    if (answer->len > 0)
      aio_driver_receive(world->driver, world->now_ns, (const guint8 *)answer->str, answer->len);
    aio_driver_tick(world->driver, world->now_ns);
  }
}

static int world_wait(World *world) {
  for (guint ms = 0; ms < 10000 && world->replies == 0; ms++)
    world_pass(world, 1);
  g_assert_cmpuint(world->replies, ==, 1);
  world->replies = 0;
  return world->reply.code;
}

#define RUN(world, function, ...)                                                                  \
  (aio_driver_##function((world)->driver, 1 __VA_OPT__(, ) __VA_ARGS__), world_wait(world))

/* ---- probing ---- */

/* Whatever a driver sends to find out who is there changes nothing. */
static void test_probing_reads(void) {
  for (gsize k = 0; aio_driver_list[k]; k++) {
    World world;
    const bool is_abacus = aio_driver_list[k] == &abacus_driver;
    world_init(&world, aio_driver_list[k]);
    const int code = RUN(&world, probe);
    g_assert_cmpint(code, ==, is_abacus ? 0 : AIO_REPLY_CODE(AIO_ERROR_TIMEOUT));
    world_pass(&world, 3000);
    g_assert_cmpstr(world.abacus.heard->str, ==, is_abacus ? "who\n" : "");
    g_assert_false(world.abacus.is_on);
    if (is_abacus)
      g_assert_cmpuint(world.written->len, ==, strlen("\nwho\n"));
    world_clear(&world);
  }
}

/* Of the native one: frames of the one request, and nothing between them. */
static void test_native_probe(void) {
  World world;
  WireDecoder decoder;
  WireReceived frame;
  world_init(&world, &aio_driver_native);
  RUN(&world, probe);
  const uint8_t *bytes = world.written->data;
  size_t n = world.written->len;
  guint frames = 0;
  wire_decoder_init(&decoder);
  while (wire_decoder_next(&decoder, &bytes, &n, &frame)) {
    g_assert_cmpint(frame.kind, ==, WIRE_RECEIVED_FRAME);
    g_assert_cmpuint(frame.header.type, ==, WIRE_TYPE_STATE_GET);
    frames++;
  }
  g_assert_cmpuint(frames, >, 0);
  g_assert_cmpuint(wire_counters_rejected(&decoder.counters), ==, 0);
  world_clear(&world);
}

static void test_nobody(void) {
  World world;
  world_init(&world, &abacus_driver);
  world.abacus.is_mute = true;
  g_assert_cmpint(RUN(&world, probe), ==, AIO_REPLY_CODE(AIO_ERROR_TIMEOUT));
  world_clear(&world);
}

/* ---- motion by its own tick ---- */

static void world_arm(World *world) {
  g_assert_cmpint(RUN(world, describe), ==, 0);
  g_assert_cmpint(RUN(world, telemetry, 50.0, 1.0), ==, 0);
  g_assert_cmpfloat(world->reply.telemetry_hz, ==, 50.0);
  g_assert_cmpint(RUN(world, arm, 300), ==, 0);
  g_assert_true(world->abacus.is_on);
  world_pass(world, 50);
}

static void until_end(World *world) {
  world->end = AIO_END_NONE;
  for (guint ms = 0; ms < 20000 && world->end == AIO_END_NONE; ms++)
    world_pass(world, 1);
}

static void test_move(void) {
  World world;
  world_init(&world, &abacus_driver);
  world_arm(&world);
  const AioJointInfo *two = &world.description.joint[1];
  const double unit = ABACUS_SPEED * 2 * G_PI / ABACUS_STEPS / 2;
  g_assert_cmpfloat_with_epsilon(two->speed_unit, unit, 1e-12);
  g_assert_cmpfloat(two->accel_unit, >, 0.0);
  const AioMoveJoint move = {.joint = 2, .q = 0.4, .speed = 0.5, .accel = 3.0};
  g_assert_cmpint(RUN(&world, move, &move, 1), ==, 0);
  g_assert_cmpfloat_with_epsilon(world.reply.speed, round(0.5 / unit) * unit, 1e-12);
  g_assert_cmpfloat(fabs(world.reply.speed - 0.5), >, 1e-3);
  g_assert_cmpfloat_with_epsilon(world.reply.accel / two->accel_unit, round(3.0 / two->accel_unit),
                                 1e-9);
  const gint64 begin_ns = world.now_ns;
  until_end(&world);
  g_assert_cmpint(world.end, ==, AIO_END_DONE);
  g_assert_cmpfloat_with_epsilon(world.sample.q[1], 0.4, 2 * two->quantum);
  g_assert_cmpfloat_with_epsilon(1e-9 * (double)(world.now_ns - begin_ns), 0.4 / world.reply.speed,
                                 0.1);
  /* the sign: its servo turned the other way, twice as far */
  g_assert_cmpfloat_with_epsilon(world.abacus.at[1], 2048 - 0.4 * 2 * ABACUS_STEPS / (2 * G_PI), 2);
  g_assert_cmpfloat(world.abacus.at[0], ==, 2048);
  const AioMoveJoint both[2] = {move, {.joint = 1, .q = 0.1, .speed = 0.5, .accel = 3.0}};
  g_assert_cmpint(RUN(&world, move, both, 2), ==, AIO_REPLY_CODE(AIO_ERROR_REFUSED));
  world_clear(&world);
}

static void test_sweep(void) {
  World world;
  world_init(&world, &abacus_driver);
  world_arm(&world);
  const AioSweep sweep = {.joint = 1, .q0 = -0.3, .q1 = 0.3, .speed = 1, .accel = 3, .passes = 2};
  g_assert_cmpint(RUN(&world, sweep, &sweep), ==, 0);
  until_end(&world);
  g_assert_cmpint(world.end, ==, AIO_END_DONE);
  g_assert_cmpuint(world.legs, ==, 2);
  g_assert_cmpfloat_with_epsilon(world.sample.q[0], -0.3, 0.005);
  world_clear(&world);
}

/* Nobody allows it to go on: the goal runs ahead no more. */
static void test_silence(void) {
  World world;
  world_init(&world, &abacus_driver);
  world_arm(&world);
  const AioMoveJoint move = {.joint = 1, .q = 1.5, .speed = 0.2, .accel = 3.0};
  g_assert_cmpint(RUN(&world, move, &move, 1), ==, 0);
  world_pass(&world, 500);
  const double begin = world.sample.q[0];
  world.keeps_alive = false;
  until_end(&world);
  g_assert_cmpint(world.end, ==, AIO_END_STOP);
  g_assert_cmpfloat(world.sample.q[0], <, begin + 0.2 * (0.2 + 0.3) + 0.02);
  const double end = world.sample.q[0];
  world_pass(&world, 1000);
  g_assert_cmpfloat_with_epsilon(world.sample.q[0], end, 0.01);
  world_clear(&world);
}

/* ---- captures ---- */

static AioCapture *new_capture(const char *path) {
  GError *error = NULL;
  g_unlink(path);
  AioCapture *capture = aio_capture_new(path, &error);
  g_assert_no_error(error);
  return capture;
}

/* Two connections of this driver, three bytes each. */
static void write_capture(const char *path, const char *driver) {
  GError *error = NULL;
  AioArm *arm = load_arm(abacus_arm);
  AioDriverContext context;
  g_assert_true(aio_driver_context_of(&context, arm, &error));
  AioCapture *capture = new_capture(path);
  for (int k = 0; k < 2; k++) {
    g_assert_true(aio_capture_connect(capture, 10, driver, &context, &error));
    g_assert_true(
        aio_capture_write(capture, AIO_CAPTURE_RECEIVED, 20, (const guint8 *)"abc", 3, &error));
  }
  g_assert_true(aio_capture_free(capture, &error));
  aio_arm_free(arm);
}

static void test_capture_names(void) {
  GError *error = NULL;
  g_autofree char *path = g_build_filename(folder, "a.capture", NULL);
  write_capture(path, "abacus");
  AioCaptureReader *reader = aio_capture_reader_new(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(aio_capture_reader_driver(reader), ==, "abacus");
  assert_context(aio_capture_reader_context(reader));
  AioCaptureRecord record;
  for (int k = 0; k < 2; k++) {
    g_assert_true(aio_capture_reader_next(reader, &record));
    g_assert_cmpint(record.direction, ==, AIO_CAPTURE_CONNECTED);
    g_assert_true(aio_capture_reader_next(reader, &record));
    g_assert_cmpmem(record.bytes, record.n, "abc", 3);
  }
  g_assert_false(aio_capture_reader_next(reader, &record));
  g_assert_null(aio_capture_reader_damage(reader));
  aio_capture_reader_free(reader);
}

/* A capture of the native driver is what it was before there was another. */
static void test_native_is_version_1(void) {
  GError *error = NULL;
  g_autofree char *path = g_build_filename(folder, "n.capture", NULL), *bytes = NULL;
  gsize n;
  write_capture(path, "native");
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  g_assert_cmpuint(n, ==, 32 + 2 * (16 + 3 + 4));
  g_assert_cmpint(bytes[8], ==, 1);
  AioCaptureReader *reader = aio_capture_reader_new(path, &error);
  g_assert_cmpstr(aio_capture_reader_driver(reader), ==, "native");
  g_assert_cmpuint(aio_capture_reader_context(reader)->joints, ==, 0);
  aio_capture_reader_free(reader);
}

static void test_unknown_driver(void) {
  GError *error = NULL;
  g_autofree char *path = g_build_filename(folder, "u.capture", NULL);
  write_capture(path, "slide rule");
  g_assert_null(aio_capture_samples_load(path, &error));
  g_assert_nonnull(strstr(error->message, path));
  assert_says(&error, AIO_ERROR_NOT_FOUND,
              "driver: expected one of native, abacus, found \"slide rule\"");
}

static void test_two_drivers(void) {
  GError *error = NULL;
  g_autofree char *path = g_build_filename(folder, "t.capture", NULL);
  AioCapture *capture = new_capture(path);
  const AioDriverContext context = {.joints = 0};
  g_assert_true(aio_capture_write(capture, AIO_CAPTURE_SENT, 1, (const guint8 *)"x", 1, &error));
  g_assert_true(aio_capture_connect(capture, 2, "native", &context, &error));
  g_assert_false(aio_capture_connect(capture, 3, "abacus", &context, &error));
  assert_says(&error, AIO_ERROR_REFUSED,
              "is of the driver \"native\", what comes now of \"abacus\"");
  g_assert_true(aio_capture_free(capture, &error));
}

/* Cut at every byte: refused until the driver is whole, and never read as a native one. */
static void test_cut(void) {
  g_autofree char *path = g_build_filename(folder, "c.capture", NULL), *bytes = NULL;
  gsize n, told = 0;
  write_capture(path, "abacus");
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  g_assert_cmpint(bytes[8], ==, 2);
  for (gsize k = 33; k < n; k++) {
    GError *error = NULL;
    g_assert_true(g_file_set_contents(path, bytes, (gssize)k, NULL));
    AioCaptureReader *reader = aio_capture_reader_new(path, &error);
    g_assert_true((reader == NULL) == (error != NULL));
    if (reader)
      g_assert_cmpstr(aio_capture_reader_driver(reader), ==, "abacus");
    else
      assert_says(&error, AIO_ERROR_MEANING, "expected the driver at the beginning of the capture");
    told += reader != NULL;
    aio_capture_reader_free(reader);
  }
  g_assert_cmpuint(told, >, 20);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  folder = g_dir_make_tmp("armature-registry-XXXXXX", NULL);
  g_test_add_func("/registry/names", test_names);
  g_test_add_func("/registry/choice", test_choice);
  g_test_add_func("/registry/context", test_context);
  g_test_add_func("/registry/wrong-keys", test_wrong_keys);
  g_test_add_func("/registry/probing-reads", test_probing_reads);
  g_test_add_func("/registry/native-probe", test_native_probe);
  g_test_add_func("/registry/nobody", test_nobody);
  g_test_add_func("/registry/move", test_move);
  g_test_add_func("/registry/sweep", test_sweep);
  g_test_add_func("/registry/silence", test_silence);
  g_test_add_func("/registry/capture/names", test_capture_names);
  g_test_add_func("/registry/capture/native", test_native_is_version_1);
  g_test_add_func("/registry/capture/unknown", test_unknown_driver);
  g_test_add_func("/registry/capture/two-drivers", test_two_drivers);
  g_test_add_func("/registry/capture/cut", test_cut);
  const int code = g_test_run();
  g_autofree char *command = g_strdup_printf("rm -rf %s", folder);
  const int removed = system(command);
  g_free(folder);
  return code + removed;
}
