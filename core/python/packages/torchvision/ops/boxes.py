"""Boxes (N, 4) of left, upper, right and lower edge. Behaviour: torchvision/ops/boxes.py."""
import torch


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _wide(t):
    """A type in which products of edges fit."""
    if t.is_floating_point():
        return t if t.dtype in (torch.float32, torch.float64) else t.float()
    return t if t.dtype in (torch.int32, torch.int64) else t.int()


def _box_inter_union(boxes1, boxes2):
    least = torch.maximum(boxes1[:, None, :2], boxes2[:, :2])
    most = torch.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
    sides = _wide(most - least).clamp(min=0)
    inter = sides[:, :, 0] * sides[:, :, 1]
    return inter, box_area(_wide(boxes1))[:, None] + box_area(_wide(boxes2)) - inter


def box_iou(boxes1, boxes2):
    """(N, M): what two boxes share, by what they cover together."""
    inter, union = _box_inter_union(boxes1, boxes2)
    return inter / union


def generalized_box_iou(boxes1, boxes2):
    inter, union = _box_inter_union(boxes1, boxes2)
    most, least = torch.maximum(boxes1[:, None, 2:], boxes2[:, 2:]), torch.minimum(boxes1[:, None, :2], boxes2[:, :2])
    sides = _wide(most - least).clamp(min=0)
    hull = sides[:, :, 0] * sides[:, :, 1]
    return inter / union - (hull - union) / hull


def nms(boxes, scores, iou_threshold):
    """Indices of the boxes that no better one covers by more than the threshold, best first."""
    order = torch.argsort(scores, descending=True, stable=True)
    over = (box_iou(boxes[order], boxes[order]) > iou_threshold).tolist()
    kept = []
    for i in range(len(order)):
        if not any(over[j][i] for j in kept):
            kept.append(i)
    return order[torch.tensor(kept, dtype=torch.int64)]


def batched_nms(boxes, scores, idxs, iou_threshold):
    """nms among the boxes of each class."""
    if boxes.numel() == 0:
        return torch.empty((0,), dtype=torch.int64, device=boxes.device)
    apart = idxs.to(boxes) * (boxes.max() + torch.tensor(1).to(boxes))  # classes do not meet
    return nms(boxes + apart[:, None], scores, iou_threshold)


def remove_small_boxes(boxes, min_size):
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return torch.where((wide >= min_size) & (high >= min_size))[0]


def clip_boxes_to_image(boxes, size):
    """size: (height, width)"""
    height, width = size
    made = torch.stack((boxes[..., 0::2].clamp(min=0, max=width), boxes[..., 1::2].clamp(min=0, max=height)), dim=-1)
    return made.reshape(boxes.shape)


def box_convert(boxes, in_fmt, out_fmt):
    """Between xyxy (edges), xywh (corner and sides) and cxcywh (centre and sides). Errors: ValueError for other names."""
    if in_fmt not in ("xyxy", "xywh", "cxcywh") or out_fmt not in ("xyxy", "xywh", "cxcywh"):
        raise ValueError(f"Unsupported Bounding Box Conversions for given in_fmt {in_fmt} and out_fmt {out_fmt}")
    if in_fmt == out_fmt:
        return boxes.clone()
    a, b, c, d = boxes.unbind(-1)
    if in_fmt == "xywh":
        a, b, c, d = a, b, a + c, b + d
    elif in_fmt == "cxcywh":
        a, b, c, d = a - 0.5 * c, b - 0.5 * d, a + 0.5 * c, b + 0.5 * d
    if out_fmt == "xywh":
        a, b, c, d = a, b, c - a, d - b
    elif out_fmt == "cxcywh":
        a, b, c, d = (a + c) / 2, (b + d) / 2, c - a, d - b
    return torch.stack((a, b, c, d), dim=-1)
