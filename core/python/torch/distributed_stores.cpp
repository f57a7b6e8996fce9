// Stores, and how ranks become a world. Behaviour: torch/csrc/distributed/c10d/init.cpp;
// torch/distributed/rendezvous.py.
#include <fmt/format.h>

#include "core/object/bytes.h"
#include "core/object/operations.h"
#include "core/python/torch/distributed.h"
#include "core/python/torch/parts.h"
#include "core/tensor/gpu_choice.h"

namespace nns::python {
namespace {

using Args = DistributedArgs;
using parallel::Rendezvous;

class StoreObject final : public object::Instance {
 public:
  StoreObject(Class& cls, std::shared_ptr<parallel::Store> shown) : Instance(cls), store(std::move(shown)) {}
  std::shared_ptr<parallel::Store> store;
  std::chrono::milliseconds timeout{std::chrono::minutes(5)};
};

class WorldObject final : public object::Object {
 public:
  WorldObject(Class& cls, std::shared_ptr<parallel::World> shown) : Object(cls), world(std::move(shown)) {}
  std::shared_ptr<parallel::World> world;
};

PyError store_error(Interpreter& in, const base::Error& error) {
  return object::runtime_error(in, "{}", error.message());
}

PyResult<StoreObject*> store_argument(Interpreter& in, const Value& value) {
  auto* store = value.as<StoreObject>();
  if (store == nullptr) return object::type_error(in, "expected Store, not {}", in.type_of(value).name());
  return store;
}

// Text as UTF-8, or bytes.
PyResult<std::string> bytes_argument(Interpreter& in, const Value& value) {
  if (const auto* bytes = value.as<object::Bytes>()) return std::string(bytes->view());
  return text_argument(in, value);
}
Value bytes_value(Interpreter& in, std::string bytes) {
  return Value(object::make<object::Bytes>(*in.builtins().bytes, std::move(bytes)));
}

PyResult<std::vector<std::string>> keys_argument(Interpreter& in, const Value& list) {
  std::vector<std::string> keys;
  NNS_TRY(object::for_each(in, list, [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(std::string key, text_argument(in, one));
    keys.push_back(std::move(key));
    return {};
  }));
  return keys;
}

void add_store_methods(Class& cls) {
  cls.def("set(self, key, value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::string key, text_argument(in, a[1]));
    NNS_TRY_ASSIGN(const std::string value, bytes_argument(in, a[2]));
    const base::Result<void> done = self->store->set(key, value);
    if (!done.ok()) return store_error(in, done.error());
    return Value();
  });
  cls.def("get(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::string key, text_argument(in, a[1]));
    base::Result<std::string> got = self->store->get(key, self->timeout);
    if (!got.ok()) return store_error(in, got.error());
    return bytes_value(in, std::move(got).value());
  });
  cls.def("add(self, key, amount)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::string key, text_argument(in, a[1]));
    NNS_TRY_ASSIGN(const std::int64_t amount, object::index(in, a[2]));
    const base::Result<std::int64_t> sum = self->store->add(key, amount);
    if (!sum.ok()) return store_error(in, sum.error());
    return Value(sum.value());
  });
  cls.def("compare_set(self, key, expected_value, desired_value)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::string key, text_argument(in, a[1]));
    NNS_TRY_ASSIGN(const std::string expected, bytes_argument(in, a[2]));
    NNS_TRY_ASSIGN(const std::string desired, bytes_argument(in, a[3]));
    base::Result<std::string> now = self->store->compare_set(key, expected, desired);
    if (!now.ok()) return store_error(in, now.error());
    return bytes_value(in, std::move(now).value());
  });
  cls.def("_wait(self, keys, seconds=None)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::vector<std::string> keys, keys_argument(in, a[1]));
    NNS_TRY_ASSIGN(const std::chrono::milliseconds time, time_argument(in, a[2], self->timeout));
    const base::Result<void> done = self->store->wait(keys, time);
    if (!done.ok()) return store_error(in, done.error());
    return Value();
  });
  cls.def("check(self, keys)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::vector<std::string> keys, keys_argument(in, a[1]));
    const base::Result<bool> all = self->store->check(keys);
    if (!all.ok()) return store_error(in, all.error());
    return Value(bool{all.value()});
  });
  cls.def("delete_key(self, key)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(const std::string key, text_argument(in, a[1]));
    const base::Result<bool> was_there = self->store->remove(key);
    if (!was_there.ok()) return store_error(in, was_there.error());
    return Value(bool{was_there.value()});
  });
  cls.def("num_keys(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    const base::Result<std::int64_t> count = self->store->key_count();
    if (!count.ok()) return store_error(in, count.error());
    return Value(count.value());
  });
  cls.def("_set_timeout(self, seconds)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    NNS_TRY_ASSIGN(self->timeout, time_argument(in, a[1], self->timeout));
    return Value();
  });
  cls.def("_timeout(self)", [](Interpreter& in, Args a) -> PyResult<Value> {
    NNS_TRY_ASSIGN(StoreObject* const self, store_argument(in, a[0]));
    return Value(static_cast<double>(self->timeout.count()) / 1000);
  });
}

// scheme, host, port, path, rank, size, seconds
PyResult<Rendezvous> rendezvous_argument(Interpreter& in, Args a) {
  Rendezvous where;
  NNS_TRY_ASSIGN(where.scheme, text_argument(in, a[0]));
  NNS_TRY_ASSIGN(where.host, text_argument(in, a[1]));
  NNS_TRY_ASSIGN(const std::int64_t port, object::index(in, a[2]));
  NNS_TRY_ASSIGN(where.path, text_argument(in, a[3]));
  NNS_TRY_ASSIGN(const std::int64_t rank, object::index(in, a[4]));
  NNS_TRY_ASSIGN(const std::int64_t size, object::index(in, a[5]));
  NNS_TRY_ASSIGN(where.timeout, time_argument(in, a[6], where.timeout));
  constexpr std::int64_t kMostRanks = 65536;
  if (port < 0 || port > 65535) return object::value_error(in, "{} is no port", port);
  if (size < 1 || size > kMostRanks || rank < 0 || rank >= size) {
    return object::value_error(in, "rank {} of {} ranks", rank, size);
  }
  where.port = static_cast<int>(port);
  where.rank = static_cast<int>(rank);
  where.size = static_cast<int>(size);
  return where;
}

constexpr std::string_view kAlone =
    "this program runs where there are no other processes: only a world of one rank can be made here";

PyResult<Value> open_store(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Rendezvous where, rendezvous_argument(in, a));
  std::shared_ptr<parallel::Store> store;
  if (where.scheme == "hash") {
    store = parallel::make_hash_store();
  } else if (const auto& connector = parallel::ParallelLibrary::of(in).connector) {
    base::Result<std::shared_ptr<parallel::Store>> opened = connector->open_store(where);
    if (!opened.ok()) return store_error(in, opened.error());
    store = std::move(opened).value();
  } else if (where.size == 1) {
    store = parallel::make_hash_store();
  } else {
    return object::runtime_error(in, "{}", kAlone);
  }
  const auto made = object::make<StoreObject>(distributed_class(in, "Store"), std::move(store));
  made->timeout = where.timeout;
  return Value(made);
}

// _join(store, scheme, host, port, path, rank, size, seconds)
PyResult<Value> join(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const Rendezvous who, rendezvous_argument(in, a.subspan(1)));
  std::shared_ptr<parallel::World> world;
  if (who.size == 1) {
    world = parallel::make_single_world();
  } else {
    NNS_TRY_ASSIGN(StoreObject* const store, store_argument(in, a[0]));
    const auto& connector = parallel::ParallelLibrary::of(in).connector;
    if (!connector) return object::runtime_error(in, "{}", kAlone);
    base::Result<std::shared_ptr<parallel::World>> joined = connector->join(store->store, who);
    if (!joined.ok()) return store_error(in, joined.error());
    world = std::move(joined).value();
  }
  return Value(object::make<WorldObject>(distributed_class(in, "_World"), std::move(world)));
}

PyResult<Value> make_group(Interpreter& in, Args a) {
  auto* world = a[0].as<WorldObject>();
  if (world == nullptr) return object::type_error(in, "expected _World, not {}", in.type_of(a[0]).name());
  NNS_TRY_ASSIGN(std::string name, text_argument(in, a[1]));
  std::vector<int> ranks;
  bool is_member = false;
  NNS_TRY(object::for_each(in, a[2], [&](const Value& one) -> PyResult<void> {
    NNS_TRY_ASSIGN(const std::int64_t rank, object::index(in, one));
    if (rank < 0 || rank >= world->world->size()) return object::value_error(in, "rank {} is not in the world", rank);
    ranks.push_back(static_cast<int>(rank));
    is_member = is_member || rank == world->world->rank();
    return {};
  }));
  if (!is_member) return object::value_error(in, "this rank is not in the group that it makes");
  std::shared_ptr<parallel::ProcessGroup> group = world->world->make_group(name, ranks);
  NNS_TRY_ASSIGN(const bool joins_gpus, object::truth(in, a[4]));
  if (joins_gpus) {
    const auto& connector = parallel::ParallelLibrary::of(in).connector;
    if (!connector) return object::runtime_error(in, "{}", kAlone);
    auto joined = connector->join_gpus(in, std::move(group));
    if (!joined.ok()) return store_error(in, joined.error());
    group = std::move(joined).value();
  }
  const auto made = object::make<GroupObject>(distributed_class(in, "ProcessGroup"), std::move(group), std::move(name));
  NNS_TRY_ASSIGN(made->timeout, time_argument(in, a[3], made->timeout));
  return Value(made);
}

class SpawningObject final : public object::Object {
 public:
  SpawningObject(Class& cls, std::shared_ptr<parallel::Connector> who,
                 std::unique_ptr<parallel::Connector::Spawning> shown)
      : Object(cls), connector(std::move(who)), spawning(std::move(shown)) {}
  /// What the ranks need for as long as they run.
  std::shared_ptr<parallel::Connector> connector;
  std::unique_ptr<parallel::Connector::Spawning> spawning;
};

PyResult<Value> spawn(Interpreter& in, Args a) {
  NNS_TRY_ASSIGN(const std::int64_t count, object::index(in, a[0]));
  NNS_TRY_ASSIGN(const std::string pickled, bytes_argument(in, a[1]));
  const auto& connector = parallel::ParallelLibrary::of(in).connector;
  if (!connector) return object::runtime_error(in, "this program runs where no processes can be started");
  constexpr std::int64_t kMostProcesses = 256;
  if (count < 1 || count > kMostProcesses) return object::value_error(in, "{} processes cannot be started", count);
  base::Result<std::unique_ptr<parallel::Connector::Spawning>> begun =
      connector->begin_spawn(static_cast<int>(count), pickled);
  if (!begun.ok()) return store_error(in, begun.error());
  return Value(object::make<SpawningObject>(distributed_class(in, "_Spawning"), connector, std::move(begun).value()));
}

// (failed rank, exit status, traceback), or None if they are not at their end.
PyResult<Value> go_on_spawning(Interpreter& in, Args a) {
  auto* const self = a[0].as<SpawningObject>();
  if (self == nullptr) return object::type_error(in, "expected _Spawning, not {}", in.type_of(a[0]).name());
  const Ref<SpawningObject> alive(self);
  const base::Result<std::optional<parallel::Connector::Spawned>> end = self->spawning->go_on();
  if (!end.ok()) return store_error(in, end.error());
  // Whoever runs this program gets a chance between two turns.
  Machine::of(in).look_soon();
  if (!*end) return Value();
  const parallel::Connector::Spawned& done = **end;
  return Value(in.tuple(
      {Value(std::int64_t{done.failed_rank}), Value(std::int64_t{done.exit_status}), in.text(done.traceback)}));
}

}  // namespace

void add_stores(Interpreter& interpreter) {
  add_store_methods(add_distributed_class(interpreter, "Store"));
  add_distributed_class(interpreter, "_World");
  add_distributed_class(interpreter, "_Spawning").def("_go_on(self)", go_on_spawning);
  add_distributed_function(interpreter, "_open_store(scheme, host, port, path, rank, size, seconds)", open_store);
  add_distributed_function(interpreter, "_join(store, scheme, host, port, path, rank, size, seconds)", join);
  add_distributed_function(interpreter, "_make_group(world, name, ranks, seconds, joins_gpus)", make_group);
  add_distributed_function(interpreter, "_spawn(count, pickled)", spawn);
  // Whether there are GPUs, and something that joins them.
  add_distributed_function(interpreter, "_has_gpu_groups()", [](Interpreter& in, Args) -> PyResult<Value> {
    const auto& connector = parallel::ParallelLibrary::of(in).connector;
    return Value(connector && tensor::gpu_count(in) > 0 && connector->has_gpu_groups());
  });
}

}  // namespace nns::python
