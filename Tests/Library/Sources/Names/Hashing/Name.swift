/// What a module of this name says that is not the library's.
public let nameHashing = "Hashing"
