/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_TTY_PERMISSION_H
#define ARMATURE_IO_TTY_PERMISSION_H

#include "io/base/error.h"

/* AIO_ERROR_PERMISSION: whose `device` is, and what would let this user in: membership of its
 * group, a new login when that membership is younger than the present one, or an udev rule. */
void aio_tty_set_permission_error(GError **error, const char *device);

/* "sudo usermod -aG dialout anne": what lets this user in from the next login on. g_free. NULL: no
 * group but that of root could be joined. */
char *aio_tty_permission_command(const char *device);

#endif
