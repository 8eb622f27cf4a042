// Classes, virtual functions, templates, references, operators, lambdas, objects made before the main function.
#include <cmath>
#include <cstdint>
#include <new>

template <typename T, int N> struct Vector {
    T elements[N];

    T dot(const Vector &other) const {
        T sum{};
        for (int i = 0; i < N; i++)
            sum += elements[i] * other.elements[i];
        return sum;
    }

    Vector operator+(const Vector &other) const {
        Vector sum = *this;
        for (int i = 0; i < N; i++)
            sum.elements[i] += other.elements[i];
        return sum;
    }
};

class Shape {
  public:
    virtual ~Shape() {}
    virtual std::uint32_t area() const = 0;
};

class Square : public Shape {
    std::uint32_t side;

  public:
    explicit Square(std::uint32_t side) : side(side) {}
    std::uint32_t area() const override { return side * side; }
};

class Rectangle : public Shape {
    std::uint32_t width, height;

  public:
    Rectangle(std::uint32_t width, std::uint32_t height) : width(width), height(height) {}
    std::uint32_t area() const override { return width * height; }
};

namespace settings {
struct Scale {
    std::uint32_t factor;
    Scale() : factor(3) {}
};
Scale scale;
} // namespace settings

std::uint32_t INPUT_A_side;
bool INPUT_B_square;
Vector<std::int32_t, 3> INPUT_B_at;
std::uint32_t OUTPUT_area;
Vector<std::int32_t, 3> OUTPUT_B_moved;

template <typename F> static std::uint32_t applied(F f, std::uint32_t x) { return f(f(x)); }

std::int32_t areas() {
    Shape *shape = INPUT_B_square ? static_cast<Shape *>(new Square(INPUT_A_side)) : new Rectangle(INPUT_A_side, 7);
    auto scaled = [&](std::uint32_t x) { return x * settings::scale.factor + INPUT_A_side; };
    OUTPUT_area = applied(scaled, shape->area());
    delete shape;
    Vector<std::int32_t, 3> by{{1, -2, 3}};
    OUTPUT_B_moved = INPUT_B_at + by;
    alignas(Square) unsigned char place[sizeof(Square)];
    return by.dot(INPUT_B_at) + static_cast<std::int32_t>((new (place) Square(5))->area());
}
