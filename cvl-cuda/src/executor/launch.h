#pragma once

namespace cvl::cuda {

/// How kernels are launched on devices from a compute capability on.
struct LaunchParameters {
  int capability;     ///< 10 * major + minor
  int blocks_per_sm;  ///< of 256 threads, of a kernel that goes over a vector; more elements are taken in turns
};

/// The last row whose capability the device has. Estimates, to be tuned on devices.
inline constexpr LaunchParameters kLaunchParameters[] = {
    {75, 4}, {80, 8}, {86, 6}, {89, 6}, {90, 16},
};

constexpr LaunchParameters launch_parameters(int capability) {
  LaunchParameters chosen = kLaunchParameters[0];
  for (const LaunchParameters& row : kLaunchParameters)
    if (row.capability <= capability) chosen = row;
  return chosen;
}

}  // namespace cvl::cuda
