/* SPDX-License-Identifier: MIT */
/* Keeps the data of a page that shows a fit: computed anew, in a thread, when the session has
 * changed and somebody looks. */
#ifndef ARMATURE_UI_FIT_WATCH_H
#define ARMATURE_UI_FIT_WATCH_H

#include "session/method/swept.h"
#include "session/session.h"

typedef struct AuiFitWatch AuiFitWatch;

/* The session as it is now: its sweeps of this purpose that have ended, what its fit says if it has
 * one. ase_swept_input_free. */
AseSweptInput *aui_fit_input_new(AseSession *session, const AseMeasuring *measuring,
                                 AsePurpose purpose);

/* measuring: of the session's method.
 *   ready  there are other data, or (NULL) none; also called when a computation begins or ends,
 * see aui_fit_watch_is_busy. */
AuiFitWatch *aui_fit_watch_new(AseSession *session, const AseMeasuring *measuring,
                               AsePurpose purpose, void (*ready)(void *ctx), void *ctx);
void aui_fit_watch_free(AuiFitWatch *watch); /* NULL allowed */

/* Something may be different. false: the arm sweeps, nothing is computed now. */
bool aui_fit_watch_update(AuiFitWatch *watch);

/* Borrowed until the next `ready`; NULL: there is nothing to show. */
const AseSwept *aui_fit_watch_data(const AuiFitWatch *watch);
bool aui_fit_watch_is_busy(const AuiFitWatch *watch);

#endif
