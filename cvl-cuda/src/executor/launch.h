#pragma once

namespace cvl::cuda {

/// Launch parameters for devices of at least a compute capability.
struct LaunchParameters {
  int capability;     ///< 10 * major + minor
  int blocks_per_sm;  ///< limit on the blocks, of 256 threads each, of a kernel over a vector; each block loops over
                      ///< its share
};

/// In ascending order of capability. The figures are estimates, not measured on a device.
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
