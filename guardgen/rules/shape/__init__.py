"""Exact size rules of PyTorch's operators, one family a file. Importing this package fills the table."""

from guardgen.rules.shape import activations as activations
from guardgen.rules.shape import attention as attention
from guardgen.rules.shape import broadcast
from guardgen.rules.shape import chunked_losses as chunked_losses
from guardgen.rules.shape import convolution as convolution
from guardgen.rules.shape import copies as copies
from guardgen.rules.shape import data as data
from guardgen.rules.shape import derived as derived
from guardgen.rules.shape import differences as differences
from guardgen.rules.shape import einsum as einsum
from guardgen.rules.shape import expanding as expanding
from guardgen.rules.shape import factories as factories
from guardgen.rules.shape import fft as fft
from guardgen.rules.shape import gathering as gathering
from guardgen.rules.shape import histograms as histograms
from guardgen.rules.shape import indexing as indexing
from guardgen.rules.shape import interpolation as interpolation
from guardgen.rules.shape import joining as joining
from guardgen.rules.shape import linalg as linalg
from guardgen.rules.shape import losses as losses
from guardgen.rules.shape import masking as masking
from guardgen.rules.shape import matmul as matmul
from guardgen.rules.shape import normalisation as normalisation
from guardgen.rules.shape import padding as padding
from guardgen.rules.shape import pooling as pooling
from guardgen.rules.shape import prims as prims
from guardgen.rules.shape import ranges as ranges
from guardgen.rules.shape import rearranging as rearranging
from guardgen.rules.shape import recurrent as recurrent
from guardgen.rules.shape import reductions as reductions
from guardgen.rules.shape import reshape as reshape
from guardgen.rules.shape import slicing as slicing
from guardgen.rules.shape import solvers as solvers
from guardgen.rules.shape import sorting as sorting
from guardgen.rules.shape import splitting as splitting
from guardgen.rules.shape import views as views
from guardgen.rules.shape.context import Pieces, Sizes, applying, shape_rules

__all__ = ["Pieces", "Sizes", "applying", "broadcast", "shape_rules"]
