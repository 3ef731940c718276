// SPDX-License-Identifier: 0BSD
//
// Launches that a person wrote. What stands before the configuration may be more than the name of
// one function: a function template or one of several overloads, chosen by the arguments as in any
// call, or a pointer that is known when the program runs.
//
//     scale<<<grid, block>>>(x, 2.0f)      ACCRS_LAUNCH(scale)(grid, block)(x, 2.0f)
#ifndef ACCRS_EMULATION_LAUNCHES_HPP
#define ACCRS_EMULATION_LAUNCHES_HPP

#include "kernel.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace accrs::emulation {

// A kernel whose parameters are known, behind a pointer that is not.
template <class... Parameters> struct PointedLaunch {
    Configuration configuration;
    void (*kernel)(Parameters...);

    void operator()(Parameters... arguments) const
    {
        run(configuration, [called = kernel, arguments...]() ACCRS_UNCHECKED { called(arguments...); });
    }
};

template <class... Parameters>
PointedLaunch<Parameters...> launch_pointed(Configuration configuration, void (*kernel)(Parameters...))
{
    configuration.address = reinterpret_cast<const void *>(kernel);
    return {configuration, kernel};
}

// The parameters that a template has if each is what its argument is.
template <class... Types> struct ParametersOf {
    using Kernel = void (*)(Types...);
};

// A kernel that is found by its arguments. `exact` gives its address where the parameters are exactly
// of their types, `call` calls it.
template <class Exact, class Call> struct FoundLaunch {
    Configuration configuration;
    Exact exact;
    Call call;

    template <class... Arguments> void operator()(Arguments &&...arguments) const
    {
        using Types = ParametersOf<std::decay_t<Arguments>...>;
        Configuration own = configuration;
        if constexpr (std::is_invocable<const Exact &, Types>::value)
            own.address = reinterpret_cast<const void *>(exact(Types{}));
        // Objects that convert to parameters may be gone when work that is late is carried out.
        if constexpr ((std::is_trivially_copyable<std::decay_t<Arguments>>::value && ...)) {
            start<std::decay_t<Arguments>...>(own, arguments...);
        } else {
            const auto body = [&]() ACCRS_UNCHECKED { call(arguments...); };
            run(own, run_threads<decltype(body)>, &body, 0);
        }
    }

private:
    template <class... Kept> void start(const Configuration &own, Kept... arguments) const
    {
        run(own, [called = call, arguments...]() ACCRS_UNCHECKED { called(arguments...); });
    }
};

// A kernel that is known. A call with fewer arguments than parameters is one of the kernel by its name,
// which has the others' default values.
template <class Known, class Found> struct KnownLaunch : Known {
    Found found;

    using Known::operator();
    template <class... Arguments, class = std::enable_if_t<(sizeof...(Arguments) < Known::parameters)>>
    void operator()(Arguments &&...arguments) const
    {
        found(std::forward<Arguments>(arguments)...);
    }
};

// Tells of a launch where streams are traced.
void trace_launch(const char *kernel, cudaStream_t stream);

// Chooses among the ways to name a kernel, in the order of the parameters: the first that is valid.
template <class Constant, class Pointed, class Exact, class Call> struct ChosenLaunch {
    const char *name;
    Constant constant;
    Pointed pointed;
    Exact exact;
    Call call;

    auto operator()(dim3 grid, dim3 block, std::size_t shared = 0, cudaStream_t stream = nullptr) const
    {
        trace_launch(name, stream);
        const Configuration configuration{grid, block, shared, name, nullptr, false, stream};
        using Found = FoundLaunch<Exact, Call>;
        if constexpr (std::is_invocable<const Constant &, Configuration>::value) {
            const auto known = constant(configuration);
            return KnownLaunch<std::remove_const_t<decltype(known)>, Found>{known, {known.configuration, exact, call}};
        } else if constexpr (std::is_invocable<const Pointed &, Configuration>::value) {
            return pointed(configuration);
        } else {
            return Found{configuration, exact, call};
        }
    }
};

template <class Constant, class Pointed, class Exact, class Call>
ChosenLaunch<Constant, Pointed, Exact, Call> choose_launch(const char *name, Constant constant, Pointed pointed, Exact exact,
                                                           Call call)
{
    return {name, constant, pointed, exact, call};
}

// A launch by a call, which gets the arguments by their addresses.
template <class... Parameters, std::size_t... index>
cudaError_t launch_by_call(const Configuration &configuration, void (*kernel)(Parameters...), void **arguments,
                           std::index_sequence<index...>)
{
    static_cast<void>(arguments); // of a kernel without parameters
    launch_pointed(configuration, kernel)(*static_cast<std::remove_cv_t<Parameters> *>(arguments[index])...);
    return cudaPeekAtLastError();
}

} // namespace accrs::emulation

// NOLINTBEGIN: CUDA's names
template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments, std::size_t shared = 0,
                             cudaStream_t stream = nullptr)
{
    const accrs::emulation::Configuration configuration{grid, block, shared, "cudaLaunchKernel", nullptr, false, stream};
    return accrs::emulation::launch_by_call(configuration, kernel, arguments, std::index_sequence_for<Parameters...>{});
}

template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void **arguments,
                                        std::size_t shared = 0, cudaStream_t stream = nullptr)
{
    const accrs::emulation::Configuration configuration{grid, block, shared, "cudaLaunchCooperativeKernel", nullptr, true, stream};
    return accrs::emulation::launch_by_call(configuration, kernel, arguments, std::index_sequence_for<Parameters...>{});
}
// NOLINTEND

// The kernel's name has commas where it is a template's. Nothing is called here but by the last line:
// each of the others is valid or not.
#define ACCRS_LAUNCH(...)                                                                                              \
    accrs::emulation::choose_launch(                                                                                   \
        #__VA_ARGS__,                                                                                                  \
        [&](auto configuration) -> decltype(accrs::emulation::launch<__VA_ARGS__>(configuration)) {                    \
            return accrs::emulation::launch<__VA_ARGS__>(configuration);                                               \
        },                                                                                                             \
        [&](auto configuration) -> decltype(accrs::emulation::launch_pointed(configuration, (__VA_ARGS__))) {          \
            return accrs::emulation::launch_pointed(configuration, (__VA_ARGS__));                                     \
        },                                                                                                             \
        [&](auto types) -> decltype(static_cast<typename decltype(types)::Kernel>(__VA_ARGS__)) {                      \
            return static_cast<typename decltype(types)::Kernel>(__VA_ARGS__);                                         \
        },                                                                                                             \
        [&](auto &...arguments) ACCRS_UNCHECKED -> decltype(void((__VA_ARGS__)(arguments...))) {                       \
            (__VA_ARGS__)(arguments...);                                                                               \
        })

#endif
