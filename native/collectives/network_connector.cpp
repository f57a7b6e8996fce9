#include "native/collectives/network_connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "native/collectives/error.h"
#include "native/collectives/file_store.h"
#include "native/collectives/gpu_group.h"
#include "native/collectives/mesh_group.h"
#include "native/collectives/neighbours.h"
#include "native/collectives/shared_group.h"
#include "native/collectives/tcp_store.h"

namespace nns::collectives {
namespace {

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

class MeshWorld final : public parallel::World {
 public:
  MeshWorld(std::shared_ptr<TcpMesh> mesh, Neighbours neighbours)
      : mesh_(std::move(mesh)), neighbours_(std::move(neighbours)) {}
  int rank() const override { return mesh_->rank(); }
  int size() const override { return mesh_->size(); }
  std::shared_ptr<parallel::ProcessGroup> make_group(const std::string& name, const std::vector<int>& ranks) override {
    if (ranks.size() > 1 && neighbours_.share_memory(ranks)) {
      return remembered(std::make_shared<SharedGroup>(mesh_, name, ranks));
    }
    return remembered(std::make_shared<MeshGroup>(mesh_, name, ranks));
  }
  bool is_unused() const {
    return std::all_of(groups_.begin(), groups_.end(), [](const auto& one) { return one.group.expired(); });
  }
  /// Nothing is communicated any more, and nothing that the interpreter holds is touched.
  void close() {
    mesh_->close();
    for (const Made& made : groups_) {
      if (const auto group = made.group.lock()) made.stop(*group);
    }
  }

 private:
  struct Made {
    std::weak_ptr<parallel::ProcessGroup> group;
    void (*stop)(parallel::ProcessGroup&);
  };
  template <class Group>
  std::shared_ptr<parallel::ProcessGroup> remembered(std::shared_ptr<Group> group) {
    groups_.push_back({group, [](parallel::ProcessGroup& one) { static_cast<Group&>(one).stop(); }});
    return group;
  }

  std::shared_ptr<TcpMesh> mesh_;
  Neighbours neighbours_;
  std::vector<Made> groups_;
};

class NetworkConnector final : public parallel::Connector {
 public:
  explicit NetworkConnector(NetworkPermissions permissions) : permissions_(std::move(permissions)) {}
  ~NetworkConnector() override {
    for (const auto& world : worlds_) world->close();
  }

  base::Result<std::shared_ptr<parallel::Store>> open_store(const parallel::Rendezvous& where) override {
    if (where.scheme == "file") {
      const std::string path = permissions_.writable_path ? permissions_.writable_path(where.path) : std::string();
      if (path.empty()) {
        return error(
            fmt::format("the program may not write {}: --allow-write gives it a folder for the store", where.path));
      }
      return open_file_store(path);
    }
    if (!is_this_machine(where.host) && where.host != permissions_.master_host) {
      return error(fmt::format(
          "this program may not reach {}: it meets others on this machine, or at the MASTER_ADDR that nnscope was "
          "started with",
          where.host));
    }
    int port = where.port;
    if (where.rank == 0) {
      NNS_TRY_ASSIGN(port, serve(where));
    }
    NNS_TRY_ASSIGN(std::shared_ptr<TcpStore> store, TcpStore::connect(network(), where.host, port, where.timeout));
    return std::shared_ptr<parallel::Store>(std::move(store));
  }

  base::Result<std::shared_ptr<parallel::World>> join(const std::shared_ptr<parallel::Store>& store,
                                                      const parallel::Rendezvous& who) override {
    MeshPlace place;
    place.rank = who.rank;
    place.size = who.size;
    place.prefix = who.path;
    place.timeout = who.timeout;
    place.longest_silence = permissions_.longest_silence;
    // The address that reached the store reaches the others. A store in a file keeps ranks on this machine.
    const auto* tcp = dynamic_cast<TcpStore*>(store.get());
    place.host = tcp != nullptr ? tcp->local_address() : "127.0.0.1";
    NNS_TRY_ASSIGN(std::shared_ptr<TcpMesh> mesh, TcpMesh::join(network(), *store, place));
    NNS_TRY_ASSIGN(Neighbours neighbours, Neighbours::meet(*mesh, permissions_.shares_memory, who.timeout));
    auto world = std::make_shared<MeshWorld>(std::move(mesh), std::move(neighbours));
    std::erase_if(worlds_, [](const auto& one) { return one.use_count() == 1 && one->is_unused(); });
    worlds_.push_back(world);
    return std::shared_ptr<parallel::World>(std::move(world));
  }

  bool has_gpu_groups() override { return look_for_nccl().ok(); }
  base::Result<std::shared_ptr<parallel::ProcessGroup>> join_gpus(
      object::Interpreter& interpreter, std::shared_ptr<parallel::ProcessGroup> host) override {
    return make_gpu_group(interpreter, std::move(host));
  }

  base::Result<Spawned> spawn(int count, const std::string& pickled) override {
    if (!permissions_.spawn) return error("this program may start no processes");
    return permissions_.spawn(count, pickled);
  }

 private:
  const std::shared_ptr<NetworkThread>& network() {
    if (!network_) network_ = std::make_shared<NetworkThread>();
    return network_;
  }
  // The store that rank 0 keeps stays until the end: who joins again finds it. Gives its port.
  base::Result<int> serve(const parallel::Rendezvous& where) {
    const std::string place = fmt::format("{}:{}", where.host, where.port);
    std::shared_ptr<StoreServer>& server = servers_[place];
    if (!server) {
      const bool is_inherited = where.port == permissions_.listening_port && permissions_.listening_socket >= 0;
      const int socket = is_inherited ? std::exchange(permissions_.listening_socket, -1) : -1;
      base::Result<std::shared_ptr<StoreServer>> made = StoreServer::listen(network(), where.host, where.port, socket);
      if (!made.ok()) {
        servers_.erase(place);
        return made.error();
      }
      server = std::move(made).value();
    }
    return server->port();
  }

  NetworkPermissions permissions_;
  std::shared_ptr<NetworkThread> network_;
  std::map<std::string, std::shared_ptr<StoreServer>> servers_;
  std::vector<std::shared_ptr<MeshWorld>> worlds_;
};

}  // namespace

std::shared_ptr<parallel::Connector> make_network_connector(NetworkPermissions permissions) {
  return std::make_shared<NetworkConnector>(std::move(permissions));
}

}  // namespace nns::collectives
