#include <string>
template class std::allocator<char>;
template class std::basic_string<char>;
