#include "core/ops/launch.cuh"
#include "core/ops/lines.cuh"
#include "core/ops/sort_items.cuh"

// Sorting by a network of comparisons in shared memory, and by merging beyond that. A pair is a key with the place of
// its item: no two are equal, so that every way of sorting keeps the order of equal items.
namespace nns::ops {
namespace {

constexpr int kTile = static_cast<int>(kSortTile);
constexpr int kTileBits = 11;
static_assert(kTile == 1 << kTileBits);
constexpr int kPairsAThread = kTile / kLineThreads;
// Behind all pairs, also those with the largest key.
constexpr std::uint32_t kNoPlace = 0xFFFFFFFFU;

template <class Key>
struct TileRoom {
  Key keys[kTile];
  std::uint32_t places[kTile];

  __device__ bool is_behind(int a, int b) const {
    return keys[a] > keys[b] || (keys[a] == keys[b] && places[a] > places[b]);
  }
  __device__ void order(int a, int b) {
    if (!is_behind(a, b)) return;
    const Key key = keys[a];
    keys[a] = keys[b];
    keys[b] = key;
    const std::uint32_t place = places[a];
    places[a] = places[b];
    places[b] = place;
  }
  // Sorts each `width` neighbours, a power of two. Behaviour: Batcher, "Sorting networks and their applications", 1968;
  // every comparison goes the same way, as the second of two runs is walked from its end.
  __device__ void sort(int width) {
    for (int size = 2; size <= width; size *= 2) {
      const int half = size / 2;
      for (int n = static_cast<int>(threadIdx.x); n < kTile / 2; n += kLineThreads) {
        const int i = n & (half - 1), first = 2 * (n - i);
        order(first + i, first + size - 1 - i);
      }
      __syncthreads();
      for (int reach = half / 2; reach > 0; reach /= 2) {
        for (int n = static_cast<int>(threadIdx.x); n < kTile / 2; n += kLineThreads) {
          const int i = 2 * n - (n & (reach - 1));
          order(i, i + reach);
        }
        __syncthreads();
      }
    }
  }
};

template <class Key>
__device__ __forceinline__ Key* keys_of(const SortPairs& pairs, std::int64_t line) {
  return reinterpret_cast<Key*>(pairs.keys) + line * pairs.stride;
}

// Lines of up to a tile: several in one, each `1 << width_bits` wide; longer ones: several tiles a line.
template <class Key>
__global__ void __launch_bounds__(kLineThreads)
    sort_tiles(const __grid_constant__ SortWork work, int width_bits, std::int64_t tiles) {
  __shared__ TileRoom<Key> room;
  const SortedLines& lines = work.lines;
  const int width = 1 << width_bits, together = kTile >> width_bits;
  const std::int64_t groups = (lines.line_count + together - 1) / together * tiles;
  for (std::int64_t group = blockIdx.x; group < groups; group += gridDim.x) {
    const std::int64_t first = group / tiles * together, begin = group % tiles * kTile;
    for (int n = static_cast<int>(threadIdx.x); n < kTile; n += kLineThreads) {
      // Neighbouring threads read what lies together.
      const int of = lines.lies_across ? n & (together - 1) : n >> width_bits;
      const int at = lines.lies_across ? n >> (kTileBits - width_bits) : n & (width - 1);
      const std::int64_t line = first + of, place = begin + at;
      Key key = static_cast<Key>(~std::uint64_t{0});
      std::uint32_t from = kNoPlace;
      if (line < lines.line_count && place < work.count) {
        if (work.from.keys != nullptr) {
          key = keys_of<Key>(work.from, line)[place];
          from = work.from.places[line * work.from.stride + place];
        } else {
          key = static_cast<Key>(SortedLine(lines, line).key(lines, place));
          from = static_cast<std::uint32_t>(place);
        }
      }
      room.keys[of * width + at] = key;
      room.places[of * width + at] = from;
    }
    __syncthreads();
    room.sort(width);
    if (work.takes_rank) {
      for (int of = static_cast<int>(threadIdx.x); of < together && first + of < lines.line_count; of += kLineThreads) {
        std::int64_t numbers = work.count;
        if (lines.keys.is_floating()) {
          // Keys rise, and those of NaN are the last.
          const Key nan = static_cast<Key>(lines.keys.of_nan());
          std::int64_t low = 0;
          while (low < numbers) {
            const std::int64_t middle = (low + numbers) / 2;
            if (room.keys[of * width + middle] < nan)
              low = middle + 1;
            else
              numbers = middle;
          }
        }
        const std::int64_t rank = work.rank.of(work.count, numbers);
        SortedLine(lines, first + of).give(lines, 0, room.places[of * width + rank]);
      }
    } else {
      for (int n = static_cast<int>(threadIdx.x); n < kTile; n += kLineThreads) {
        const int of = lines.lies_across ? n & (together - 1) : n >> width_bits;
        const int at = lines.lies_across ? n >> (kTileBits - width_bits) : n & (width - 1);
        const std::int64_t line = first + of, place = begin + at;
        if (line >= lines.line_count || place >= work.count) continue;
        const int slot = of * width + at;
        if (work.to.keys != nullptr) {
          keys_of<Key>(work.to, line)[place] = room.keys[slot];
          work.to.places[line * work.to.stride + place] = room.places[slot];
        } else if (place < work.taken) {
          SortedLine(lines, line).give(lines, place, room.places[slot]);
        }
      }
    }
    __syncthreads();
  }
}

// How many of the first `wanted` pairs of two sorted runs are of the first one, whose pairs come first among equals.
// Behaviour: Odeh, Green, Mwassi, Shmueli, Birk, "Merge Path", 2012.
template <class Key>
__device__ __forceinline__ std::int64_t share_of_first(const Key* a, std::int64_t a_count, const Key* b,
                                                       std::int64_t b_count, std::int64_t wanted) {
  std::int64_t low = wanted > b_count ? wanted - b_count : 0, high = wanted < a_count ? wanted : a_count;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (a[middle] <= b[wanted - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// A block makes a tile of the result.
template <class Key>
__global__ void __launch_bounds__(kLineThreads)
    sort_merge(const __grid_constant__ SortWork work, std::int64_t run, std::int64_t tiles) {
  __shared__ TileRoom<Key> room;
  __shared__ std::int64_t shares[2];
  const SortedLines& lines = work.lines;
  const std::int64_t groups = lines.line_count * tiles;
  for (std::int64_t group = blockIdx.x; group < groups; group += gridDim.x) {
    const std::int64_t line = group / tiles, begin = group % tiles * kTile;
    const Key* const keys = keys_of<Key>(work.from, line);
    const std::uint32_t* const places = work.from.places + line * work.from.stride;
    const std::int64_t pair = begin / (2 * run) * 2 * run;
    const std::int64_t middle = pair + run < work.count ? pair + run : work.count;
    const std::int64_t end = pair + 2 * run < work.count ? pair + 2 * run : work.count;
    const std::int64_t first = begin - pair, last = end - pair < first + kTile ? end - pair : first + kTile;
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
      shares[threadIdx.x / 32] =
          share_of_first(keys + pair, middle - pair, keys + middle, end - middle, threadIdx.x == 0 ? first : last);
    }
    __syncthreads();
    const int count = static_cast<int>(last - first), of_a = static_cast<int>(shares[1] - shares[0]);
    const std::int64_t a = pair + shares[0], b = middle + first - shares[0];
    for (int n = static_cast<int>(threadIdx.x); n < count; n += kLineThreads) {
      const std::int64_t at = n < of_a ? a + n : b + n - of_a;
      room.keys[n] = keys[at];
      room.places[n] = places[at];
    }
    __syncthreads();
    Key own_keys[kPairsAThread];
    std::uint32_t own_places[kPairsAThread];
    const int own = static_cast<int>(threadIdx.x) * kPairsAThread;
    if (own < count) {
      int x = static_cast<int>(share_of_first(room.keys, of_a, room.keys + of_a, count - of_a, own));
      int y = of_a + own - x;
      for (int i = 0; i < kPairsAThread; ++i) {
        if (own + i >= count) continue;
        const int next = y >= count || (x < of_a && room.keys[x] <= room.keys[y]) ? x++ : y++;
        own_keys[i] = room.keys[next];
        own_places[i] = room.places[next];
      }
    }
    __syncthreads();
    for (int i = 0; i < kPairsAThread; ++i) {
      if (own + i >= count) continue;
      room.keys[own + i] = own_keys[i];
      room.places[own + i] = own_places[i];
    }
    __syncthreads();
    for (int n = static_cast<int>(threadIdx.x); n < count; n += kLineThreads) {
      const std::int64_t place = begin + n;
      if (work.to.keys != nullptr) {
        keys_of<Key>(work.to, line)[place] = room.keys[n];
        work.to.places[line * work.to.stride + place] = room.places[n];
      } else if (place < work.taken) {
        SortedLine(lines, line).give(lines, place, room.places[n]);
      }
    }
    __syncthreads();
  }
}

// A block a line: each item that ends a run of equal ones looks for where the run began.
template <class Key>
__global__ void __launch_bounds__(kLineThreads) mode_kernel(const __grid_constant__ SortWork work) {
  struct Found {
    std::int64_t run, at;
  };
  __shared__ std::int64_t room[kLineThreads / 32];
  const SortedLines& lines = work.lines;
  for (std::int64_t line = blockIdx.x; line < lines.line_count; line += gridDim.x) {
    const Key* const keys = keys_of<Key>(work.from, line);
    const bool has_nan = lines.keys.is_floating();
    const Key nan = static_cast<Key>(lines.keys.of_nan());
    Found best{0, 0};
    for (std::int64_t i = threadIdx.x; i < work.count; i += kLineThreads) {
      const Key key = keys[i];
      // NaN is equal to nothing.
      const bool is_alone = has_nan && key == nan;
      if (!is_alone && i + 1 < work.count && keys[i + 1] == key) continue;
      std::int64_t low = 0, high = i;
      while (!is_alone && low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (keys[middle] < key)
          low = middle + 1;
        else
          high = middle;
      }
      const std::int64_t run = is_alone ? 1 : i - low + 1;
      if (run > best.run) best = {run, i};
    }
    const auto larger = [](std::int64_t a, std::int64_t b) { return a > b ? a : b; };
    const auto smaller = [](std::int64_t a, std::int64_t b) { return a < b ? a : b; };
    const std::int64_t run = across_block(best.run, room, larger);
    const std::int64_t at = across_block(best.run == run ? best.at : work.count, room, smaller);
    if (threadIdx.x == 0) {
      SortedLine(lines, line).give(lines, 0, work.from.places[line * work.from.stride + at]);
    }
    __syncthreads();
  }
}

template <class Use>
void with_key(const SortKeys& keys, Use use) {
  if (keys.bits > 32) return use(std::uint64_t{0});
  use(std::uint32_t{0});
}

}  // namespace

void launch_sort_tiles(const SortWork& work, StreamHandle stream) {
  if (work.lines.line_count * work.count == 0) return;
  int bits = 1;
  while (bits < kTileBits && (std::int64_t{1} << bits) < work.count) ++bits;
  const std::int64_t tiles = (work.count + kTile - 1) / kTile, together = kTile >> bits;
  const std::int64_t groups = (work.lines.line_count + together - 1) / together * tiles;
  with_key(work.lines.keys, [&]<class Key>(Key) {
    launch_kernel(sort_tiles<Key>, blocks_for(groups, 1), kLineThreads, stream, work, bits, tiles);
  });
}

void launch_sort_merge(const SortWork& work, std::int64_t run, StreamHandle stream) {
  const std::int64_t tiles = (work.count + kTile - 1) / kTile;
  if (work.lines.line_count * tiles == 0) return;
  with_key(work.lines.keys, [&]<class Key>(Key) {
    launch_kernel(sort_merge<Key>, blocks_for(work.lines.line_count * tiles, 1), kLineThreads, stream, work, run,
                  tiles);
  });
}

void launch_mode(const SortWork& work, StreamHandle stream) {
  if (work.lines.line_count * work.count == 0) return;
  with_key(work.lines.keys, [&]<class Key>(Key) {
    launch_kernel(mode_kernel<Key>, blocks_for(work.lines.line_count, 1), kLineThreads, stream, work);
  });
}

}  // namespace nns::ops
