/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_TTY_PERMISSION_H
#define ARMATURE_IO_TTY_PERMISSION_H

#include "io/error.h"

/* AIO_ERROR_PERMISSION: whose `device` is, and what would let this user in: membership of its
 * group, a new login when that membership is younger than the present one, or an udev rule. */
void aio_tty_set_permission_error(GError **error, const char *device);

#endif
