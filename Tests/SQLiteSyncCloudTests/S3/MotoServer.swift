import Foundation
import Synchronization

@testable import SQLiteSyncCloud

/// A server of S3 in Python's package moto: the form of requests and answers, in a process that
/// all tests share and that ends with them.
enum MotoServer {
  /// The port; nil where there is no moto.
  static let port: UInt16? = start()
  static let skipped: String = "Python's package moto is missing (make servers)"
  static let bucket = "bucket"

  /// moto looks whether an object is there, and then writes it, also when only a part of the body
  /// has come: one request at a time, and only whole ones, make it as good as a real server.
  private static let script = #"""
    import io, os, sys, threading
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server, WSGIRequestHandler
    moto, lock = DomainDispatcherApplication(create_backend_app), threading.Lock()
    def application(environ, start_response):
        size = int(environ.get("CONTENT_LENGTH") or 0)
        body = environ["wsgi.input"].read(size)
        if len(body) < size:
            start_response("400 Bad Request", [])
            return []
        environ["wsgi.input"] = io.BytesIO(body)
        with lock:
            return list(moto(environ, start_response))
    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"
        def log(self, *arguments): pass
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    import http.client
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("PUT", "/bucket", headers={"Host": f"127.0.0.1:{server.port}"})
    connection.getresponse().read()
    print(server.port, flush=True)
    sys.stdin.read()
    os._exit(0)
    """#

  /// Its standard input: it ends when this process does.
  private static let input = Pipe()

  private static func start() -> UInt16? {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      return nil
    }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    return UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  static let settings: @Sendable () -> AWSSettings = {
    AWSSettings(environment: ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"]) { _ in
      nil
    }
  }

  /// A store below a prefix of the bucket, at a port of the loopback: moto's, or a proxy's.
  ///
  /// - Parameter probes: Whether it finds out first whether an object is created once.
  static func store(
    _ prefix: String, port: UInt16? = port, patience: Int = 30_000, bucket: String = bucket,
    probes: Bool = false, settings: @escaping @Sendable () -> AWSSettings = settings
  ) throws -> S3Store {
    let endpoint = "http://127.0.0.1:\(port ?? 0)"
    guard let address = S3Address("s3://\(bucket)/\(prefix)?endpoint=\(endpoint)") else {
      throw CocoaError(.coderInvalidValue)
    }
    let store = S3Store(address, patience: patience, settings: settings)
    if !probes { store.verdict.withLock { $0 = .fit } }
    return store
  }
}
