"""Domains whose depth is a formula, so that what grows in them can be judged exactly."""

from dataclasses import dataclass

import numpy as np


class AnalyticProbe:
    """Answers by a depth formula; samples by rejection from the bounds."""

    bounds: np.ndarray

    def depth(self, points):
        raise NotImplementedError

    def inside(self, points):
        return self.depth(points) >= 0

    def sample(self, count, random):
        found = np.empty((0, 3))
        while len(found) < count:
            points = random.uniform(self.bounds[0], self.bounds[1], size=(2 * count + 16, 3))
            found = np.concatenate([found, points[self.inside(points)]])
        return found[:count]


@dataclass
class BoxProbe(AnalyticProbe):
    size: tuple[float, float, float]

    @property
    def bounds(self):
        half = np.asarray(self.size) / 2
        return np.stack([-half, half])

    def depth(self, points):
        beyond = np.abs(points) - np.asarray(self.size) / 2
        outside = np.linalg.norm(np.maximum(beyond, 0), axis=1)
        return -(outside + np.minimum(beyond.max(axis=1), 0))


@dataclass
class CylinderProbe(AnalyticProbe):
    radius: float
    height: float

    @property
    def bounds(self):
        high = np.array([self.radius, self.radius, self.height / 2])
        return np.stack([-high, high])

    def depth(self, points):
        beyond = np.stack(
            [np.linalg.norm(points[:, :2], axis=1) - self.radius, np.abs(points[:, 2]) - self.height / 2], axis=1
        )
        outside = np.linalg.norm(np.maximum(beyond, 0), axis=1)
        return -(outside + np.minimum(beyond.max(axis=1), 0))
