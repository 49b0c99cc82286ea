#include <unordered_map>
namespace std {
namespace __detail {
size_t _Prime_rehash_policy::_M_next_bkt(size_t wanted) const {
    size_t count = 13;
    while (count < wanted) count = count * 2 + 1;
    _M_next_resize = count;
    return count;
}
pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t more) const {
    if (elements + more <= _M_next_resize && buckets > 1) return {false, 0};
    return {true, _M_next_bkt(elements + more > buckets * 2 ? elements + more : buckets * 2)};
}
}
}
