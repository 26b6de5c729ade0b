#pragma once

namespace cvl::cuda {

/// How kernels are launched on devices of at least this compute capability.
struct LaunchParameters {
  int capability;     ///< 10 * major + minor
  int blocks_per_sm;  ///< most blocks, of 256 threads, of a kernel over a vector: each loops over what is left
};

/// In ascending order of capability. Estimates; nothing has been measured on a device.
inline constexpr LaunchParameters kLaunchParameters[] = {
    {75, 4}, {80, 8}, {86, 6}, {89, 6}, {90, 16}, {100, 16}, {120, 6},
};

/// The last row whose capability the device has.
constexpr LaunchParameters launch_parameters(int capability) {
  LaunchParameters chosen = kLaunchParameters[0];
  for (const LaunchParameters& row : kLaunchParameters)
    if (row.capability <= capability) chosen = row;
  return chosen;
}

}  // namespace cvl::cuda
