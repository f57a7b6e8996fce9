"""Passes one after the other. Behaviour: torch/fx/passes/infra/pass_manager.py."""
import inspect
from functools import wraps

from torch import nn
from torch.fx.graph_module import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

__all__ = ["pass_result_wrapper", "this_before_that_pass_constraint", "PassManager"]


def pass_result_wrapper(fn):
    """A function that changes a module, as a pass that says that it did."""
    if fn is None:
        return None

    @wraps(fn)
    def wrapped_fn(gm):
        result = fn(gm)
        if result is None:
            return PassResult(gm, True)
        if isinstance(result, PassResult):
            return result
        return PassResult(result, True) if isinstance(result, nn.Module) else None

    if not inspect.isfunction(fn):
        wrapped_fn.__name__ = type(fn).__name__
    return wrapped_fn


def this_before_that_pass_constraint(this, that):
    """Says that one pass may not come after the other."""
    def depends_on(a, b):
        return not (a == that and b == this)

    return depends_on


def _validate_pass_schedule_constraint(constraint, passes):
    for place, first in enumerate(passes):
        for later in range(place + 1, len(passes)):
            if not constraint(first, passes[later]):
                raise RuntimeError(f"pass schedule constraint violated. Expected {first} before {passes[later]} but found {first} at index "
                                   f"{place} and {passes[later]} at index{later} in pass list.")


class PassManager:
    """Runs passes in an order that its constraints allow, `steps` times or until none changes anything."""

    def __init__(self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False, suppress_check_failures=False):
        self.passes, self.constraints = passes or [], constraints or []
        self.steps, self._validated = steps or 1, False
        self.run_checks_after_each_pass, self.suppress_check_failures = run_checks_after_each_pass, suppress_check_failures

    def add_pass(self, _pass):
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint):
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self):
        if self._validated:
            return
        for constraint in self.constraints:
            _validate_pass_schedule_constraint(constraint, self.passes)
        self._validated = True

    def solve_constraints(self):
        """Puts the passes into an order that the constraints allow. Errors: RuntimeError  there is none."""
        before = {one: [other for other in self.passes if other is not one
                        and not all(constraint(one, other) for constraint in self.constraints)] for one in self.passes}
        order, waiting = [], list(self.passes)
        while waiting:
            ready = next((one for one in waiting if all(other in order for other in before[one])), None)
            if ready is None:
                circle = "->".join(getattr(one, "__name__", str(one)) for one in waiting)
                raise RuntimeError(f"Circular dependency detected within the following passes: {circle}")
            waiting.remove(ready)
            order.append(ready)
        self.passes, self._validated = order, True

    def add_checks(self, check):
        """A function of a module that raises where something is wrong with it."""
        if list(inspect.signature(check).parameters) != ["module"]:
            raise TypeError("PassManager check function should only take in one variable, a module")
        setattr(self, "check", check)

    def check(self, module):
        pass

    def __call__(self, module):
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        overall = False
        for _ in range(self.steps):
            modified = False
            for number, one in enumerate(self.passes):
                name = one.__name__ if inspect.isfunction(one) else type(one).__name__
                try:
                    result = one(module)
                    if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
                        raise TypeError(f"The result of the pass {name} should be type PassResult. Please wrap it with "
                                        "pass_result_wrapper()")
                    module, modified = result.graph_module, modified or result.modified
                    if isinstance(module, GraphModule):
                        module.recompile()
                    if self.run_checks_after_each_pass:
                        self.check(module)
                except Exception as error:
                    done = [getattr(other, "__name__", type(other).__name__) for other in self.passes[:number]]
                    raise Exception(f"An error occurred when running the '{name}' pass after the following passes: {done}") from error
            overall = overall or modified
            if not modified:
                break
        return PassResult(module, overall)
