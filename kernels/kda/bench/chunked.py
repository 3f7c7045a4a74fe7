"""The chunked gated delta rule in PyTorch, as somebody without a fused kernel writes it.

kernels/kda/doc.go has the formulas. Tensors are head-major, [B,H,T,K] and [B,H,T,V], in
any floating type; the backward is autograd's. Decay between two rows is the exponential of
a difference, and the mask comes before it, so that nothing overflows.
"""

import torch

FLOOR = -104.0  # exp of it is 0 in float32, as in the kernels


def chunked(q, k, g, b, v, w, state, scale, rows):
    """out [B,H,T,V] and the final state [B,H,K,V], in chunks of the given rows."""
    length = q.shape[-2]
    q, k, g, b, v, w = (chunks(x, rows) for x in (q, k, g.clamp(min=FLOOR), b, v, w))
    G = g.cumsum(-2)
    E, L = G.exp(), G[..., -1:, :]
    kgd, glast = k * (L - G).exp(), L.exp()
    aqk, akk = scores(scale * q, b * k, k, G)
    one = torch.eye(rows, dtype=q.dtype, device=q.device)
    M = torch.linalg.solve_triangular(one + akk, one.expand_as(akk), upper=False, unitriangular=True)
    u, W, qE = M @ (w * v), M @ (b * k * E), scale * q * E
    out = []
    for n in range(q.shape[2]):
        v_new = u[:, :, n] - W[:, :, n] @ state
        out.append(qE[:, :, n] @ state + aqk[:, :, n] @ v_new)
        state = glast[:, :, n].transpose(-1, -2) * state + kgd[:, :, n].transpose(-1, -2) @ v_new
    return torch.cat(out, dim=2)[:, :, :length], state


def chunks(x, rows):
    """[B,H,T,D] as [B,H,N,rows,D], filled up with zeros: a row of them changes nothing."""
    missing = -x.shape[-2] % rows
    x = torch.nn.functional.pad(x, (0, 0, 0, missing))
    return x.reshape(*x.shape[:2], -1, rows, x.shape[-1])


def scores(q, bk, k, G):
    """Aqk, and Akk below the diagonal: [..., rows, rows] of [..., rows, K]."""
    rows = G.shape[-2]
    later = torch.ones(rows, rows, dtype=torch.bool, device=G.device).triu(1)
    P = (G.unsqueeze(-2) - G.unsqueeze(-3)).masked_fill(later.unsqueeze(-1), float("-inf")).exp()
    kP = k.unsqueeze(-3) * P
    aqk = (q.unsqueeze(-2) * kP).sum(-1)
    akk = (bk.unsqueeze(-2) * kP).sum(-1)
    return aqk, akk.tril(-1)
