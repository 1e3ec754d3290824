/* SPDX-License-Identifier: MIT */
/* From a port, or a simulator inside this program, to a session. What the connection needs while it
 * lasts belongs to the session. */
#ifndef ARMATURE_UI_CONNECTION_H
#define ARMATURE_UI_CONNECTION_H

#include "io/link/ports.h"
#include "session/session.h"

/* The rate of the driver that the session's arm file names, or else of the first that is asked. */
guint aui_connection_baud(AseSession *session);

/* The session's own arm, simulated. `time_factor` >= 1: device time per wall time.
 * false: AIO_ERROR_REFUSED, AIO_ERROR_MEANING (the arm file does not say enough to simulate it),
 * and what ase_session_connect reports. */
bool aui_connect_simulated(AseSession *session, double time_factor, GError **error);

/* false: the errors of aio_link_open, each with its remedy. The same adapter is found again when it
 * was unplugged, by its serial number. */
bool aui_connect_port(AseSession *session, const AioPort *port, guint baud, GError **error);

/* By the name of a device that is not listed, such as a pseudo-terminal. */
bool aui_connect_path(AseSession *session, const char *path, guint baud, GError **error);

/* Anew to what the session was connected to: a simulator of the same speed, or the same port.
 * false: the errors of the function that connected it; AIO_ERROR_REFUSED: it was connected to
 * nothing. */
bool aui_connect_again(AseSession *session, GError **error);

/* To the simulator inside this program. */
bool aui_connection_is_simulated(AseSession *session);

/* Where the session is connected to: "/dev/ttyUSB0, 1000000 baud"; "" for nothing. g_free. */
char *aui_connection_text(AseSession *session);

#endif
