"""SummaryWriter. Behaviour: torch/utils/tensorboard/writer.py."""
import os
import time

from torch.utils.tensorboard import _messages, summary
from torch.utils.tensorboard._records import EventFile


class FileWriter:
    """Writes events into one file of a folder."""

    def __init__(self, log_dir, max_queue=10, flush_secs=120, filename_suffix=""):
        self.event_writer = EventFile(log_dir, filename_suffix)

    def get_logdir(self):
        return self.event_writer._log_dir

    def add_summary(self, summary, global_step=None, walltime=None):
        """`summary`: bytes of a Summary."""
        moment = time.time() if walltime is None else walltime
        self.event_writer.add(_messages.event(moment, global_step, summary=summary))

    def flush(self):
        self.event_writer.flush()

    def close(self):
        self.event_writer.close()

    def reopen(self):
        raise NotImplementedError("FileWriter.reopen: nnscope goes on in no file that was closed")


def _refuse(name, why):
    raise NotImplementedError(f"SummaryWriter.{name}: {why}")


class SummaryWriter:
    """Writes curves, distributions, pictures, sounds and texts of a run.

    `log_dir`: runs/<month><day>_<hour>-<minute>-<second>_<machine><comment> where none is given."""

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            import socket
            from datetime import datetime
            moment = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{moment}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step, self.max_queue, self.flush_secs = log_dir, purge_step, max_queue, flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer = self.all_writers = None
        self._get_file_writer()
        self.default_bins = summary.default_bins()

    def _get_file_writer(self):
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
        return self.file_writer

    def get_logdir(self):
        return self.log_dir

    def _add(self, made, global_step, walltime):
        self._get_file_writer().add_summary(made, None if global_step is None else int(global_step), walltime)

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """A point of a curve."""
        self._add(summary.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision), global_step,
                  walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Points of several curves, each of which gets a folder and a file of its own."""
        moment = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        for tag, number in tag_scalar_dict.items():
            own = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if own not in self.all_writers:
                self.all_writers[own] = FileWriter(own, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers[own].add_summary(summary.scalar(main_tag, number),
                                              None if global_step is None else int(global_step), moment)

    def add_tensor(self, tag, tensor, global_step=None, walltime=None):
        self._add(summary.tensor(tag, tensor), global_step, walltime)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """How values are distributed."""
        self._add(summary.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None,
                          walltime=None):
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        self._add(summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts), global_step,
                  walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture: uint8, or numbers between 0 and 1."""
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Pictures as one, in rows of eight."""
        if isinstance(img_tensor, list):
            if dataformats not in ("CHW", "HWC"):
                raise ValueError("dataformats must be 'CHW' or 'HWC'")
            import torch
            img_tensor = torch.stack([summary.tensor_of(one) for one in img_tensor])
            dataformats = "N" + dataformats
        self._add(summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(self, tag, img_tensor, box_tensor, global_step=None, walltime=None, rescale=1,
                             dataformats="CHW", labels=None):
        _refuse("add_image_with_boxes", "nnscope draws no boxes; add_image is there")

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        _refuse("add_figure", "there is no matplotlib in nnscope; add_image is there")

    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None):
        _refuse("add_video", "nnscope makes no videos; add_images is there")

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        """Sound between -1 and 1."""
        self._add(summary.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        self._add(summary.text(tag, text_string), global_step, walltime)

    def add_onnx_graph(self, prototxt):
        _refuse("add_onnx_graph", "nnscope reads no ONNX")

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        _refuse("add_graph", "nnscope makes no graphs of TorchScript")

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default", metadata_header=None):
        """Points with many coordinates, as tables beside the file of events."""
        if label_img is not None:
            _refuse("add_embedding(label_img=...)", "nnscope makes no sheets of pictures")
        points = summary.tensor_of(mat)
        if points.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        step = 0 if global_step is None else int(global_step)
        inside = f"{step:05d}/{tag.replace('%', '%25').replace('/', '%2f').replace(chr(92), '%5c')}"
        folder = os.path.join(self._get_file_writer().get_logdir(), inside)
        os.makedirs(folder, exist_ok=True)
        if metadata is not None:
            if points.shape[0] != len(metadata):
                raise AssertionError("#labels should equal with #data points")
            rows = [str(one) for one in metadata]
            if metadata_header:
                rows = ["\t".join(str(one) for one in row) for row in (metadata_header, *metadata)]
            with open(os.path.join(folder, "metadata.tsv"), "w") as file:
                file.writelines(row + "\n" for row in rows)
        with open(os.path.join(folder, "tensors.tsv"), "w") as file:
            file.writelines("\t".join(str(number) for number in row) + "\n" for row in points.tolist())
        lines = ["embeddings {", f'tensor_name: "{tag}:{step:05d}"', f'tensor_path: "{inside}/tensors.tsv"']
        if metadata is not None:
            lines.append(f'metadata_path: "{inside}/metadata.tsv"')
        self._projector_config = getattr(self, "_projector_config", "") + "\n".join([*lines, "}"]) + "\n"
        with open(os.path.join(self._get_file_writer().get_logdir(), "projector_config.pbtxt"), "w") as file:
            file.write(self._projector_config)

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """Precision over recall."""
        self._add(summary.pr_curve(tag, labels, predictions, num_thresholds, weights), global_step, walltime)

    def add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts, true_negative_counts,
                         false_negative_counts, precision, recall, global_step=None, num_thresholds=127, weights=None,
                         walltime=None):
        self._add(summary.pr_curve_raw(tag, true_positive_counts, false_positive_counts, true_negative_counts,
                                       false_negative_counts, precision, recall, num_thresholds, weights), global_step,
                  walltime)

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """What was set, and what came of it: a run of its own below this one's folder."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        made = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as inner:
            for one in made:
                inner.file_writer.add_summary(one, global_step)
            for tag, number in metric_dict.items():
                inner.add_scalar(tag, number, global_step)

    def add_custom_scalars(self, layout):
        _refuse("add_custom_scalars", "nnscope writes no layouts of charts")

    add_custom_scalars_multilinechart = add_custom_scalars_marginchart = add_custom_scalars

    def add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None):
        _refuse("add_mesh", "nnscope writes no meshes")

    def flush(self):
        if self.all_writers is not None:
            for writer in self.all_writers.values():
                writer.flush()

    def close(self):
        if self.all_writers is not None:
            for writer in self.all_writers.values():
                writer.flush()
                writer.close()
            self.file_writer = self.all_writers = None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()
