"""What nnscope adds for programs that want more of it; none of them needs it."""
