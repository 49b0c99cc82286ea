#include <list>
namespace std {
namespace __detail {
void _List_node_base::_M_hook(_List_node_base *const position) noexcept {
    _M_next = position;
    _M_prev = position->_M_prev;
    position->_M_prev->_M_next = this;
    position->_M_prev = this;
}
void _List_node_base::_M_unhook() noexcept {
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}
void _List_node_base::swap(_List_node_base &a, _List_node_base &b) noexcept {
    std::swap(a._M_next, b._M_next);
    std::swap(a._M_prev, b._M_prev);
    _List_node_base *const ends[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        _List_node_base *end = ends[i];
        if (end->_M_next == ends[1 - i]) {
            end->_M_next = end->_M_prev = end;
        } else {
            end->_M_next->_M_prev = end->_M_prev->_M_next = end;
        }
    }
}
void _List_node_base::_M_reverse() noexcept {
    _List_node_base *node = this;
    do {
        std::swap(node->_M_next, node->_M_prev);
        node = node->_M_prev;
    } while (node != this);
}
void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const last) noexcept {
    if (this == last) return;
    last->_M_prev->_M_next = this;
    first->_M_prev->_M_next = last;
    _M_prev->_M_next = first;
    _List_node_base *const before = _M_prev;
    _M_prev = last->_M_prev;
    last->_M_prev = first->_M_prev;
    first->_M_prev = before;
}
}
}
