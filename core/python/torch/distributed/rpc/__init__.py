"""Calls of functions on other ranks. Behaviour: torch/distributed/rpc. Refused where a name is used: ranks exchange
tensors only."""
from _stand_in import lacking


def is_available():
    """Whether calls of other ranks are built in."""
    return False


__getattr__ = lacking(__name__, "RRef rpc_sync rpc_async remote init_rpc shutdown get_worker_info WorkerInfo functions options "
                      "RpcBackendOptions TensorPipeRpcBackendOptions BackendType PyRRef api constants backend_registry",
                      "nnscope calls no functions on other ranks; collectives and send/recv exchange tensors")
