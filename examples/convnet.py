"""A small convolutional net with a linear head, which serves exactly the image sizes that its head fits.

The head wants 8 * 16 features of each image, and two poolings leave a quarter of its height and width. So the guard
accepts 16 x 16 pixels, and 19 x 17, and 8 x 32; and any number of images, one or none included.
"""

import torch
from torch import nn

from guardgen import spec


class ConvNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 4, kernel_size=3, padding=1)
        self.second = nn.Conv2d(4, 8, kernel_size=3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(8 * 4 * 4, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.pool(torch.relu(self.first(images)))
        x = self.pool(torch.relu(self.second(x)))
        logits: torch.Tensor = self.head(x.flatten(1))
        return logits


@spec.module(args=lambda: (torch.randn(2, 3, 16, 16),))
def convnet() -> nn.Module:
    return ConvNet().eval()
