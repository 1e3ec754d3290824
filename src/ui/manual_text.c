/* SPDX-License-Identifier: MIT */
/* The manual's text in the sources, so that it is translated with the labels it names and cannot be
 * of another version than the program. "# " begins a head, "* " an item. */
#include <glib/gi18n.h>

#include "ui/manual.h"

static const char *const procedure[] = {
    N_("A calibration finds out what current every motor needs to carry the arm and to overcome "
       "friction, by moving one joint at a time and measuring. It takes about as long as the Plan "
       "page says, and needs no tools."),
    N_("# Before you begin"),
    N_("* Know the volume the arm may use. Nothing outside the ranges that you declare free on the "
       "Plan page is ever commanded."),
    N_("* Take off what does not belong to the arm, or decide that it does: a payload becomes part "
       "of the last link."),
    N_("* Let the arm warm up if it is going to work warm. Cold grease can double the friction."),
    N_("# The seven steps"),
    N_("* Connect: choose a port or the simulator. The arm is checked: pose, limits, faults and "
       "the emergency stop chain."),
    N_("* Arm: compare the description with the machine. Wrong signs and gear ratios are found "
       "here, not later."),
    N_("* Plan: holds and sweeps that tell the parameters apart, with the uncertainty to expect."),
    N_("* Sweep: first everything once, slowly, as a dry run; then the sweeps, from the last joint "
       "to the first."),
    N_("* Fit: parameters with their uncertainty, and what could not be found, with the reason."),
    N_("* Validate: the prediction against sweeps that the fit has not seen."),
    N_("* Export: a file, a header for firmware, a table, a report, or straight into the "
       "controller."),
    N_("The accented button below the steps always does the next thing; it rests for a second "
       "whenever it comes to mean something else. You may also go to any "
       "page at any time; a step that rests on something that has changed is marked stale."),
    N_("A fit is not judged where its sweeps cannot tell whether the model fits: a joint was never "
       "swept, or each hold at one speed only. The step says what to record; its parameters can be "
       "used."),
    N_("Where the arm file does not state all masses, sweeping stops after the first joint, and "
       "the other joints are planned again with what its sweeps showed. Nothing moves by itself: "
       "undo it, or do the dry run of these joints and go on sweeping."),
    NULL};

static const char *const safety[] = {
    N_("An arm that moves by itself can hurt people. The program holds it in many ways; none of "
       "them replaces the emergency stop button and a fence."),
    N_("# Hold and Power off"),
    N_("* Hold, or Esc: the arm decelerates and keeps its pose. Use it when in doubt."),
    N_("* Power off, or Shift+Esc: the drives are off at once. An arm without brakes falls. Use it "
       "when holding would do harm, such as a hand that is trapped."),
    N_("After either, arming is locked for two seconds and has to be done again by hand."),
    N_("# Arming"),
    N_("Arming is a deliberate act: keep the button pressed for a second, with the pointer or with "
       "Space or Enter. Who cannot hold a button activates it, and types the arm's name. The "
       "simulator in this program is armed by a click."),
    N_("Nothing can be armed before there is a plan or a motion to follow. A window whose arm is "
       "armed asks before it closes, and holds the arm first."),
    N_("The arm moves only while it is armed. Arming ends when the arm has not moved for two "
       "minutes, when it is held, and when the link is lost."),
    N_("# When the computer fails"),
    N_("While the arm is armed the program renews a lease many times a second. If the program "
       "hangs, or the cable is pulled, the lease ends, and the controller holds by itself: a "
       "real one within half a second (lease 300 ms), a simulated one within two and a half (lease "
       "2 s)."),
    N_("# When you click elsewhere"),
    N_("Esc reaches this program only while one of its windows has the keyboard. A yellow bar says "
       "when it does not. In the preferences your lab can set a time after which the arm is then "
       "held."),
    NULL};

static const char *const own_motion[] = {
    N_("The arm can follow a motion of your own and record positions, speeds and currents of all "
       "joints on the way: menu, Follow a motion of your own, or Ctrl+M. It needs no plan, and "
       "changes nothing of a calibration."),
    N_("# The file"),
    N_("A CSV with the columns t_s, q1_rad, q2_rad and so on, q3_m for a joint that slides; speeds "
       "(qd1_rad_s) and accelerations (qdd1_rad_s2) where you have them. At rest where it begins "
       "and ends. armature-cli excite designs such motions."),
    N_("# Before it moves"),
    N_("It is held to the ranges that you declared free and to the limits of speed and "
       "acceleration, those of the arm file and those of the controller, at all times and not only "
       "at its samples. What is beyond them is refused, with line, column and limit. One that is "
       "beyond them between two samples by a little is followed up to one percent slower; the page "
       "says so."),
    N_("Limits are those of joints, not obstacles: look where the motion goes."),
    N_("# What is done"),
    N_("Armed as for everything else that moves, the arm goes slowly to where the motion begins, "
       "along it at a tenth of its speed, back, and along it as it is. Watch the slow one. After a "
       "stop, Go on begins with the first of these that was not done."),
    N_("Recorded again, the earlier recording of the same motion counts no more; recordings of "
       "other motions stay. Everything is in the session's file; Samples as CSV writes what was "
       "recorded last for other programs."),
    NULL};

static const char *const plots[] = {
    N_("# Current against position"),
    N_("One curve for each speed and direction. The mean of both directions is gravity; half their "
       "distance is friction. Curves that lie on top of each other at all speeds: friction does "
       "not depend on the speed. Curves that fan out: viscous friction."),
    N_("A thin line is what the model computes. Grey samples are left out of the fit; point at one "
       "to see why."),
    N_("# Speed against position"),
    N_("Flat in the middle, sloping at both ends. Only the flat part, the plateau, is used. A "
       "plateau that waves means that the controller cannot keep this speed."),
    N_("# Residual"),
    N_("Measured minus computed. It should look like noise within the band of two standard "
       "deviations. A slow wave: gravity that the model does not have, such as a cable. A fast "
       "wave: gear teeth or torque ripple. A step: something touched the arm."),
    N_("# Moving around"),
    N_("Turn the wheel to zoom, drag to pan, double-click to see everything again. Arrow keys, + "
       "and - do the same from the keyboard. The menu of a plot shows its table, copies it and "
       "saves it."),
    NULL};

static const char *const figures[] = {
    N_("0.0221(16) A means 0.0221 A with a standard deviation of 0.0016 A. A small ? beside a "
       "figure tells what it is, what it should be and what to do if it is not."),
    N_("* Condition number below 10: the sweeps tell the parameters apart. Above 30: add a pose."),
    N_("* Residual: close to the noise of the current sensor."),
    N_("* Ratio of the error on the Validate page: about 1; above 2 it fails, unless your lab has "
       "set another limit."),
    N_("* Drift below 3 standard deviations: the friction did not change while you measured."),
    N_("Some parameters are marked as not identifiable. That is no fault: a motor current never "
       "shows them, and no prediction needs them."),
    NULL};

static const char *const trouble[] = {
    N_("# The port is not in the list"),
    N_("Pull the plug and put it in again: the list changes within a second. If it does not, the "
       "cable may carry power only."),
    N_("# Permission denied"),
    N_("The package installs a rule that gives the person at the computer access to known "
       "adapters. For others: add yourself to the group dialout, and log in again."),
    N_("# The port is busy"),
    N_("Another program has it open; its name is in the message. Close that program."),
    N_("# No answer"),
    N_("The controller speaks another protocol or rate, or is off. Look at its supply, then at the "
       "firmware it should have."),
    N_("# The arm cannot be armed"),
    N_("The message says why: the emergency stop chain is open, a fault is latched (clear it on "
       "the Connect page once you have read it), Hold was pressed a moment ago, or there is "
       "neither a plan nor a motion yet: an armed arm has something to do."),
    N_("# The arm stopped in the middle"),
    N_("Whatever the reason, nothing is lost. Remove the cause, arm, and press the next button: it "
       "goes on with the sweep that was interrupted."),
    N_("# The fit is poor"),
    N_("See the residual of the joint. Most often it is the sign of a current, a gear ratio, or a "
       "joint of which the name in the recording differs from the one that moved."),
    N_("# The validation failed"),
    N_("The model holds only where it was fitted. Compare the joints; add a hold that differs from "
       "all others, let the arm warm up, and sweep again."),
    NULL};

static const char *const files[] = {
    N_("A session is one file with the ending .armsession: the arm, the plan, everything measured "
       "and every fit. It saves itself; after a crash or a power cut at most the last fraction of "
       "a second is missing."),
    N_("* Save a copy: one complete file to hand on or to keep."),
    N_("* Open: a session, or an arm file, which begins a new session. Files can also be dropped "
       "on the window."),
    N_("* A session that another program is writing, or that cannot be written, is opened for "
       "reading; a bar says so."),
    N_("* A recording in CSV format is opened with a preview of its columns; then the steps from "
       "Fit on work without an arm."),
    N_("Everything can be undone, also another arm file that was taken into the session."),
    NULL};

static const AuiTopic topics[] = {
    {"procedure", N_("How a calibration goes"), procedure},
    {"safety", N_("Safety"), safety},
    {"motion", N_("A motion of your own"), own_motion},
    {"plots", N_("Reading the plots"), plots},
    {"figures", N_("Reading the figures"), figures},
    {"trouble", N_("Errors and remedies"), trouble},
    {"files", N_("Files"), files},
};

const AuiTopic *aui_manual_topic(guint k) {
  return k < G_N_ELEMENTS(topics) ? &topics[k] : NULL;
}
