import Foundation
import RemindersTestSupport
import Testing

@testable import SQLiteSyncCloud

/// A server whose certificate nobody has signed but itself.
@Suite(.enabled(if: CertifiedServer.isThere, "python3 or openssl is not installed"))
struct S3CertificateTests {
  private let server: CertifiedServer

  init() throws { server = try CertifiedServer() }

  private func ask(trusting certificates: String?) throws(S3Failure) -> Int {
    let address = S3Address("s3://bucket?endpoint=https://127.0.0.1:\(server.port)")
    guard let address else { preconditionFailure("not an address") }
    let environment = [
      "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
      "AWS_CA_BUNDLE": certificates ?? "",
    ]
    let client = S3Client(address, patience: 60_000, now: CloudEnvironment.live.now) {
      AWSSettings(environment: environment) { _ in nil }
    }
    return try client.send(.init(method: "GET")).status
  }

  @Test func aServerIsTrustedByTheCertificatesThatTheEnvironmentNames() throws {
    #expect(try ask(trusting: server.certificate) == 200)
    for untrusted in [nil, server.certificate + ".missing"] {
      let failure = try #require(throws: S3Failure.self) { try ask(trusting: untrusted) }
      #expect(failure.isCertain && failure.error.code == .networkUnavailable)
    }
  }
}

/// A server of HTTPS on the loopback that answers everything with nothing, and ends with its test.
private final class CertifiedServer {
  static let isThere = ["/usr/bin/python3", "/usr/bin/openssl"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private static let script = #"""
    import http.server, os, ssl, subprocess, sys, threading
    certificate, key = sys.argv[1] + "/own.pem", sys.argv[1] + "/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()
        def log_message(self, *arguments): pass
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    os._exit(0)
    """#

  let port: UInt16
  let certificate: String
  private let directory: TemporaryDirectory
  /// Its standard input, by whose end it ends.
  private let input = Pipe()

  init() throws {
    directory = try TemporaryDirectory()
    certificate = directory.url.appending(path: "own.pem").path
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", Self.script, directory.url.path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  deinit { try? input.fileHandleForWriting.close() }  // It may have ended by itself.
}
