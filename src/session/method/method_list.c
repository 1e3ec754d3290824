/* SPDX-License-Identifier: MIT */
/* The list, and for which of them a session measures; nothing else, so that a test can link another
 * one. */
#include "session/method/method.h"

const AseMethod *const ase_method_list[] = {&ase_method_gravity, &ase_method_dynamics, NULL};
const AseMethod *const ase_method_of_sessions = &ase_method_gravity;
