#pragma once

// Clang 14 has coroutines, but does not say so in the way that libstdc++ and Boost.Asio ask for. To be included before
// them.
#if defined(__clang__) && __clang_major__ < 15
#define __cpp_impl_coroutine 201902L  // NOLINT(bugprone-reserved-identifier)
#define BOOST_ASIO_HAS_CO_AWAIT 1
#define BOOST_ASIO_HAS_STD_COROUTINE 1
#endif
