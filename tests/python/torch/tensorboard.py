# What SummaryWriter writes, read record by record. Format: TFRecord; event.proto and summary.proto of TensorBoard.
import math
import os
import struct
import tempfile
import zlib

import torch
from torch.utils.tensorboard import SummaryWriter


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path):
    data, at, found = open(path, "rb").read(), 0, []
    while at < len(data):
        length, head = struct.unpack("<QI", data[at:at + 12])
        assert head == masked(data[at:at + 8])
        body = data[at + 12:at + 12 + length]
        if length < 2000:
            assert struct.unpack("<I", data[at + 12 + length:at + 16 + length])[0] == masked(body)
        found.append(body)
        at += 16 + length
    return found


def fields(message):
    at, found = 0, []
    while at < len(message):
        tag, at = varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(message, at)
        elif kind == 1:
            value, at = struct.unpack("<d", message[at:at + 8])[0], at + 8
        elif kind == 5:
            value, at = struct.unpack("<f", message[at:at + 4])[0], at + 4
        else:
            length, at = varint(message, at)
            value, at = message[at:at + length], at + length
        found.append((tag >> 3, value))
    return found


def varint(message, at):
    shift = value = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def events(folder):
    (name,) = [one for one in os.listdir(folder) if one.startswith("events.out.tfevents.")]
    for record in records(os.path.join(folder, name)):
        event = dict(fields(record))
        if 3 in event:
            print("version", event[3])
            continue
        for _, value in fields(event[5]):
            yield event.get(2, 0), dict(fields(value))


with tempfile.TemporaryDirectory() as folder:
    log = os.path.join(folder, "log")
    with SummaryWriter(log) as writer:
        print(writer.get_logdir() == log)
        for step in range(3):
            writer.add_scalar("loss", 1 / (step + 1), step)
        writer.add_scalar("accuracy", torch.tensor([0.5]), 7, walltime=1.5)
        writer.add_scalar("new", 2.5, new_style=True)
        writer.add_histogram("weights", torch.tensor([0.0, 1.0, 1.0, -2.0]), 1)
        writer.add_text("note", "hello", 2)
        writer.add_image("picture", torch.tensor([[[0.0, 1.0], [0.5, 2.0]]]), 3)
        writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 4)
        writer.add_hparams({"lr": 0.1, "name": "x", "fast": True}, {"hparam/loss": 0.25}, run_name="tuned")
        writer.add_pr_curve("pr", torch.tensor([0, 1, 1]), torch.tensor([0.1, 0.9, 0.4]), num_thresholds=5)
        writer.add_embedding(torch.eye(2), metadata=["one", "two"])
    for step, value in events(log):
        tag = value[1].decode()
        if 2 in value:
            print(step, tag, value[2])
        elif 5 in value:
            parts = dict(fields(value[5]))
            limits = struct.unpack(f"<{len(parts[6]) // 8}d", parts[6])
            counts = struct.unpack(f"<{len(parts[7]) // 8}d", parts[7])
            print(step, tag, [parts[i] for i in range(1, 6)], len(limits) == len(counts), sum(counts), len(counts),
                  counts[0], limits[0] < -1.8, counts[-1], 1 < limits[-1] < 1.1)
        elif 4 in value:
            picture = dict(fields(value[4]))
            png = picture[4]
            print(step, tag, picture[1], picture[2], picture[3], png[:8], png[12:16])
            length = struct.unpack(">I", png[33:37])[0]
            print(list(zlib.decompress(png[41:41 + length])))
        else:
            plugin = dict(fields(dict(fields(value[9]))[1]))
            tensor = dict(fields(value[8])) if 8 in value else {}
            print(step, tag, plugin, {key: tensor[key] for key in tensor if key in (1, 8)})
            if 5 in tensor:
                numbers = struct.unpack(f"<{len(tensor[5]) // 4}f", tensor[5])
                print([round(number, 4) for number in numbers])
    print(sorted(one for one in os.listdir(log) if not one.startswith("events")))
    print(open(os.path.join(log, "00000", "default", "tensors.tsv")).read())
    print(open(os.path.join(log, "projector_config.pbtxt")).read())
    for step, value in events(os.path.join(log, "both_b")):
        print(step, value[1], value[2])
    for step, value in events(os.path.join(log, "tuned")):
        print(value[1].decode(), value.get(2), len(value.get(9, b"")) > 0)

    writer = SummaryWriter(log_dir=os.path.join(folder, "other"))
    for call in (lambda: writer.add_scalar("x", torch.ones(2)), lambda: writer.add_histogram("x", torch.ones(0)),
                 lambda: writer.add_graph(torch.nn.Linear(1, 1)), lambda: writer.add_figure("x", None),
                 lambda: writer.add_hparams([], {})):
        try:
            call()
        except Exception as error:
            print(type(error).__name__, "-", error)
    writer.close()
