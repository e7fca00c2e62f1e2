import Foundation

/// A proxy before moto that does harm.
final class Proxy: Sendable {
  enum Direction: CaseIterable, Sendable {
    case toServer, fromServer
  }

  enum Harm: Sendable {
    case none
    /// Closes each connection after a number of bytes.
    case cut(after: Int, Direction)
    /// Lets only so many bytes through at once.
    case pieces(of: Int)
    /// Sends each request twice, and returns the second answer.
    case twice
  }

  private let server: LoopbackServer
  var port: UInt16 { server.port }

  convenience init(_ harm: Harm) throws {
    try self.init { harm }
  }

  /// - Parameter harm: What is done to the next connection.
  init(_ harm: @escaping @Sendable () -> Harm) throws {
    server = try LoopbackServer { client in
      guard let moto = MotoServer.port.flatMap(Connection.init(port:)) else { return }
      var (fromClient, fromServer) = ([UInt8](), [UInt8]())
      switch harm() {
      case .none:
        while let request = client.message(&fromClient) {
          moto.send(request.bytes)
          guard let answer = moto.message(&fromServer) else { return }
          client.send(answer.bytes)
        }
      case .pieces(let count):
        while let request = client.message(&fromClient) {
          moto.send(request.bytes, inPiecesOf: count)
          guard let answer = moto.message(&fromServer) else { return }
          client.send(answer.bytes, inPiecesOf: count)
        }
      case .twice:
        while let request = client.message(&fromClient) {
          var answer: HTTPMessage?
          for _ in 1...2 {
            guard let moto = MotoServer.port.flatMap(Connection.init(port:)) else { return }
            moto.send(request.bytes)
            fromServer = []
            answer = moto.message(&fromServer)
          }
          guard let answer else { return }
          client.send(answer.bytes)
        }
      case .cut(let count, .toServer):
        // Python's server would take a header that ends too early for a whole one.
        guard let request = client.message(&fromClient),
          count >= request.bytes.count - request.body.count
        else { return }
        moto.send(request.bytes.prefix(count))
        guard count >= request.bytes.count, let answer = moto.message(&fromServer) else { return }
        client.send(answer.bytes)
      case .cut(let count, .fromServer):
        guard let request = client.message(&fromClient) else { return }
        moto.send(request.bytes)
        guard let answer = moto.message(&fromServer) else { return }
        client.send(answer.bytes.prefix(count))
      }
    }
  }
}
