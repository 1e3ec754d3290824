// SPDX-License-Identifier: MIT
// A KDL segment is: the joint, then a constant tip, to whose frame the body belongs. Frame i of the
// modified Denavit-Hartenberg row lies in between, so each body is moved to the tip.
#include "kdl_shim.h"

#include <kdl/chain.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct KdlShim {
  KDL::Chain chain;
  std::unique_ptr<KDL::ChainIdSolver_RNE> solver;
  std::vector<KDL::JntArray> q, qd, qdd, tau;
  KDL::Wrenches external;
};

static KDL::Chain make_chain(size_t n, const double (*mdh)[4], const double (*link)[10]) {
  KDL::Chain chain;
  for (size_t i = 0; i < n; i++) {
    const double *l = link[i];
    const KDL::Frame own(KDL::Rotation::RotZ(mdh[i][2]), KDL::Vector(0, 0, mdh[i][3]));
    const KDL::Frame next =
        i + 1 < n ? KDL::Frame(KDL::Rotation::RotX(mdh[i + 1][0]), KDL::Vector(mdh[i + 1][1], 0, 0))
                  : KDL::Frame::Identity();
    const KDL::RigidBodyInertia body(l[0], KDL::Vector(l[1], l[2], l[3]),
                                     KDL::RotationalInertia(l[4], l[5], l[6], l[7], l[8], l[9]));
    chain.addSegment(KDL::Segment(std::to_string(i), KDL::Joint(KDL::Joint::RotZ), own * next,
                                  next.Inverse() * body));
  }
  return chain;
}

static std::vector<KDL::JntArray> make_rows(size_t n, size_t samples, const double *values) {
  std::vector<KDL::JntArray> rows(samples, KDL::JntArray(static_cast<unsigned>(n)));
  for (size_t s = 0; values && s < samples; s++)
    for (size_t i = 0; i < n; i++)
      rows[s](static_cast<unsigned>(i)) = values[s * n + i];
  return rows;
}

extern "C" KdlShim *kdl_shim_new(size_t n, const double (*mdh)[4], const double (*link)[10],
                                 const double gravity[3], size_t samples, const double *q,
                                 const double *qd, const double *qdd) {
  try {
    std::unique_ptr<KdlShim> shim(new KdlShim);
    shim->chain = make_chain(n, mdh, link);
    shim->solver.reset(
        new KDL::ChainIdSolver_RNE(shim->chain, KDL::Vector(gravity[0], gravity[1], gravity[2])));
    shim->q = make_rows(n, samples, q);
    shim->qd = make_rows(n, samples, qd);
    shim->qdd = make_rows(n, samples, qdd);
    shim->tau = make_rows(n, samples, nullptr);
    shim->external.assign(n, KDL::Wrench::Zero());
    return shim.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

extern "C" void kdl_shim_free(KdlShim *shim) {
  delete shim;
}

extern "C" int kdl_shim_torque(KdlShim *shim) {
  int bad = 0;
  for (size_t s = 0; s < shim->q.size(); s++)
    bad |= shim->solver->CartToJnt(shim->q[s], shim->qd[s], shim->qdd[s], shim->external,
                                   shim->tau[s]);
  return bad;
}

extern "C" double kdl_shim_result(const KdlShim *shim, size_t s, size_t i) {
  return shim->tau[s](static_cast<unsigned>(i));
}
