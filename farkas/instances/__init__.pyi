from farkas.instances.base import Instance as Instance
from farkas.instances.files import kind_class as kind_class
from farkas.instances.files import kinds as kinds
from farkas.instances.files import read as read
from farkas.instances.files import read_bytes as read_bytes
from farkas.instances.writing import to_bytes as to_bytes
from farkas.instances.writing import write as write
