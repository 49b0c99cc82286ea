#include <map>
namespace std {
// Search trees that are not balanced: what programs see is the same.
static _Rb_tree_node_base *selvedge_next(_Rb_tree_node_base *x) {
    if (x->_M_right) {
        x = x->_M_right;
        while (x->_M_left) x = x->_M_left;
        return x;
    }
    _Rb_tree_node_base *y = x->_M_parent;
    while (x == y->_M_right) {
        x = y;
        y = y->_M_parent;
    }
    return x->_M_right != y ? y : x;
}
static _Rb_tree_node_base *selvedge_previous(_Rb_tree_node_base *x) {
    if (x->_M_color == _S_red && x->_M_parent->_M_parent == x) return x->_M_right;
    if (x->_M_left) {
        x = x->_M_left;
        while (x->_M_right) x = x->_M_right;
        return x;
    }
    _Rb_tree_node_base *y = x->_M_parent;
    while (x == y->_M_left) {
        x = y;
        y = y->_M_parent;
    }
    return y;
}
_Rb_tree_node_base *_Rb_tree_increment(_Rb_tree_node_base *x) noexcept { return selvedge_next(x); }
const _Rb_tree_node_base *_Rb_tree_increment(const _Rb_tree_node_base *x) noexcept {
    return selvedge_next(const_cast<_Rb_tree_node_base *>(x));
}
_Rb_tree_node_base *_Rb_tree_decrement(_Rb_tree_node_base *x) noexcept { return selvedge_previous(x); }
const _Rb_tree_node_base *_Rb_tree_decrement(const _Rb_tree_node_base *x) noexcept {
    return selvedge_previous(const_cast<_Rb_tree_node_base *>(x));
}
void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base *x, _Rb_tree_node_base *parent,
                                   _Rb_tree_node_base &header) noexcept {
    x->_M_parent = parent;
    x->_M_left = x->_M_right = nullptr;
    x->_M_color = _S_black;
    if (left) {
        parent->_M_left = x;
        if (parent == &header) {
            header._M_parent = x;
            header._M_right = x;
        } else if (parent == header._M_left) {
            header._M_left = x;
        }
    } else {
        parent->_M_right = x;
        if (parent == header._M_right) header._M_right = x;
    }
}
_Rb_tree_node_base *_Rb_tree_rebalance_for_erase(_Rb_tree_node_base *const z, _Rb_tree_node_base &header) noexcept {
    if (header._M_left == z) header._M_left = z->_M_right || z->_M_parent != &header ? selvedge_next(z) : &header;
    if (header._M_right == z) header._M_right = z->_M_left || z->_M_parent != &header ? selvedge_previous(z) : &header;
    _Rb_tree_node_base *instead = z->_M_left ? z->_M_left : z->_M_right;
    if (z->_M_left && z->_M_right) {
        instead = z->_M_right;
        while (instead->_M_left) instead = instead->_M_left;
        if (instead != z->_M_right) {
            instead->_M_parent->_M_left = instead->_M_right;
            if (instead->_M_right) instead->_M_right->_M_parent = instead->_M_parent;
            instead->_M_right = z->_M_right;
            z->_M_right->_M_parent = instead;
        }
        instead->_M_left = z->_M_left;
        z->_M_left->_M_parent = instead;
    }
    if (instead) instead->_M_parent = z->_M_parent;
    if (z->_M_parent == &header) header._M_parent = instead;
    else if (z->_M_parent->_M_left == z) z->_M_parent->_M_left = instead;
    else z->_M_parent->_M_right = instead;
    return z;
}
}
