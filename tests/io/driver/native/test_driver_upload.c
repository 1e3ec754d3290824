/* SPDX-License-Identifier: MIT */
/* Parameters: reading, setting, and whole sets over lines that break. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "native_world.h"

static double values[RIG_PARAMS];

static int fresh(void **state) {
  (void)state;
  world_init();
  world_connect();
  return RUN(params_get);
}

#define REFUSED AIO_REPLY_CODE(AIO_ERROR_REFUSED)
#define DEVICE  AIO_REPLY_CODE(AIO_ERROR_DEVICE)

static void new_values(double table) {
  for (guint k = 0; k < RIG_PARAMS; k++)
    values[k] = world.params[k].value;
  for (guint k = 5; k < RIG_PARAMS; k++)
    values[k] = table + k;
}

static void test_all(void **state) {
  (void)state;
  assert_int_equal(world.n_params, RIG_PARAMS);
  assert_int_equal(world.params[0].id, 10);
  assert_string_equal(world.params[0].name, "servo.kp");
  assert_string_equal(world.params[0].unit, "1/s2");
  assert_int_equal(world.params[0].type, AIO_PARAM_FLOAT);
  assert_true(world.params[0].minimum == 0 && world.params[0].maximum == 400);
  assert_true(world.params[0].initial == 100 && world.params[0].value == 100);
  assert_false(world.params[0].is_live || world.params[0].is_read_only);
  assert_true(world.params[1].is_live && world.params[4].is_read_only);
  assert_true(world.params[3].minimum == -10 && world.params[3].type == AIO_PARAM_INT);
  assert_true(world.params[5].maximum == 4294967295.0);
  assert_string_equal(world.params[19].name, "a name of 24 bytes, just");
  assert_string_equal(world.params[19].unit, "12345678");
}

static void test_one(void **state) {
  (void)state;
  assert_int_equal(RUN(param_set, 10, 120.5), 0);
  assert_true(world.params[0].value == 120.5);
  assert_int_equal(RUN(param_set, 13, -7), 0);
  assert_true(world.params[0].value == -7);
  assert_int_equal(RUN(param_set, 12, 70), 0); /* clamped: the value as stored */
  assert_true(world.params[0].value == 50);
  assert_string_equal(world.reply.message, "servo.dt: stored after clamping to the range");
  assert_int_equal(RUN(param_set, 10, INFINITY), 0);
  assert_true(world.params[0].value == 400);
  assert_int_equal(RUN(param_set, 14, 8), DEVICE);
  assert_string_equal(world.reply.message, "serial: unchanged: read-only");
  assert_int_equal(RUN(param_set, 10, NAN), REFUSED);
  assert_string_equal(world.reply.message, "servo.kp: expected a number, found nan");
  assert_int_equal(RUN(param_set, 13, 1.5), REFUSED);
  assert_string_equal(world.reply.message, "trim: expected a whole number of 32 bits, found 1.5");
  assert_int_equal(RUN(param_set, 12, -1), REFUSED);
  assert_string_equal(world.reply.message,
                      "servo.dt: expected a whole number of 32 bits, not negative, found -1");
  assert_int_equal(RUN(param_set, 99, 1), REFUSED);
  assert_string_equal(world.reply.message, "the controller has no parameter 99");
  world_arm(300);
  assert_int_equal(RUN(param_set, 10, 50), DEVICE);
  assert_string_equal(world.reply.message, "servo.kp: unchanged: disarm first");
  assert_int_equal(RUN(param_set, 11, 30), 0); /* live */
}

static void test_upload(void **state) {
  (void)state;
  new_values(4e9);
  values[0] = 12.25;
  values[3] = -3;
  assert_int_equal(RUN(params_upload, values, RIG_PARAMS), 0);
  const guint32 digest = world.reply.digest;
  assert_int_equal(world.reply.stored_digest, digest);
  assert_int_equal(RUN(params_digest), 0);
  assert_int_equal(world.reply.digest, digest);
  assert_int_equal(world.reply.stored_digest, digest);
  assert_int_equal(RUN(params_get), 0);
  for (guint k = 0; k < RIG_PARAMS; k++)
    assert_true(world.params[k].value == values[k]);
  line_reboot(&world.line); /* it lasts */
  world_pass(5);
  world_connect();
  assert_int_equal(world.description.digest, digest);
}

static void test_upload_refused(void **state) {
  (void)state;
  const guint32 before = world.line.rig.device.digest;
  new_values(0);
  assert_int_equal(RUN(params_upload, values, 3), REFUSED);
  assert_string_equal(world.reply.message, "3 values for the 20 parameters of the controller");
  values[2] = 0.5;
  assert_int_equal(RUN(params_upload, values, RIG_PARAMS), REFUSED);
  assert_string_equal(world.reply.message,
                      "servo.dt: expected a whole number of 32 bits, not negative, found 0.5");
  values[2] = 51;
  assert_int_equal(RUN(params_upload, values, RIG_PARAMS), DEVICE);
  assert_string_equal(world.reply.message, "COMMIT refused: a value of the upload is out of the "
                                           "parameter's range: servo.dt must be 1 to 50 ms");
  values[2] = 50;
  world.line.storage.is_failing = true;
  assert_int_equal(RUN(params_upload, values, RIG_PARAMS), DEVICE);
  assert_string_equal(world.reply.message, "COMMIT refused: the parameters could not be stored; "
                                           "the old ones are in force");
  world.line.storage.is_failing = false;
  world_arm(300);
  assert_int_equal(RUN(params_upload, values, RIG_PARAMS), DEVICE);
  assert_string_equal(world.reply.message, "UPLOAD_BEGIN refused: not while armed");
  assert_int_equal(world.line.rig.device.digest, before);
}

/* The k-th exchange of an upload finds the line cut for a while: short enough, and the driver goes
 * on; for good, and it says so with the old set in force. */
static void cut_at(unsigned k, unsigned lost, bool loses_answers, bool may_fail) {
  world_init();
  world_connect();
  assert_int_equal(RUN(params_get), 0);
  new_values(k + 1);
  const guint32 before = world.line.rig.device.digest;
  const guint64 first = world.line.requests, ticket = world_ticket();
  aio_driver_params_upload(world.driver, ticket, values, RIG_PARAMS);
  while (!world.is_answered[ticket] && world.line.requests - first < k)
    world_pass(1);
  if (loses_answers)
    world.line.drop_answers = lost;
  else
    world.line.drop_requests = lost;
  const int code = world_wait(ticket);
  const guint32 after = world.line.rig.device.digest;
  assert_true(code == 0 || may_fail);
  assert_true(code != 0 || after != before);
  assert_true(code == 0 || after == before || loses_answers);
  if (code == 0)
    assert_int_equal(world.reply.digest, after);
  else
    assert_int_equal(code, AIO_REPLY_CODE(AIO_ERROR_TIMEOUT));
  world_free();
}

static void test_upload_over_a_cut_line(void **state) {
  (void)state;
  world_free();
  for (unsigned k = 0; k < 7; k++)
    for (unsigned loses_answers = 0; loses_answers < 2; loses_answers++) {
      cut_at(k, 1, loses_answers, false);
      cut_at(k, k == 4 ? 2 : 8, loses_answers, false); /* 4: COMMIT, then CHECK */
      cut_at(k, 1000, loses_answers, true);
    }
  world_init();
}

static void test_upload_when_the_cable_is_pulled(void **state) {
  (void)state;
  for (unsigned k = 0; k < 5; k++) {
    new_values(100 + k);
    const guint32 before = world.line.rig.device.digest;
    const guint64 first = world.line.requests, ticket = world_ticket();
    aio_driver_params_upload(world.driver, ticket, values, RIG_PARAMS);
    while (world.line.requests - first < k)
      world_pass(1);
    world.line.n = 0;
    aio_driver_disconnected(world.driver);
    assert_int_equal(world_wait(ticket), AIO_REPLY_CODE(AIO_ERROR_GONE));
    assert_string_equal(world.reply.message, "the connection to the controller was lost");
    if (k < 5)
      assert_int_equal(world.line.rig.device.digest, before);
    world_connect();
    assert_int_equal(RUN(params_upload, values, RIG_PARAMS), 0);
    assert_int_equal(world.reply.digest, world.line.rig.device.digest);
  }
}

/* The device has less than the driver believes: it says where it is. */
static void test_upload_resumes_where_the_device_is(void **state) {
  (void)state;
  new_values(7);
  assert_int_equal(RUN(params_upload, values, RIG_PARAMS), 0);
  const guint64 again = world_ticket();
  aio_driver_params_upload(world.driver, again, values, RIG_PARAMS);
  world.line.rig.device.upload_received =
      40; /* as if it had taken these before; they are the same */
  assert_int_equal(world_wait(again), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fresh, world_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_all),
      TEST(test_one),
      TEST(test_upload),
      TEST(test_upload_refused),
      TEST(test_upload_over_a_cut_line),
      TEST(test_upload_when_the_cable_is_pulled),
      TEST(test_upload_resumes_where_the_device_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
