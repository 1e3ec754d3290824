/* SPDX-License-Identifier: MIT */
/* Commands to a driver and its answers as values, to hand them from thread to thread. */
#ifndef ARMATURE_IO_COMMAND_H
#define ARMATURE_IO_COMMAND_H

#include <glib.h>
#include <stdbool.h>

#include "io/driver/driver.h"

/* As the functions of AioDriverClass. */
typedef enum {
  AIO_COMMAND_PROBE,
  AIO_COMMAND_DESCRIBE,
  AIO_COMMAND_STATE,
  AIO_COMMAND_TELEMETRY,
  AIO_COMMAND_ARM,
  AIO_COMMAND_DISARM,
  AIO_COMMAND_CLEAR,
  AIO_COMMAND_MOVE,
  AIO_COMMAND_SWEEP,
  AIO_COMMAND_TRAJECTORY_BEGIN,
  AIO_COMMAND_TRAJECTORY_SEGMENT,
  AIO_COMMAND_TRAJECTORY_START,
  AIO_COMMAND_STOP,
  AIO_COMMAND_KILL,
  AIO_COMMAND_PARAMS_GET,
  AIO_COMMAND_PARAM_SET,
  AIO_COMMAND_PARAMS_UPLOAD,
  AIO_COMMAND_PARAMS_DIGEST,
  AIO_COMMAND_TEST
} AioCommandKind;

typedef struct {
  AioCommandKind kind;
  union {
    struct {
      double hz, health_hz;
    } telemetry;
    guint ttl_ms;    /* ARM */
    bool drives_off; /* DISARM */
    guint32 faults;  /* CLEAR */
    struct {
      guint n;
      AioMoveJoint joint[ARM_MAX_JOINTS];
    } move;
    AioSweep sweep;
    guint32 joints;     /* TRAJECTORY_BEGIN: a bit each */
    AioSegment segment; /* TRAJECTORY_SEGMENT */
    struct {
      guint id;
      double value;
    } param; /* PARAM_SET */
    struct {
      guint n;
      const double *values;
    } params; /* PARAMS_UPLOAD */
    AioTest test;
  };
} AioCommand;

/* STOP and KILL. */
bool aio_command_is_emergency(const AioCommand *command);

/* Gives the command to the driver, by the function of the same name. */
void aio_command_run(const AioCommand *command, AioDriver *driver, guint64 ticket);

/* Copies with all they point to; NULL allowed in the free functions. */
AioCommand *aio_command_copy(const AioCommand *command);
void aio_command_free(AioCommand *command);
AioReply *aio_reply_copy(const AioReply *reply);
void aio_reply_free(AioReply *reply);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioReply, aio_reply_free)

#endif
