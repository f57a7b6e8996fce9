"""Mail: dates and addresses are in email.utils; messages are refused by name. Behaviour: CPython Lib/email."""


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"email.{name}: nnscope reads no messages")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


message_from_string, message_from_bytes, message_from_file, message_from_binary_file = map(
    _refused, ("message_from_string", "message_from_bytes", "message_from_file", "message_from_binary_file"))
