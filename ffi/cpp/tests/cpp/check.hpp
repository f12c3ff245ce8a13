// Assertions for the test programs: the first one that fails ends the program with status 1 and prints its line.
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);   \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

inline bool Has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

inline std::vector<char> Read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

#endif  // CHECK_HPP
