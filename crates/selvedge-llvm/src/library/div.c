// A structure of two numbers is returned as one word.
unsigned long div(int a, int b) { return (unsigned)(a / b) | (unsigned long)(unsigned)(a % b) << 32; }
