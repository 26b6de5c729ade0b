// A replacement of the driver's library. The variables FAKE_CUDA_VERSION (as in 13000) and FAKE_CUDA_DEVICES set its
// facts.

#include <cstdio>
#include <cstdlib>

namespace {

int number(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}
int devices() { return number("FAKE_CUDA_DEVICES", 0); }

}  // namespace

extern "C" {

int cuInit(unsigned) { return devices() == 0 ? 100 : 0; }
int cuDriverGetVersion(int* version) {
  *version = number("FAKE_CUDA_VERSION", 13000);
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = devices();
  return 0;
}
int cuDeviceGetName(char* name, int size, int device) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake %d", device);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 132;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{80} << 30;
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "an error";
  return 0;
}
}
