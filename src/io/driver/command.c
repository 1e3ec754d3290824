/* SPDX-License-Identifier: MIT */
#include "io/driver/command.h"

bool aio_command_is_emergency(const AioCommand *command) {
  return command->kind == AIO_COMMAND_STOP || command->kind == AIO_COMMAND_KILL;
}

void aio_command_run(const AioCommand *command, AioDriver *driver, guint64 ticket) {
  switch (command->kind) {
  case AIO_COMMAND_PROBE:
    return aio_driver_probe(driver, ticket);
  case AIO_COMMAND_DESCRIBE:
    return aio_driver_describe(driver, ticket);
  case AIO_COMMAND_STATE:
    return aio_driver_state(driver, ticket);
  case AIO_COMMAND_TELEMETRY:
    return aio_driver_telemetry(driver, ticket, command->telemetry.hz,
                                command->telemetry.health_hz);
  case AIO_COMMAND_ARM:
    return aio_driver_arm(driver, ticket, command->ttl_ms);
  case AIO_COMMAND_DISARM:
    return aio_driver_disarm(driver, ticket, command->drives_off);
  case AIO_COMMAND_CLEAR:
    return aio_driver_clear(driver, ticket, command->faults);
  case AIO_COMMAND_MOVE:
    return aio_driver_move(driver, ticket, command->move.joint, command->move.n);
  case AIO_COMMAND_SWEEP:
    return aio_driver_sweep(driver, ticket, &command->sweep);
  case AIO_COMMAND_TRAJECTORY_BEGIN:
    return aio_driver_trajectory_begin(driver, ticket, command->joints);
  case AIO_COMMAND_TRAJECTORY_SEGMENT:
    return aio_driver_trajectory_segment(driver, ticket, &command->segment);
  case AIO_COMMAND_TRAJECTORY_START:
    return aio_driver_trajectory_start(driver, ticket);
  case AIO_COMMAND_STOP:
    return aio_driver_stop(driver, ticket);
  case AIO_COMMAND_KILL:
    return aio_driver_kill(driver, ticket);
  case AIO_COMMAND_PARAMS_GET:
    return aio_driver_params_get(driver, ticket);
  case AIO_COMMAND_PARAM_SET:
    return aio_driver_param_set(driver, ticket, command->param.id, command->param.value);
  case AIO_COMMAND_PARAMS_UPLOAD:
    return aio_driver_params_upload(driver, ticket, command->params.values, command->params.n);
  case AIO_COMMAND_PARAMS_DIGEST:
    return aio_driver_params_digest(driver, ticket);
  case AIO_COMMAND_TEST:
    return aio_driver_test(driver, ticket, &command->test);
  }
  g_assert_not_reached();
}

AioCommand *aio_command_copy(const AioCommand *command) {
  AioCommand *copy = g_memdup2(command, sizeof *command);
  if (command->kind == AIO_COMMAND_PARAMS_UPLOAD)
    copy->params.values =
        g_memdup2(command->params.values, command->params.n * sizeof *command->params.values);
  return copy;
}

void aio_command_free(AioCommand *command) {
  if (command && command->kind == AIO_COMMAND_PARAMS_UPLOAD)
    g_free((double *)command->params.values);
  g_free(command);
}

AioReply *aio_reply_copy(const AioReply *reply) {
  AioReply *copy = g_memdup2(reply, sizeof *reply);
  copy->description = g_memdup2(reply->description, sizeof *reply->description);
  copy->params = g_memdup2(reply->params, reply->n_params * sizeof *reply->params);
  return copy;
}

void aio_reply_free(AioReply *reply) {
  if (!reply)
    return;
  g_free((AioDescription *)reply->description);
  g_free((AioParam *)reply->params);
  g_free(reply);
}
