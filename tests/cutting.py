"""A proxy that carries TCP connections to a worker and cuts the first ones in the middle."""

import contextlib
import socket
import threading


class CuttingProxy:
    """Carries connections to a port; of each direction, so many bytes before each cut."""

    def __init__(self, port: int, up: list[int], down: list[int]):
        self.target, self.cuts = port, {"up": list(up), "down": list(down)}
        self.made = 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self) -> "CuttingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self) -> None:
        """Carry every connection until the end."""
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                far = socket.create_connection(("127.0.0.1", self.target))
                self.made += 1
                threading.Thread(target=self.carry, args=(near, far), daemon=True).start()

    def carry(self, near: socket.socket, far: socket.socket) -> None:
        """Carry both directions of a connection to their end."""
        with near, far:
            down = threading.Thread(target=self.pump, args=("down", far, near), daemon=True)
            down.start()
            self.pump("up", near, far)
            down.join()

    def pump(self, way: str, source: socket.socket, sink: socket.socket) -> None:
        """Carry one direction of a connection, to its end or to the next cut."""
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                passed += len(data)
                with self.lock:
                    cut = bool(self.cuts[way]) and passed >= self.cuts[way][0]
                    if cut:
                        data = data[: len(data) - (passed - self.cuts[way].pop(0))]
                sink.sendall(data)
                if cut:
                    break
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
