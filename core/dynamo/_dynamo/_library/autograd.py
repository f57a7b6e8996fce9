"""What stands for the context of a torch.autograd.Function while it is traced. Behaviour: torch/_dynamo/variables/misc.py,
class AutogradFunctionContextVariable."""


class FunctionContext:
    def __init__(self, needs_input_grad):
        self.needs_input_grad = needs_input_grad
        self.saved_tensors = ()
        self._not_differentiable = ()

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors):
        pass

    def mark_non_differentiable(self, *args):
        self._not_differentiable = args

    def set_materialize_grads(self, value):
        pass
