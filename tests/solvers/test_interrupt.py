"""Ctrl-C and the standard streams while foreign code runs."""

import os
import signal
import threading

import pytest

from farkas.solvers.options import CtrlC, log_to_stderr, off_stdout


def test_ctrl_c_is_remembered_once_and_the_handler_comes_back():
    with CtrlC() as key:
        assert not key.pressed
        signal.raise_signal(signal.SIGINT)
        assert key.pressed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_inside_another_both_remember_and_the_outer_one_goes_on():
    with CtrlC() as outer:
        with CtrlC() as inner:
            signal.raise_signal(signal.SIGINT)
        assert (outer.pressed, inner.pressed) == (True, True)
        with CtrlC() as second:
            pass
        signal.raise_signal(signal.SIGINT)
        assert not second.pressed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_somebody_else_stays():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("theirs"))
    try:
        with CtrlC() as key:
            signal.raise_signal(signal.SIGINT)
        assert (heard, key.pressed) == (["theirs"], False)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_signals_alone():
    pressed = []

    def run():
        with CtrlC() as key:
            pressed.append(key.pressed)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert pressed == [False]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def chatter():
    """Write from Python and, as foreign code does, to the file descriptor itself."""
    print("python", flush=True)
    os.write(1, b"foreign\n")


@pytest.mark.parametrize("log", [False, True])
def test_stdout_stays_free_and_a_log_goes_to_stderr(log, capfd):
    with off_stdout(log):
        chatter()
    print("result")
    shown = capfd.readouterr()
    assert shown.out == "result\n"
    assert sorted(shown.err.split()) == (["foreign", "python"] if log else [])


def test_stdout_comes_back_after_a_failure(capfd):
    with pytest.raises(RuntimeError), off_stdout(False):
        raise RuntimeError
    chatter()
    assert capfd.readouterr().out == "python\nforeign\n"


def test_nothing_is_redirected_without_a_log(capfd):
    with log_to_stderr(False):
        chatter()
    with log_to_stderr(True):
        os.write(1, b"log\n")
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("python\nforeign\n", "log\n")
