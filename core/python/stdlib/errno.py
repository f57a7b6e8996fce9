"""Numbers of errors, as Linux has them."""

errorcode = {1: "EPERM", 2: "ENOENT", 3: "ESRCH", 4: "EINTR", 5: "EIO", 9: "EBADF", 11: "EAGAIN", 12: "ENOMEM", 13: "EACCES",
             17: "EEXIST", 18: "EXDEV", 20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL", 24: "EMFILE", 28: "ENOSPC", 29: "ESPIPE",
             30: "EROFS", 32: "EPIPE", 33: "EDOM", 34: "ERANGE", 36: "ENAMETOOLONG", 38: "ENOSYS", 39: "ENOTEMPTY",
             104: "ECONNRESET", 110: "ETIMEDOUT", 111: "ECONNREFUSED"}
globals().update({name: number for number, name in errorcode.items()})
EWOULDBLOCK = 11
