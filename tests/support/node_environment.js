// Tests as WebAssembly see the environment that Node was started with, as native ones do.
Module['preRun'] = () => Object.assign(ENV, process.env);
