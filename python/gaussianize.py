"""Reads gaussianize model files and computes with them. Needs numpy; takes torch tensors too.

    from gaussianize import load

    density = load("kodak16-gdn.safetensors")
    x = density.sample(25, seed=7)             # 25 patches, one per row
    density.log_prob(x)                        # log p(x) of each patch, in nats
    density.score(x)                           # the gradient of log p(x) by x
    y, log_det = density.gaussianize(x)        # y = g(x) is standard normal; log |det dy/dx|
    density.synthesize(y)                      # x again

    image = density.pixels(rgb)                # height × width × 3 bytes → values of the model
    density.log_prob(density.patches(image, stride=8))

A model of whole images takes one image (height × width) instead of rows. With a torch tensor,
`log_prob`, `score` and `gaussianize` return torch tensors, and autograd works through them.

A mixture has `log_prob`, `score`, `responsibilities` and `sample`, but no single y = g(x).

One layer of generalized divisive normalization (Ballé, Laparra & Simoncelli, ICLR 2016, eq. 5):

    z = H x,   D_i = β_i + Σ_j γ_ij |z_j|^α_ij,   y_i = z_i / D_i^ε_i
    M_ij = ε_i α_ij γ_ij |z_j|^α_ij / D_i
    log |det ∂y/∂x| = log |det H| − Σ_i ε_i log D_i + log det(I − M)
"""

import json
import sys

import numpy as np

__all__ = ["Density", "Mixture", "load"]

#: Numbers in the largest temporary array of a batch: 64 MB of Float64.
_MOST_NUMBERS = 2**23


def load(path):
    """Returns the density in a model file (.safetensors) that gaussianize has written."""
    with open(path, "rb") as file:
        content = file.read()
    try:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        metadata = header.pop("__metadata__")
        is_model = metadata["format"] == "gaussianize"
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        is_model = False
    if not is_model:
        raise ValueError(
            f"{path} is not a gaussianize model; expected a .safetensors file that gaussianize wrote"
        )
    if metadata["version"] != "1":
        raise ValueError(f"{path} has version {metadata['version']}; expected version 1")
    types = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I32": "<i4"}
    tensors = {}
    end = 8 + length + max((tensor["data_offsets"][1] for tensor in header.values()), default=0)
    if len(content) != end:
        raise ValueError(f"{path} is damaged: expected {end} bytes but received {len(content)}")
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        data = content[8 + length + begin : 8 + length + end]
        values = np.frombuffer(data, types[tensor["dtype"]]).reshape(tensor["shape"])
        tensors[name] = values if tensor["dtype"] == "I32" else values.astype(float)
    about = {key: json.loads(text) for key, text in metadata.items() if key not in _NOT_JSON}
    transform = about.pop("transform")
    try:
        return (Mixture if transform["kind"] in _MIXTURES else Density)(transform, tensors, about)
    except KeyError as missing:
        reason = f"{missing} is missing or unknown"
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"{path} is not a valid model: {reason}")


_NOT_JSON = ("format", "version")
_MIXTURES = ("mixture", "symmetric-mixture")


class Density:
    """The density of a model: of patches (or any vectors), or of whole images."""

    def __init__(self, transform, tensors, about=None, first=0):
        #: What the file says about the model: "name", "patch", "preprocessing", "figures" …
        self.about = about or {}
        #: Side of a block of pixels of a whole-image model; None for models of patches.
        self.stride = transform.get("stride")
        records = transform.get("stages", [transform])
        self.stages = []
        for k, record in enumerate(records, first):
            prefix = f"stages.{k}."
            values = {
                name[len(prefix) :]: value
                for name, value in tensors.items()
                if name.startswith(prefix)
            }
            self.stages.append(_KINDS[record["kind"]](record, values))
        #: Values of a sample; of a whole-image model, of one location: stride².
        self.dimension = self.stages[0].dimension

    def gaussianize(self, x):
        """Returns y = g(x) and log |det ∂y/∂x|: of each row, or of one image."""
        x, restore = self._input(x)
        log_det = 0
        for stage in self.stages:
            x, part = stage.gaussianize(x)
            log_det = log_det + part
        return restore(x), log_det if self.stride is None else log_det.sum()

    def log_prob(self, x):
        """Returns log p(x) in nats: of each row, or of one image."""
        y, log_det = self.gaussianize(x)
        n = y.shape[-1] if self.stride is None else y.shape[0] * y.shape[1]
        energy = (y**2).sum(-1) if self.stride is None else (y**2).sum()
        return -0.5 * energy - n / 2 * np.log(2 * np.pi) + log_det

    def score(self, x):
        """Returns the gradient of log p(x) by x, in the shape of x."""
        if _is_torch(x):
            torch = sys.modules["torch"]
            x = x.detach().requires_grad_()
            return torch.autograd.grad(self.log_prob(x).sum(), x)[0]
        x, restore = self._input(x)
        inputs = [x]
        for stage in self.stages:
            inputs.append(stage.gaussianize(inputs[-1])[0])
        gradient = inputs.pop()  # of ½‖y‖² by y
        for stage in reversed(self.stages):
            gradient = stage.backpropagate(inputs.pop(), gradient)
        return -restore(gradient)

    def synthesize(self, y):
        """Returns x with g(x) = y."""
        x, restore = self._input(y)
        for stage in reversed(self.stages):
            x = stage.synthesize(x)
        return restore(x)

    def sample(self, count=1, seed=None, size=None):
        """Draws patches, one per row; or, from a whole-image model, images of size (height, width).

        numpy's random numbers are not those of `gaussianize sample`: the same seed gives other
        samples of the same density.
        """
        _require_count(count)
        random = np.random.default_rng(seed)
        if self.stride is None:
            return self.synthesize(random.standard_normal((count, self.dimension)))
        if size is None:
            raise ValueError("size must be (height, width) for a model of whole images")
        return np.stack([self.synthesize(random.standard_normal(size)) for _ in range(count)])

    def pixels(self, rgb, seed=None):
        """Turns bytes (height × width, or height × width × 3) into the values of the model.

        Adds the noise of the fit: dequantisation noise and white noise, if the model uses them.
        Raises ValueError for other types than uint8, whose white is not known.
        """
        rgb = np.asarray(rgb)
        if rgb.dtype != np.uint8:
            raise ValueError(
                f"expected bytes (uint8) from 0 to 255 but received {rgb.dtype}; "
                "if 1 is white, pass (255 * rgb).round().astype('uint8')"
            )
        if rgb.ndim not in (2, 3) or (rgb.ndim == 3 and rgb.shape[2] not in (3, 4)):
            raise ValueError(
                f"expected the shape (height, width) or (height, width, 3) but received {rgb.shape}"
            )
        random = np.random.default_rng(seed)
        reading = self.about.get("preprocessing", {})
        values = self._luminance(rgb)
        if reading.get("dequantization") == "uniform":
            code = np.searchsorted(self._decoded((np.arange(1, 256) - 0.5) / 255), values, "right")
            lower, upper = self._decoded(code / 256), self._decoded((code + 1) / 256)
            values = lower + random.random(values.shape) * (upper - lower)
        return values + reading.get("noiseLevel", 0) * random.standard_normal(values.shape)

    def patches(self, image, stride=1):
        """Cuts the patches of the model out of an image, one per row, `stride` pixels apart."""
        patch = self.about["patch"]
        shape = (patch["height"], patch["width"])
        windows = np.lib.stride_tricks.sliding_window_view(image, shape)[::stride, ::stride]
        x = windows.reshape(-1, shape[0] * shape[1])
        # Patches without their mean lose their last pixel, which the others determine.
        return (x - x.mean(1, keepdims=True))[:, :-1] if patch.get("removeMean") else x

    def _luminance(self, rgb):
        values = self._decoded(rgb / 255)
        if values.ndim == 2:
            return values
        return values[..., :3] @ np.array(
            [0.2126, 0.7152, 0.0722] if self._is_linear() else [0.299, 0.587, 0.114]
        )

    def _is_linear(self):
        return self.about.get("patch", {}).get("luminance", "grey") == "linear"

    def _decoded(self, v):
        """Converts sRGB codes to linear light if the model uses linear light."""
        if not self._is_linear():
            return v
        return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)

    def _input(self, x):
        """Returns rows (or a field rows × columns × N), and the way back to the shape of x."""
        if not _is_torch(x):
            x = np.asarray(x, float)
        s, n = self.stride, self.dimension
        if s is None:
            if x.ndim not in (1, 2) or x.shape[-1] != n:
                raise ValueError(f"expected rows of {n} values but received the shape {x.shape}")
            return x.reshape(-1, n), lambda rows: rows.reshape(x.shape)
        if x.ndim != 2 or x.shape[0] % s or x.shape[1] % s:
            raise ValueError(
                f"expected an image whose sides are multiples of {s} but received {x.shape}"
            )
        rows, columns = x.shape[0] // s, x.shape[1] // s
        field = _swap(x.reshape(rows, s, columns, s)).reshape(rows, columns, n)
        return field, lambda y: _swap(y.reshape(rows, columns, s, s)).reshape(x.shape)


class Mixture(Density):
    """The density p(x) = Σ w q(g x) of a mixture: of components, in poses g of a square patch.

    Raises ValueError if a row has no density under one of the components.
    """

    def __init__(self, transform, tensors, about=None):
        self.about = about or {}
        self.stride = None
        self._count = {"stages": 0, "mixtures": 0}
        #: Weight, pose (None for the identity) and density of each component in each pose.
        self.leaves = self._leaves(transform, tensors)
        self.dimension = self.leaves[0][2].dimension

    def _leaves(self, record, tensors):
        if record["kind"] not in _MIXTURES:
            first = self._count["stages"]
            self._count["stages"] += len(record.get("stages", [record]))
            return [(1.0, None, Density(record, tensors, first=first))]
        index = self._count["mixtures"]
        self._count["mixtures"] += 1
        if record["kind"] == "mixture":
            weights = self._weights(f"mixtures.{index}.weights", record, tensors)
            return [
                (w * inner, pose, density)
                for w, component in zip(weights, record["components"])
                for inner, pose, density in self._leaves(component, tensors)
            ]
        leaves = self._leaves(record["density"], tensors)
        n = record["side"] ** 2 - int(record["removeMean"])
        if leaves[0][2].dimension != n:
            raise ValueError(
                f"expected a density of {n} values for the side {record['side']} "
                f"but received {leaves[0][2].dimension}"
            )
        poses = [_Pose(record["side"], record["removeMean"], k) for k in range(8)]
        return [
            (w / 8, pose.then(inner), density) for pose in poses for w, inner, density in leaves
        ]

    @staticmethod
    def _weights(name, record, tensors):
        """Returns the weights of a mixture, checked and divided by their sum."""
        weights, count = tensors[name], len(record["components"])
        if weights.shape != (count,):
            raise ValueError(f"expected {name} to hold {count} values but received {weights.size}")
        # Float32 rounds each weight to 24 bits.
        if not ((weights > 0).all() and abs(weights.sum() - 1) <= 1e-6):
            raise ValueError(
                f"expected {name} to be positive and to sum to 1 but received {weights.tolist()}"
            )
        return weights / weights.sum()

    def _terms(self, x):
        """Returns log(w q(g x)) of each leaf and row."""
        return _module(x).stack(
            [
                float(np.log(w)) + density.log_prob(pose.apply(x) if pose else x)
                for w, pose, density in self.leaves
            ]
        )

    def log_prob(self, x):
        """Returns log p(x) in nats of each row."""
        x, _ = self._input(x)
        terms, xp = self._terms(x), _module(x)
        largest = xp.amax(terms, 0)
        return largest + xp.log(xp.exp(terms - largest).sum(0))

    def responsibilities(self, x):
        """Returns the probability of each leaf given each row: rows × leaves."""
        x, _ = self._input(x)
        terms, xp = self._terms(x), _module(x)
        shares = xp.exp(terms - xp.amax(terms, 0))
        return (shares / shares.sum(0)).T

    def score(self, x):
        """Returns the gradient of log p(x) by x, in the shape of x."""
        if _is_torch(x):
            return super().score(x)
        x, restore = self._input(x)
        shares = self.responsibilities(x).T
        score = 0
        for share, (_, pose, density) in zip(shares, self.leaves):
            part = share[:, None] * density.score(pose.apply(x) if pose else x)
            score = score + (pose.back(part) if pose else part)
        return restore(score)

    def sample(self, count=1, seed=None, size=None):
        """Draws patches, one per row. numpy's random numbers are not those of `gaussianize`."""
        _require_count(count)
        random = np.random.default_rng(seed)
        weights = np.array([w for w, _, _ in self.leaves])
        chosen = random.choice(len(weights), count, p=weights / weights.sum())
        y, x = random.standard_normal((count, self.dimension)), np.empty((count, self.dimension))
        for leaf in np.unique(chosen):
            _, pose, density = self.leaves[leaf]
            z = density.synthesize(y[chosen == leaf])
            x[chosen == leaf] = pose.inverse().apply(z) if pose else z
        return x

    def gaussianize(self, x):
        """Raises ValueError: a mixture has no single transform."""
        raise ValueError("a mixture has no single transform y = g(x)")

    synthesize = gaussianize


class _Pose:
    """Copies pixels: (g x)_k = x_sources[k]. Pose k mirrors from 4 on, then turns k % 4 times."""

    def __init__(self, side, without_mean, k=0, sources=None):
        self.side, self.without_mean = side, without_mean
        if sources is None:
            pixels = np.arange(side * side).reshape(side, side)
            sources = np.rot90(pixels[:, ::-1] if k >= 4 else pixels, k % 4).ravel()
        self.sources = sources

    def then(self, inner):
        sources = self.sources[inner.sources] if inner else self.sources
        return _Pose(self.side, self.without_mean, sources=sources)

    def inverse(self):
        return _Pose(self.side, self.without_mean, sources=np.argsort(self.sources))

    def apply(self, x):
        if not self.without_mean:
            return x[:, self.sources]
        # The last pixel, which samples lack, is minus the sum of the others.
        full = _module(x).concatenate([x, -x.sum(-1)[:, None]], -1)
        return full[:, self.sources[:-1]]

    def back(self, gradient):
        """Returns the gradient by x, given the gradient by g x."""
        n = gradient.shape[1]
        full = np.zeros((len(gradient), len(self.sources)))
        full[:, self.sources[:n]] = gradient
        return full[:, :n] - full[:, n:] if self.without_mean else full


class _Linear:
    """y = H x."""

    def __init__(self, record, values):
        self.dimension = record["dimension"]
        self.H = values.get("H", np.eye(self.dimension))
        self.log_det = np.linalg.slogdet(self.H)[1]

    def gaussianize(self, x):
        return x @ _like(self.H, x).T, self.log_det + 0 * x.sum(-1)

    def backpropagate(self, x, gradient):
        return gradient @ self.H

    def synthesize(self, y):
        return np.linalg.solve(self.H, y.reshape(-1, self.dimension).T).T.reshape(y.shape)


class _Affine:
    """y = scale · x + shift."""

    def __init__(self, record, values):
        self.dimension = record["dimension"]
        self.scale, self.shift = values["scale"], values["shift"]
        self.log_det = np.log(np.abs(self.scale)).sum()

    def gaussianize(self, x):
        return _like(self.scale, x) * x + _like(self.shift, x), self.log_det + 0 * x.sum(-1)

    def backpropagate(self, x, gradient):
        return gradient * self.scale

    def synthesize(self, y):
        return (y - self.shift) / self.scale


class _Pointwise:
    """v = (x − A)/(K − A),  p = v^ν,  y = c + (log p − log(1 − p)) / B   (paper §6.3)."""

    def __init__(self, record, values):
        self.dimension = record["dimension"]
        names = ("lower", "upper", "rate", "asymmetry", "center")
        self.A, self.K, self.B, self.nu, self.c = (float(values[name][0]) for name in names)

    def gaussianize(self, x):
        log = _module(x).log
        v = (x - self.A) / (self.K - self.A)
        p = v**self.nu
        y = self.c + (log(p) - log(1 - p)) / self.B
        return y, log(self.nu / (self.B * (self.K - self.A) * v * (1 - p))).sum(-1)

    def backpropagate(self, x, gradient):
        width = self.K - self.A
        v = (x - self.A) / width
        p = v**self.nu
        slope = self.nu / (self.B * width * v * (1 - p))
        return gradient * slope - (self.nu * p / (1 - p) - 1) / (v * width)

    def synthesize(self, y):
        p = 1 / (1 + np.exp(-self.B * (y - self.c)))
        return self.A + (self.K - self.A) * p ** (1 / self.nu)


class _Coupling:
    """y_A = x_A,  y_B = (x_B − m) e^{−s}, with (m, s) a function of x_A."""

    LARGEST_LOG_SCALE = 0.7

    def __init__(self, record, values):
        self.dimension = record["dimension"]
        first = 0 if record["given"] == "even" else 1
        self.kept, self.changed = slice(first, None, 2), slice(1 - first, None, 2)
        names = ("input", "hidden", "output")
        self.layers = [(values[f"{name}Weights"], values[f"{name}Bias"]) for name in names]

    def gaussianize(self, x):
        shift, log_scale = self._network(x[..., self.kept])[-1]
        changed = (x[..., self.changed] - shift) * _module(x).exp(-log_scale)
        return self._joined(x, x[..., self.kept], changed), -log_scale.sum(-1)

    def backpropagate(self, x, gradient):
        (_, first), (_, second), (t, root), (shift, log_scale) = self._network(x[..., self.kept])
        scale = np.exp(-log_scale)
        by_changed = gradient[..., self.changed] * scale
        by_log_scale = 1 - by_changed * (x[..., self.changed] - shift)
        back = np.concatenate([-by_changed, self.LARGEST_LOG_SCALE * by_log_scale / root**3], -1)
        for (weights, _), slope in zip(self.layers[::-1], (second, first, 1)):
            back = back @ weights.T * slope
        return self._joined(x, gradient[..., self.kept] + back, by_changed)

    def synthesize(self, y):
        shift, log_scale = self._network(y[..., self.kept])[-1]
        return self._joined(y, y[..., self.kept], y[..., self.changed] * np.exp(log_scale) + shift)

    def _network(self, kept):
        """Returns the values and slopes of both hidden layers, (t, √(1 + t²)), and (m, s)."""
        found, values = [], kept
        for weights, bias in self.layers[:2]:
            u = values @ _like(weights, kept) + _like(bias, kept)
            root = (1 + u * u) ** 0.5
            values = (u + root) / 2
            found.append((values, values / root))
        outputs = values @ _like(self.layers[2][0], kept) + _like(self.layers[2][1], kept)
        half = outputs.shape[-1] // 2
        t = outputs[..., half:]
        root = (1 + t * t) ** 0.5
        return [*found, (t, root), (outputs[..., :half], self.LARGEST_LOG_SCALE * t / root)]

    def _joined(self, like, kept, changed):
        joined = like + 0
        joined[..., self.kept], joined[..., self.changed] = kept, changed
        return joined


class _Gdn:
    """Generalized divisive normalization, in any of its structures."""

    def __init__(self, record, values):
        n = self.dimension = record["dimension"]
        self.linear = _Linear(record, values)
        alpha, gamma = values.get("alpha"), values.get("gamma")
        beta, epsilon = values.get("beta"), values.get("epsilon")
        structure = record["structure"]
        if structure == "marginal":
            gamma = np.diag(gamma)
        elif structure == "subspace":
            space = values["partition"]
            gamma = gamma[space] * (space[:, None] == space)
            alpha, beta, epsilon = np.full(n, 2.0), beta[space], epsilon[space]
        elif structure == "classic":
            alpha, gamma, epsilon = np.ones(1), np.ones(1), np.ones(1)
        elif structure == "weighted-l2":
            alpha, epsilon = np.full(1, 2.0), np.full(1, 0.5)
        elif structure == "radial":
            alpha = np.full(1, 2.0)
        elif structure == "low-rank":
            rank = record["rank"]
            gamma = np.diag(gamma[0]) + gamma[1 : rank + 1].T @ gamma[rank + 1 :]
        #: N values if α_ij = α_j, which needs N powers of a sample instead of N².
        self.alpha = alpha if alpha.ndim == 2 else np.broadcast_to(alpha, n)
        self.beta, self.epsilon = np.broadcast_to(beta, n), np.broadcast_to(epsilon, n)
        self.gamma = np.broadcast_to(gamma, (n, n))

    def gaussianize(self, x):
        shape = x.shape[:-1]
        z, log_det = self.linear.gaussianize(x.reshape(-1, self.dimension))
        # Not split for torch: autograd keeps all intermediate values anyway.
        parts = [z] if _is_torch(z) else self._parts(z)
        normalized = [self._normalize(part) for part in parts]
        xp = _module(x)
        y = xp.concatenate([y for y, _ in normalized]) if len(parts) > 1 else normalized[0][0]
        dets = [det for _, det in normalized]
        log_det = log_det + (xp.concatenate(dets) if len(parts) > 1 else dets[0])
        return y.reshape(x.shape), log_det.reshape(shape)

    def backpropagate(self, x, gradient):
        """Returns the gradient by x of a loss with gradient v by y, minus log |det ∂y/∂x|.

        With W = (I − M)^−T, r_i = Σ_j W_ij M_ij and P_ij = ∂D_i/∂z_j:

            ∂L/∂D_i = (ε_i (1 − v_i y_i) − r_i) / D_i
            ∂L/∂z_j = v_j D_j^−ε_j + Σ_i P_ij (∂L/∂D_i + W_ij α_ij ε_i / D_i)
        """
        z, _ = self.linear.gaussianize(x.reshape(-1, self.dimension))
        v = gradient.reshape(z.shape)
        parts, start = [], 0
        for part in self._parts(z):
            parts.append(self._backpropagate(part, v[start : start + len(part)]))
            start += len(part)
        return self.linear.backpropagate(None, np.concatenate(parts)).reshape(x.shape)

    def synthesize(self, y):
        rows = y.reshape(-1, self.dimension)
        z = np.concatenate([self._invert(part) for part in self._parts(rows)])
        return self.linear.synthesize(z).reshape(y.shape)

    def _parts(self, z):
        rows = max(1, _MOST_NUMBERS // self.dimension**2)
        return [z[k : k + rows] for k in range(0, len(z), rows)] or [z]

    def _pools(self, z):
        """Returns u_ij = |z_j|^α_ij (one row if α_ij = α_j) and D for each row of z."""
        xp = _module(z)
        alpha, gamma, beta = (_like(p, z) for p in (self.alpha, self.gamma, self.beta))
        if self.alpha.ndim == 1:
            u = xp.abs(z) ** alpha
            return u[:, None, :], beta + u @ gamma.T
        u = xp.abs(z)[:, None, :] ** alpha
        return u, beta + (gamma * u).sum(-1)

    def _normalize(self, z):
        xp = _module(z)
        u, D = self._pools(z)
        M = self._M(u, D)
        epsilon = _like(self.epsilon, z)
        sign, log_det = xp.linalg.slogdet(_like(np.eye(self.dimension), z) - M)
        if not bool((sign > 0).all()):
            raise ValueError("the density does not exist: a Jacobian is not positive definite")
        log_D = xp.log(D)
        return z * xp.exp(-epsilon * log_D), log_det - (epsilon * log_D).sum(-1)

    def _M(self, u, D):
        weights = _like(self.epsilon[:, None] * self.alpha * self.gamma, u)
        return weights * u / D[:, :, None]

    def _backpropagate(self, z, v):
        u, D = self._pools(z)
        M = self._M(u, D)
        W = np.linalg.inv(np.eye(self.dimension) - M).transpose(0, 2, 1)
        scale = D**-self.epsilon
        by_D = (self.epsilon * (1 - v * z * scale) - (W * M).sum(-1)) / D
        power = np.abs(z)[:, None, :] ** (self.alpha - 1) * np.sign(z)[:, None, :]
        P = self.gamma * self.alpha * power
        by_M = W * self.alpha * (self.epsilon / D)[:, :, None]
        return v * scale + (P * (by_D[:, :, None] + by_M)).sum(1)

    def _invert(self, y, tolerance=1e-12, most=200):
        """Newton's method in t = log |z|, for F(t) = t − ε log D(t) − log |y| = 0.

        The Jacobian of F is I − M. From below, the iterates rise to the solution; a row whose
        Newton step does not rise takes the step of the paper's fixed point (§3.2) instead.
        """
        tiny = np.finfo(float).tiny
        target = np.log(np.maximum(np.abs(y), tiny))
        t = target + self.epsilon * np.log(self.beta)
        for _ in range(most):
            u, D = self._pools(np.exp(t))
            F = t - self.epsilon * np.log(D) - target
            if np.abs(F).max(initial=0) < tolerance:
                return np.sign(y) * np.exp(t)
            step = np.linalg.solve(np.eye(self.dimension) - self._M(u, D), -F[:, :, None])[:, :, 0]
            is_rising = (step > -1e-9).all(1, keepdims=True)
            t = t + np.where(is_rising, step, -F)
        raise ValueError("no x with g(x) = y was found: the transform may not be onto")


class _Convolution:
    """y at a location is Σ weights[a, b] · x(top + a rows below, left + b columns to the right).

    The edges of the image are joined, so that the Fourier transform takes the convolution apart
    into one N×N matrix for each frequency.
    """

    def __init__(self, record, values):
        self.dimension = record["maps"]
        self.taps, self.weights = record["taps"], values["weights"]

    def gaussianize(self, x):
        y = self._sum(x, lambda matrix: matrix.T, -1)
        log_det = np.linalg.slogdet(self._transfer(x.shape))[1].sum()
        # One number per image, spread over the locations: callers sum them.
        return y, log_det / (x.shape[0] * x.shape[1]) + 0 * x.sum(-1)

    def backpropagate(self, x, gradient):
        return self._sum(gradient, lambda matrix: matrix, 1)

    def synthesize(self, y):
        spectrum = np.fft.fft2(y, axes=(0, 1))
        solved = np.linalg.solve(self._transfer(y.shape), spectrum[..., None])[..., 0]
        return np.fft.ifft2(solved, axes=(0, 1)).real

    def _offsets(self):
        top, left, height, width = (self.taps[k] for k in ("top", "left", "height", "width"))
        return [(a, b, top + a, left + b) for a in range(height) for b in range(width)]

    def _sum(self, x, matrix_of, direction):
        roll = _module(x).roll
        return sum(
            roll(x, (direction * down, direction * right), (0, 1))
            @ _like(matrix_of(self.weights[a, b]), x)
            for a, b, down, right in self._offsets()
        )

    def _transfer(self, shape):
        """Returns the matrix at each frequency: rows × columns × N × N."""
        rows, columns = np.arange(shape[0]) / shape[0], np.arange(shape[1]) / shape[1]
        transfer = np.zeros((*shape[:2], self.dimension, self.dimension), complex)
        for a, b, down, right in self._offsets():
            phase = np.add.outer(rows * down, columns * right)
            transfer += np.exp(2j * np.pi * phase)[:, :, None, None] * self.weights[a, b]
        return transfer


_KINDS = {
    "linear": _Linear,
    "affine": _Affine,
    "pointwise": _Pointwise,
    "coupling": _Coupling,
    "gdn": _Gdn,
    "convolution": _Convolution,
}


def _require_count(count):
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise ValueError(f"expected count to be a positive integer but received {count!r}")


def _is_torch(x):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def _module(x):
    """Returns torch for its tensors and numpy for arrays; both have the functions used here."""
    return sys.modules["torch"] if _is_torch(x) else np


def _like(values, x):
    """Returns parameters as numpy or, if x is a tensor, as torch of its type and device."""
    if not _is_torch(x):
        return values
    return sys.modules["torch"].as_tensor(np.array(values), dtype=x.dtype, device=x.device)


def _swap(blocks):
    return blocks.swapaxes(1, 2)
