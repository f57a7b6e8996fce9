#pragma once

#include "core/parallel/store.h"
#include "native/collectives/connection.h"

namespace nns::collectives {

/// Keeps keys for all who connect. Lifetime: as long as the object.
class StoreServer {
 public:
  /// Listens at a port. `inherited`: a socket that listens already, or -1.
  /// Errors: the port is taken; it is no address of this machine.
  static base::Result<std::shared_ptr<StoreServer>> listen(const std::shared_ptr<NetworkThread>& network,
                                                           const std::string& host, int port, int inherited);
  ~StoreServer();
  int port() const { return port_; }

 private:
  struct State;
  StoreServer(std::shared_ptr<NetworkThread> network, std::shared_ptr<State> state);
  std::shared_ptr<NetworkThread> network_;
  std::shared_ptr<State> state_;
  int port_ = 0;
};

/// The keys of a StoreServer, seen from here.
class TcpStore final : public parallel::Store {
 public:
  /// Tries until the time is over: the server may come later. Errors: nobody answered.
  static base::Result<std::shared_ptr<TcpStore>> connect(const std::shared_ptr<NetworkThread>& network,
                                                         const std::string& host, int port, Timeout timeout);
  ~TcpStore() override;
  /// The address of this machine that the server sees.
  const std::string& local_address() const { return local_address_; }

  base::Result<void> set(const std::string& key, const std::string& value) override;
  base::Result<std::string> get(const std::string& key, Timeout timeout) override;
  base::Result<std::int64_t> add(const std::string& key, std::int64_t amount) override;
  base::Result<std::string> compare_set(const std::string& key, const std::string& expected,
                                        const std::string& desired) override;
  base::Result<bool> check(const std::vector<std::string>& keys) override;
  base::Result<bool> remove(const std::string& key) override;
  base::Result<std::int64_t> key_count() override;

 private:
  struct Pending;
  TcpStore(std::shared_ptr<NetworkThread> network, std::shared_ptr<Connection> connection, std::string place);
  base::Result<std::string> ask(std::uint32_t request, const std::vector<std::string>& fields, Timeout timeout,
                                const std::string& on_timeout);

  std::shared_ptr<NetworkThread> network_;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Pending> pending_;
  std::string place_, local_address_;
  std::uint64_t asked_ = 0;
};

}  // namespace nns::collectives
