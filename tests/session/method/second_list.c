/* SPDX-License-Identifier: MIT */
/* The methods of a program that knows the invented one too, instead of method_list.c. */
#include "second_method.h"

const AseMethod *const ase_method_list[] = {&ase_method_gravity, &ase_method_dynamics,
                                            &second_method, NULL};
const AseMethod *const ase_method_of_sessions = &ase_method_gravity;
