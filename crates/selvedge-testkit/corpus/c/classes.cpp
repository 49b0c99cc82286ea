// Virtual functions, constructors, templates, vectors.
//@ verdict: verified
//@ traces: 1
#include <cassert>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual int area() const = 0;
};

struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) {}
    int area() const override { return side * side; }
};

template <class T> T twice(T value) { return value + value; }

static int constructed = twice(21);

int main() {
    Square square(3);
    const Shape &shape = square;
    assert(shape.area() == 9 && constructed == 42);
    std::vector<int> numbers;
    for (int i = 0; i < 5; i++) numbers.push_back(i);
    int sum = 0;
    for (int n : numbers) sum += n;
    assert(sum == 10);
}
