from farkas.forms.feasibility import FeasibilityReport as FeasibilityReport
from farkas.forms.feasibility import Violation as Violation
from farkas.forms.feasibility import check_point as check_point
from farkas.forms.form import Axis as Axis
from farkas.forms.form import Block as Block
from farkas.forms.form import LinearForm as LinearForm
from farkas.forms.form import Sense as Sense
from farkas.forms.form import SparseRows as SparseRows
