"""Recording a trace: guarded values, the tensor `Variable`, the tracer, and the finished `Trace`."""

from guardgen.tracing.trace import Trace, trace

__all__ = ["Trace", "trace"]
