// SPDX-License-Identifier: Apache-2.0
// Of all that our programs take from the C++ library one function is newer than GCC 11's, and only by its version: GCC
// 12 has marked condition_variable::wait as noexcept. BERTH_OLDER_SYSTEMS has the linker send calls of it here, and so
// programs run on systems with the older library, too.
extern "C" {
void older_wait(void* condition, void* lock);
__asm__(".symver older_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void* condition, void* lock);
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void* condition, void* lock) {
  older_wait(condition, lock);
}
}
