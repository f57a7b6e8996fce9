"""Names of the classes of data sets: they come with pretrained weights, which are not here."""
from _stand_in import StandIn

_IMAGENET_CATEGORIES = StandIn("torchvision.models._meta._IMAGENET_CATEGORIES")
_COCO_CATEGORIES = StandIn("torchvision.models._meta._COCO_CATEGORIES")
_COCO_PERSON_CATEGORIES = StandIn("torchvision.models._meta._COCO_PERSON_CATEGORIES")
_COCO_PERSON_KEYPOINT_NAMES = StandIn("torchvision.models._meta._COCO_PERSON_KEYPOINT_NAMES")
_VOC_CATEGORIES = StandIn("torchvision.models._meta._VOC_CATEGORIES")
_KINETICS400_CATEGORIES = StandIn("torchvision.models._meta._KINETICS400_CATEGORIES")
