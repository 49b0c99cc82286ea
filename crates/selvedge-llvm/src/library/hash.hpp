#include <cstddef>
namespace std {
size_t _Hash_bytes(const void *bytes, size_t size, size_t seed) {
    for (size_t i = 0; i < size; i++) seed = (seed ^ static_cast<const unsigned char *>(bytes)[i]) * 1099511628211u;
    return seed;
}
}
