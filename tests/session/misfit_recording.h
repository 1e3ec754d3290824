/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_TESTS_SESSION_MISFIT_RECORDING_H
#define ARMATURE_TESTS_SESSION_MISFIT_RECORDING_H

#include "io/recording/recording.h"
#include "support/faulty.h"

/* Of a PUMA 560 of which everything is known, sound or with one thing wrong, as a file of it would
 * be read for this model. aio_recording_free. */
AioRecording *misfit_recording_new(const Faulty *faulty, const ArmModel *model);

/* Its base leans by 2 deg. */
void misfit_tilt(Faulty *faulty);

#endif
