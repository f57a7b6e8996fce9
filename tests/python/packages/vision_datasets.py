"""Data sets of torchvision from files that lie in its folders."""
import base64
import gzip
import os
import pickle
import struct
import zlib

import torch
from PIL import Image
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

CIFAR_BATCH = zlib.decompress(base64.b64decode(
    "eNrt2VdTE1EchvElFCWgiGDvihpbFHvvlShqbGtB3GxWQUPgJBsVKzWAnSIgVlARUQEBu+CMfjBdoxevM7433jlzfs9McuYku5urzPznFNkuCsWhJiiK4tFMPSfbp3kMn4hSo6yds8Kmxlnvkb2giM4SMQ5XtCvWUGOsXa9maiJW94fyCgqden7AcOaFfGauFghohfbsgKHn+4NmIKSbdhH361t2v/fXp2KASykXA/VsPd9r6EG74f+5sIv4yGM9wv77sWauP10khEWiWwyqEIPdIsnhinLZdiiJYTHk9z29ZmGBdWmyarMuCaWLoVWVFSLFLVKtnxq53QUxLDMzM+O7JfLiUkwx3FOVE68qacofooANRIMYEAviwAAwEMQDO0gAiWAQGAySwBCQDIaCFJAKhoHhYAQYCUaB0WAMGAvGgfFgApgIJoHJYApIA1PBNDAdOMAMMBPMArPBHOAEc8E8kA7mgwVgIVgEFoMlYClYBpaDFWAlWAVWgzVgLVgH1oMNYCPYBDaDLWAr2AYygAtsBztAJtgJdoHdwA32gL1gH9gPDgAVHASHwGFwBGSBoyAbHAMa8AAdeIEBjoMTIAfkgpPgFPCBPOAH+aAACBAAQWCCEDgNzoCzoBCcA+fBBXARXAKXwdciUjGphFRKKiOVk8KkClIlqYp0hXSVdI10nXSDdJN0i1RNqiHVkupIt0n1pAZSI+kOqYl0l3SPdJ/0gPSQ9IjUTGohPSY9IT0ltZKekdpIz0ntpBekl6RXpA5SJ6mL9JrUTeoh9ZLekN6S3pHekz6QPpI+kT6T+kj9pC9/71sRqZhUQiollZHKSWFSBamSVEW6QrpKuka6TrpBukm6Raom1ZBqSXWk26R6UgOpkXSH1ES6S7pHuk96QHpIekRqJrWQHpOekJ6SWknPSG2k56R20gvSS9IrUgepk9RFek3qJvWQeklvSG9J70jvSR9IH0mfSJ9JfaR+0pe/J+cpOU/JeUrOU3KekvOUnKfkPCXnKTlPyXlKzlNynvq3eUqep8vzdHmeLs/T/5fzdDEiJyEsRrrFKFOM9qjx1t/W8Vyf4dfyjKAYkyXGOtRYa09zFvhPiHGRtSeyHm+EnD8AHFzx2g=="))


def attempt(action):
    try:
        print("no error", action())
    except Exception as e:
        print(type(e).__name__, e)


def idx(values, *sizes):
    return struct.pack(f">HBB{len(sizes)}I", 0, 8, len(sizes), *sizes) + bytes(values)


attempt(lambda: datasets.MNIST("data"))
os.makedirs("data/MNIST/raw")
with open("data/MNIST/raw/train-images-idx3-ubyte", "wb") as f:
    f.write(idx([i * 7 % 256 for i in range(5 * 28 * 28)], 5, 28, 28))
with open("data/MNIST/raw/train-labels-idx1-ubyte", "wb") as f:
    f.write(idx([5, 0, 4, 1, 9], 5))
with gzip.open("data/MNIST/raw/t10k-images-idx3-ubyte.gz", "wb") as f:
    f.write(idx([i % 256 for i in range(2 * 28 * 28)], 2, 28, 28))
with gzip.open("data/MNIST/raw/t10k-labels-idx1-ubyte.gz", "wb") as f:
    f.write(idx([7, 2], 2))
transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))])
train = datasets.MNIST("data", train=True, download=True, transform=transform)
test = datasets.MNIST("data", train=False, transform=transform, target_transform=lambda y: y + 1)
print(train)
print(test.extra_repr(), len(test), test.data.shape, test.targets, test[1][1], train.class_to_idx["7 - seven"], train.raw_folder)
image, label = datasets.MNIST("data")[2]
print(image.mode, image.size, label, image.getpixel((3, 1)), train[2][0].shape, train[2][0].dtype)
print([(x.shape, y) for x, y in DataLoader(train, batch_size=2)])
with open("data/MNIST/raw/train-labels-idx1-ubyte", "wb") as f:
    f.write(idx([5, 0], 5))
attempt(lambda: datasets.MNIST("data"))
print(datasets.FashionMNIST.classes[9], datasets.KMNIST.classes[3], datasets.EMNIST.classes_split_dict["letters"][:3])
attempt(lambda: datasets.EMNIST("data", "x"))

attempt(lambda: datasets.CIFAR10("data"))
os.makedirs("data/cifar-10-batches-py")
for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    with open("data/cifar-10-batches-py/" + name, "wb") as f:
        f.write(CIFAR_BATCH)
with open("data/cifar-10-batches-py/batches.meta", "wb") as f:
    pickle.dump({"label_names": ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]}, f)
cifar = datasets.CIFAR10("data", train=True, transform=transforms.ToTensor())
print(cifar, cifar.data.shape, cifar.data.dtype, cifar.targets, cifar.classes[:3], cifar.class_to_idx["truck"])
print(cifar[1][0][:, 3, 5] * 255, cifar[1][1], datasets.CIFAR10("data", train=False)[0][0].getpixel((5, 3)))
with open("data/cifar-10-batches-py/test_batch", "wb") as f:
    f.write(b"cos\nsystem\n(S'echo'\ntR.")
attempt(lambda: datasets.CIFAR10("data", train=False))

fake = datasets.FakeData(3, (3, 8, 6), num_classes=4, transform=transforms.ToTensor())
torch.manual_seed(0)
print(fake, [(x.shape, y) for x, y in fake] if False else [fake[i][1] for i in range(3)], fake[1][0].mean(), torch.rand(1))
attempt(lambda: fake[3])

attempt(lambda: datasets.ImageFolder("data/pictures"))
for folder, color in (("cat", "red"), ("dog", "blue"), ("ant", "white")):
    os.makedirs("data/pictures/" + folder)
    for i in range(2):
        Image.new("RGB", (4 + i, 3), color).save(f"data/pictures/{folder}/{i}.png")
with open("data/pictures/ant/notes.txt", "w") as f:
    f.write("no picture")
pictures = datasets.ImageFolder("data/pictures", transform=transforms.ToTensor())
print(pictures, pictures.classes, pictures.class_to_idx, pictures.samples, pictures.targets)
print(pictures[3][0].shape, pictures[3][0][:, 0, 0], pictures[3][1], pictures.imgs is pictures.samples)
os.makedirs("data/pictures/bee")
attempt(lambda: datasets.ImageFolder("data/pictures"))
attempt(lambda: datasets.ImageFolder("data/MNIST/raw"))
own = datasets.DatasetFolder("data/pictures", loader=lambda path: os.path.basename(path), extensions=(".txt",), allow_empty=True)
print(own.samples, own[0])
try:
    datasets.CelebA("data")
except ModuleNotFoundError as e:
    print(e)
