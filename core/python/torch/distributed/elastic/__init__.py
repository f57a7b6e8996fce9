"""What watches over ranks and starts them anew: `nnscope run --nproc N` starts them. Behaviour: torch/distributed/elastic."""
