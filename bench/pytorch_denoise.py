"""denoiseImage as a user of PyTorch would write it: patches by unfold, their scores in chunks, estimates averaged by fold.

The score in two ways: "autograd" differentiates log p with its slogdet; "inverse" is derived by hand (docs/how-it-works.md), needs
nothing but (I - M)^-1, and leaves out log p itself, which no pixel depends on.

Usage: pytorch_denoise.py PRIOR NOISY WIDTH SIGMA STRIDE REPETITIONS CHUNKS_AT_ONCE METHOD:CHUNK [...]
PRIOR is a model file (safetensors), NOISY raw Float32. OMP_NUM_THREADS says how many threads share a chunk.
Prints one JSON object: seconds of the fastest repetition (by the clock, and of all cores together), by METHOD:CHUNK; the pictures go to NOISY.METHOD:CHUNK.
"""
import json
import struct
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.nn.functional import fold, unfold

SIZE = 8
N = SIZE * SIZE


def read_prior(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    start = 8 + length
    header = json.loads(data[8:start])

    def tensor(name):
        entry = header[name]
        if entry["dtype"] != "F32":
            raise ValueError(f"{name} is {entry['dtype']}, not F32")
        begin, end = entry["data_offsets"]
        values = torch.frombuffer(bytearray(data[start + begin : start + end]), dtype=torch.float32)
        return values.reshape(entry["shape"])

    scale, shift = tensor("stages.0.scale"), tensor("stages.0.shift")
    H = tensor("stages.1.H")
    groups = [tensor(f"stages.1.{group}") for group in ("alpha", "beta", "gamma", "epsilon")]
    # Both linear stages in one: z = A x + c.
    return (H * scale, H @ shift, *groups)


class ByAutograd:
    def __init__(self, prior):
        self.prior = prior
        self.identity = torch.eye(N)

    def __call__(self, x):
        A, c, alpha, beta, gamma, epsilon = self.prior
        x = x.detach().requires_grad_()
        z = torch.addmm(c, x, A.T)
        u = z.abs() ** alpha
        D = beta + u @ gamma.T
        y = z / D**epsilon
        M = (epsilon / D)[:, :, None] * gamma * (alpha * u)[:, None, :]
        log_p = (
            -0.5 * (y * y).sum(1)
            - (epsilon * D.log()).sum(1)
            + torch.linalg.slogdet(self.identity - M)[1]
        )
        return torch.autograd.grad(log_p.sum(), x)[0]


class ByInverse:
    """With a = alpha u, e = epsilon / D, G = (I - M)^-1 and G_kk - 1 = a_k w_k, w_k = sum_j G_kj e_j gamma_jk:

    d log p / dz_k = a_k/z_k (sum_i gamma_ik (epsilon_i (y_i^2 - 1) + a_i w_i) / D_i - alpha_k w_k) - y_k D_k^-epsilon_k
    """

    def __init__(self, prior):
        self.prior = prior
        self.identity = torch.eye(N)
        self.gamma_transposed = prior[4].T.contiguous()

    def __call__(self, x):
        A, c, alpha, beta, gamma, epsilon = self.prior
        z = torch.addmm(c, x, A.T)
        slope = alpha * z.abs() ** (alpha - 1) * z.sign()
        a = slope * z
        D = torch.addmm(beta, a / alpha, gamma.T)
        # (I - M) transposed, and so its inverse: LAPACK counts by columns, and both factors of w then lie in the same order.
        T = self.gamma_transposed * (epsilon / D)[:, None, :]
        G = torch.linalg.inv_ex(torch.addcmul(self.identity, T, a[:, :, None], value=-1))[0]
        w = (G.mT * T).sum(2)
        r = D**-epsilon
        y = z * r
        from_pools = ((epsilon * (y * y - 1) + a * w) / D) @ gamma
        return (slope * (from_pools - alpha * w) - y * r) @ A


METHODS = {"autograd": ByAutograd, "inverse": ByInverse}


def estimates(x, score, sigma):
    """x plus sigma^2 score, its noise kept within what noise can be."""
    noise = -(sigma**2) * score
    mean = noise.mean(1, keepdim=True)
    noise = noise - mean
    most = (x - x.mean(1, keepdim=True)).square().sum(1, keepdim=True)
    most = most.clamp(max=1.25**2 * sigma**2 * N)
    squares = noise.square().sum(1, keepdim=True)
    factor = torch.where(squares > most, (most / squares).sqrt(), torch.ones_like(most))
    most_mean = 5 * sigma / SIZE
    return x - (mean.clamp(-most_mean, most_mean) + factor * noise)


def denoise(noisy, sigma, stride, score, chunk, each):
    patches = unfold(noisy[None, None], SIZE, stride=stride)[0].T.contiguous()
    done = torch.cat(list(each(lambda x: estimates(x, score(x), sigma), patches.split(chunk))))
    shape = tuple(noisy.shape)
    sums = fold(done.T[None], shape, SIZE, stride=stride)
    counts = fold(torch.ones_like(done).T[None], shape, SIZE, stride=stride)
    return (sums / counts)[0, 0]


def best_times(noisy_path, method, repetitions, work):
    wall = cpu = float("inf")
    for _ in range(repetitions):
        start, used = time.perf_counter(), time.process_time()
        picture = work()
        wall = min(wall, time.perf_counter() - start)
        cpu = min(cpu, time.process_time() - used)
    with open(f"{noisy_path}.{method}", "wb") as file:
        file.write(struct.pack(f"<{picture.numel()}f", *picture.flatten().tolist()))
    return {"wall": wall, "cpu": cpu}


def main():
    prior_path, noisy_path, width, sigma, stride, repetitions, at_once, *methods = sys.argv[1:]
    prior = read_prior(prior_path)
    with open(noisy_path, "rb") as file:
        noisy = torch.frombuffer(bytearray(file.read()), dtype=torch.float32)
    noisy = noisy.reshape(-1, int(width))
    pool = ThreadPoolExecutor(int(at_once))
    each = map if at_once == "1" else pool.map
    seconds = {}
    for method in methods:
        name, chunk = method.split(":")
        score = METHODS[name](prior)
        work = lambda: denoise(noisy, float(sigma), int(stride), score, int(chunk), each)
        # The first call of anything is slow.
        denoise(noisy[: 4 * SIZE], float(sigma), int(stride), score, int(chunk), each)
        seconds[method] = best_times(noisy_path, method, int(repetitions), work)
    print(json.dumps({"torch": torch.__version__, "seconds": seconds}))


main()
