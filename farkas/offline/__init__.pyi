from farkas.offline.methods import Candidate as Candidate
from farkas.offline.methods import Method as Method
from farkas.offline.methods import OfflineSearch as OfflineSearch
from farkas.offline.methods import SearchState as SearchState
from farkas.offline.methods import searches as searches
from farkas.offline.search import OfflineOptimum as OfflineOptimum
from farkas.offline.search import find_optimum as find_optimum
