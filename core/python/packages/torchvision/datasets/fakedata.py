"""Random images. Behaviour: torchvision/datasets/fakedata.py."""
import torch

from torchvision import transforms
from torchvision.datasets.vision import VisionDataset


class FakeData(VisionDataset):
    """The image and class of an index are always the same; other random numbers are not touched."""

    def __init__(self, size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, target_transform=None,
                 random_offset=0):
        super().__init__(transform=transform, target_transform=target_transform)
        self.size = size
        self.num_classes = num_classes
        self.image_size = image_size
        self.random_offset = random_offset

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"{type(self).__name__} index out of range")
        state = torch.get_rng_state()
        torch.manual_seed(index + self.random_offset)
        image = torch.randn(*self.image_size)
        target = torch.randint(0, self.num_classes, size=(1,), dtype=torch.long)[0]
        torch.set_rng_state(state)
        image, target = self._transformed(transforms.ToPILImage()(image), target)
        return image, target.item()

    def __len__(self):
        return self.size
