"""What differs between operating systems, each subject in one file, chosen once.

`locks` keeps other processes out of a file, `disk` waits until files are on disk, `cores` counts and reserves
cores, `processes` starts programs in a group of their own and ends them with all that they started, `names` reaches
folders whose names are not text, `sockets` listens and finds addresses, `memory` knows how much there is. Nothing
else in the package asks which system it runs on, except the kernel that rests (`rules/atomics.py`), whose code is
compiled.

Linux, macOS and Windows have an implementation of each; the tests run on Linux, where they also take from Python what
the others lack.
"""
