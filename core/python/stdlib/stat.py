"""What st_mode says of a file."""

S_IFDIR, S_IFCHR, S_IFBLK, S_IFREG, S_IFIFO, S_IFLNK, S_IFSOCK = 0o40000, 0o20000, 0o60000, 0o100000, 0o10000, 0o120000, 0o140000
ST_MODE, ST_INO, ST_DEV, ST_NLINK, ST_UID, ST_GID, ST_SIZE, ST_ATIME, ST_MTIME, ST_CTIME = range(10)
S_IRWXU, S_IRUSR, S_IWUSR, S_IXUSR = 0o700, 0o400, 0o200, 0o100
S_IRWXG, S_IRGRP, S_IWGRP, S_IXGRP = 0o70, 0o40, 0o20, 0o10
S_IRWXO, S_IROTH, S_IWOTH, S_IXOTH = 0o7, 0o4, 0o2, 0o1


def S_IMODE(mode):
    """The permissions."""
    return mode & 0o7777


def S_IFMT(mode):
    """The kind of file."""
    return mode & 0o170000


def S_ISDIR(mode):
    """Whether it is a folder."""
    return S_IFMT(mode) == S_IFDIR


def S_ISREG(mode):
    """Whether it is a file."""
    return S_IFMT(mode) == S_IFREG


def S_ISLNK(mode):
    """Whether it is a link."""
    return S_IFMT(mode) == S_IFLNK
