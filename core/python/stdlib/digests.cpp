// The digests of module hashlib: MD5, SHA-1, SHA-2, SHA-3, SHAKE and BLAKE2.
// Source: RFC 1321, FIPS 180-4, FIPS 202, RFC 7693.
#include <array>
#include <cstring>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/python/stdlib/stdlib.h"

namespace nns::python {
namespace {

// Emscripten's library and that of the compiler here disagree about the type of what std::rotl() turns by.
template <class Word>
constexpr Word rotated_left(Word word, int by) {
  constexpr int kBits = static_cast<int>(sizeof(Word) * 8);
  return by == 0 ? word : static_cast<Word>(word << by | word >> (kBits - by));
}
template <class Word>
constexpr Word rotated_right(Word word, int by) {
  constexpr int kBits = static_cast<int>(sizeof(Word) * 8);
  return by == 0 ? word : static_cast<Word>(word >> by | word << (kBits - by));
}

using Args = std::span<const Value>;
using Bytes = std::string_view;

// The first 64 bits behind the point of the cube roots of the first 80 primes; SHA-256 takes the first 32 of 64 of
// them.
constexpr std::array<std::uint64_t, 80> kCubeRoots = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};
// The same of the square roots of the first 8 primes, and of the next 8, of which SHA-224 takes the second halves.
constexpr std::array<std::uint64_t, 8> kSquareRoots = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};
constexpr std::array<std::uint64_t, 8> kNextSquareRoots = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};
// floor(2^32 * |sin(i + 1)|)
constexpr std::array<std::uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
constexpr std::array<std::uint64_t, 24> kKeccakRounds = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

template <class Word>
Word read_big(const char* at) {
  Word word = 0;
  for (std::size_t i = 0; i < sizeof(Word); ++i) word = (word << 8U) | static_cast<unsigned char>(at[i]);
  return word;
}
template <class Word>
Word read_little(const char* at) {
  Word word = 0;
  for (std::size_t i = sizeof(Word); i-- > 0;) word = (word << 8U) | static_cast<unsigned char>(at[i]);
  return word;
}
template <class Word>
std::string write_big(std::span<const Word> words) {
  std::string out;
  for (const Word word : words) {
    for (std::size_t i = sizeof(Word); i-- > 0;) out += static_cast<char>(word >> (8 * i));
  }
  return out;
}
template <class Word>
std::string write_little(std::span<const Word> words) {
  std::string out;
  for (const Word word : words) {
    for (std::size_t i = 0; i < sizeof(Word); ++i) out += static_cast<char>(word >> (8 * i));
  }
  return out;
}

// The text with a bit, zeros, and its length in bits at the end of the last block.
std::string padded(Bytes text, std::size_t block, bool is_big) {
  std::string out(text);
  const std::size_t length_bytes = block / 8;
  out += '\x80';
  while (out.size() % block != block - length_bytes) out += '\0';
  std::string length(length_bytes, '\0');
  const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    length[is_big ? length_bytes - 1 - i : i] = static_cast<char>(bits >> (8 * i));
  }
  return out + length;
}

std::string md5(Bytes text) {
  constexpr int kTurns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<std::uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::string all = padded(text, 64, false);
  for (std::size_t at = 0; at < all.size(); at += 64) {
    auto [a, b, c, d] = state;
    for (std::uint32_t i = 0; i < 64; ++i) {
      std::uint32_t mixed = 0, from = 0;
      switch (i / 16) {
        case 0:
          mixed = (b & c) | (~b & d), from = i;
          break;
        case 1:
          mixed = (d & b) | (~d & c), from = (5 * i + 1) % 16;
          break;
        case 2:
          mixed = b ^ c ^ d, from = (3 * i + 5) % 16;
          break;
        default:
          mixed = c ^ (b | ~d), from = (7 * i) % 16;
          break;
      }
      mixed += a + kSines[i] + read_little<std::uint32_t>(all.data() + at + 4 * from);
      a = d, d = c, c = b;
      b += rotated_left(mixed, kTurns[i / 16][i % 4]);
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  }
  return write_little<std::uint32_t>(state);
}

std::string sha1(Bytes text) {
  std::array<std::uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::string all = padded(text, 64, true);
  for (std::size_t at = 0; at < all.size(); at += 64) {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i < 16; ++i) words[i] = read_big<std::uint32_t>(all.data() + at + 4 * i);
    for (std::size_t i = 16; i < 80; ++i) {
      words[i] = rotated_left(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    auto [a, b, c, d, e] = state;
    for (std::size_t i = 0; i < 80; ++i) {
      std::uint32_t mixed = 0, add = 0;
      switch (i / 20) {
        case 0:
          mixed = (b & c) | (~b & d), add = 0x5a827999;
          break;
        case 1:
          mixed = b ^ c ^ d, add = 0x6ed9eba1;
          break;
        case 2:
          mixed = (b & c) | (b & d) | (c & d), add = 0x8f1bbcdc;
          break;
        default:
          mixed = b ^ c ^ d, add = 0xca62c1d6;
          break;
      }
      const std::uint32_t next = rotated_left(a, 5) + mixed + e + add + words[i];
      e = d, d = c, c = rotated_left(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
  }
  return write_big<std::uint32_t>(state);
}

// SHA-256 on 32-bit words, SHA-512 on 64-bit ones.
template <class Word>
struct Turns;
template <>
struct Turns<std::uint32_t> {
  static constexpr std::size_t kRounds = 64;
  static constexpr int kSmall0[3] = {7, 18, 3}, kSmall1[3] = {17, 19, 10}, kLarge0[3] = {2, 13, 22},
                       kLarge1[3] = {6, 11, 25};
};
template <>
struct Turns<std::uint64_t> {
  static constexpr std::size_t kRounds = 80;
  static constexpr int kSmall0[3] = {1, 8, 7}, kSmall1[3] = {19, 61, 6}, kLarge0[3] = {28, 34, 39},
                       kLarge1[3] = {14, 18, 41};
};

template <class Word>
std::string sha2(Bytes text, std::array<Word, 8> state) {
  using T = Turns<Word>;
  constexpr std::size_t kBlock = 16 * sizeof(Word);
  const std::string all = padded(text, kBlock, true);
  const auto small = [](Word x, const int(&by)[3]) {
    return static_cast<Word>(rotated_right(x, by[0]) ^ rotated_right(x, by[1]) ^ (x >> by[2]));
  };
  const auto large = [](Word x, const int(&by)[3]) {
    return static_cast<Word>(rotated_right(x, by[0]) ^ rotated_right(x, by[1]) ^ rotated_right(x, by[2]));
  };
  for (std::size_t at = 0; at < all.size(); at += kBlock) {
    std::array<Word, T::kRounds> words{};
    for (std::size_t i = 0; i < 16; ++i) words[i] = read_big<Word>(all.data() + at + sizeof(Word) * i);
    for (std::size_t i = 16; i < T::kRounds; ++i) {
      words[i] = words[i - 16] + small(words[i - 15], T::kSmall0) + words[i - 7] + small(words[i - 2], T::kSmall1);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < T::kRounds; ++i) {
      const Word key = static_cast<Word>(kCubeRoots[i] >> (64 - 8 * sizeof(Word)));
      const Word first = h + large(e, T::kLarge1) + ((e & f) ^ (~e & g)) + key + words[i];
      const Word second = large(a, T::kLarge0) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const std::array<Word, 8> added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
  }
  return write_big<Word>(state);
}

std::array<std::uint32_t, 8> halves(const std::array<std::uint64_t, 8>& words, unsigned shift) {
  std::array<std::uint32_t, 8> out{};
  for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<std::uint32_t>(words[i] >> shift);
  return out;
}

void keccak(std::array<std::uint64_t, 25>& state) {
  for (const std::uint64_t round : kKeccakRounds) {
    std::array<std::uint64_t, 5> column{};
    for (std::size_t x = 0; x < 5; ++x) {
      column[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
    }
    for (std::size_t x = 0; x < 5; ++x) {
      const std::uint64_t mixed = column[(x + 4) % 5] ^ rotated_left(column[(x + 1) % 5], 1);
      for (std::size_t y = 0; y < 25; y += 5) state[x + y] ^= mixed;
    }
    std::size_t x = 1, y = 0;
    std::uint64_t moving = state[1];
    for (int step = 0; step < 24; ++step) {
      const std::size_t next = (2 * x + 3 * y) % 5;
      x = y, y = next;
      moving = std::exchange(state[x + 5 * y], rotated_left(moving, (step + 1) * (step + 2) / 2 % 64));
    }
    for (std::size_t row = 0; row < 25; row += 5) {
      const std::array<std::uint64_t, 5> old = {state[row], state[row + 1], state[row + 2], state[row + 3],
                                                state[row + 4]};
      for (std::size_t i = 0; i < 5; ++i) state[row + i] = old[i] ^ (~old[(i + 1) % 5] & old[(i + 2) % 5]);
    }
    state[0] ^= round;
  }
}

// `rate`: bytes of a block; `mark`: what stands behind the text.
std::string sponge(Bytes text, std::size_t rate, char mark, std::size_t length) {
  std::string all(text);
  all += mark;
  all.resize((all.size() + rate - 1) / rate * rate, '\0');
  all.back() = static_cast<char>(all.back() | '\x80');
  std::array<std::uint64_t, 25> state{};
  for (std::size_t at = 0; at < all.size(); at += rate) {
    for (std::size_t i = 0; i < rate / 8; ++i) state[i] ^= read_little<std::uint64_t>(all.data() + at + 8 * i);
    keccak(state);
  }
  std::string out;
  while (true) {
    out += write_little<std::uint64_t>(state).substr(0, rate);
    if (out.size() >= length) break;
    keccak(state);
  }
  out.resize(length);
  return out;
}

template <class Word>
std::string blake2(Bytes text, std::size_t length, Bytes key) {
  constexpr bool kWide = sizeof(Word) == 8;
  constexpr std::size_t kBlock = 16 * sizeof(Word), kRounds = kWide ? 12 : 10;
  constexpr int kTurns[4] = {kWide ? 32 : 16, kWide ? 24 : 12, kWide ? 16 : 8, kWide ? 63 : 7};
  constexpr std::uint8_t kOrder[10][16] = {
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
      {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
      {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
      {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
      {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
  std::array<Word, 8> start{};
  for (std::size_t i = 0; i < 8; ++i) start[i] = static_cast<Word>(kSquareRoots[i] >> (64 - 8 * sizeof(Word)));
  std::array<Word, 8> state = start;
  state[0] ^= static_cast<Word>(0x01010000 ^ (key.size() << 8U) ^ length);
  std::string all(key);
  if (!key.empty()) all.resize(kBlock, '\0');
  all += text;
  const std::size_t bytes = all.size();
  all.resize(std::max<std::size_t>(1, (bytes + kBlock - 1) / kBlock) * kBlock, '\0');
  for (std::size_t at = 0; at < all.size(); at += kBlock) {
    const bool is_last = at + kBlock >= all.size();
    const std::uint64_t counted = is_last ? bytes : at + kBlock;
    std::array<Word, 16> v{}, words{};
    for (std::size_t i = 0; i < 16; ++i) words[i] = read_little<Word>(all.data() + at + sizeof(Word) * i);
    for (std::size_t i = 0; i < 8; ++i) v[i] = state[i], v[i + 8] = start[i];
    v[12] ^= static_cast<Word>(counted);
    if (!kWide) v[13] ^= static_cast<Word>(counted >> 32U);
    if (is_last) v[14] = ~v[14];
    const auto mix = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d, Word x, Word y) {
      v[a] += v[b] + x, v[d] = rotated_right(static_cast<Word>(v[d] ^ v[a]), kTurns[0]);
      v[c] += v[d], v[b] = rotated_right(static_cast<Word>(v[b] ^ v[c]), kTurns[1]);
      v[a] += v[b] + y, v[d] = rotated_right(static_cast<Word>(v[d] ^ v[a]), kTurns[2]);
      v[c] += v[d], v[b] = rotated_right(static_cast<Word>(v[b] ^ v[c]), kTurns[3]);
    };
    for (std::size_t round = 0; round < kRounds; ++round) {
      const auto& order = kOrder[round % 10];
      for (std::size_t i = 0; i < 4; ++i) mix(i, 4 + i, 8 + i, 12 + i, words[order[2 * i]], words[order[2 * i + 1]]);
      for (std::size_t i = 0; i < 4; ++i) {
        mix(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, words[order[8 + 2 * i]], words[order[9 + 2 * i]]);
      }
    }
    for (std::size_t i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
  }
  return write_little<Word>(state).substr(0, length);
}

PyResult<Value> digest(Interpreter& in, Args a) {
  const auto* const name = a[0].as<object::Str>();
  const auto* const data = a[1].as<object::Bytes>();
  const auto* const key = a[3].as<object::Bytes>();
  if (name == nullptr || data == nullptr || key == nullptr)
    return object::type_error(in, "digest() takes a name and bytes");
  NNS_TRY_ASSIGN(const std::int64_t length, object::index(in, a[2]));
  constexpr std::int64_t kLongest = std::int64_t{1} << 29;
  if (length < 0 || length > kLongest) return object::value_error(in, "value must be positive");
  const auto size = static_cast<std::size_t>(length);
  const Bytes text = data->view();
  const std::string_view which = name->view();
  std::string made;
  constexpr unsigned kHigh = 32;
  constexpr char kSha3 = 6, kShake = 31;
  if (which == "md5")
    made = md5(text);
  else if (which == "sha1")
    made = sha1(text);
  else if (which == "sha256")
    made = sha2<std::uint32_t>(text, halves(kSquareRoots, kHigh));
  else if (which == "sha224")
    made = sha2<std::uint32_t>(text, halves(kNextSquareRoots, 0)).substr(0, 28);
  else if (which == "sha512")
    made = sha2<std::uint64_t>(text, kSquareRoots);
  else if (which == "sha384")
    made = sha2<std::uint64_t>(text, kNextSquareRoots).substr(0, 48);
  else if (which.starts_with("sha3_"))
    made = sponge(text, 200 - 2 * size, kSha3, size);
  else if (which == "shake_128")
    made = sponge(text, 168, kShake, size);
  else if (which == "shake_256")
    made = sponge(text, 136, kShake, size);
  else if (which == "blake2b" && size <= 64 && key->view().size() <= 64)
    made = blake2<std::uint64_t>(text, size, key->view());
  else if (which == "blake2s" && size <= 32 && key->view().size() <= 32)
    made = blake2<std::uint32_t>(text, size, key->view());
  else
    return object::value_error(in, "unsupported hash type {}", which);
  return Value(object::make_bytes(*in.builtins().bytes, std::move(made)));
}

}  // namespace

void fill_digests(Machine& machine, Dict& attributes) {
  add_native(machine, attributes, "digest(name, data, size, key, /)", digest);
}

}  // namespace nns::python
