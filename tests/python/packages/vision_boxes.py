"""Boxes, and images as tensors from files."""
import torch
from torchvision import io, ops

boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 32], [0, 0, 9, 10], [-3, 2, 40, 8]])
scores = torch.tensor([0.9, 0.95, 0.3, 0.5, 0.1])
print(ops.box_area(boxes), ops.box_iou(boxes[:2], boxes))
print(ops.generalized_box_iou(boxes[:2], boxes))
print(ops.nms(boxes, scores, 0.5), ops.nms(boxes, scores, 0.7), ops.batched_nms(boxes, scores, torch.tensor([0, 1, 0, 0, 1]), 0.5))
print(ops.clip_boxes_to_image(boxes, (9, 25))[-1], ops.remove_small_boxes(boxes, 9.5))
for source in ("xyxy", "xywh", "cxcywh"):
    for target in ("xyxy", "xywh", "cxcywh"):
        print(source, target, ops.box_convert(boxes[2:4], source, target))
x = torch.arange(3 * 2 * 4, dtype=torch.uint8).reshape(3, 2, 4)
io.write_png(x, "x.png")
print(torch.equal(io.read_image("x.png"), x), io.read_image("x.png", io.ImageReadMode.GRAY).shape, io.ImageReadMode.RGB)
print(torch.equal(io.decode_image(io.read_file("x.png")), x), torch.equal(io.decode_image(io.encode_png(x[:1])), x[:1]))
