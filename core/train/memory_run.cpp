#include "core/train/memory_run.h"

#include <map>

namespace nns::train {

namespace {

using Files = std::map<std::string, std::string>;

class MemoryRun final : public RunFiles {
 public:
  std::string folder() const override { return "/nnscope-run"; }

  base::Result<std::unique_ptr<base::ByteSink>> append(const std::string& name) override {
    return std::unique_ptr<base::ByteSink>(std::make_unique<Sink>(files_, name));
  }
  base::Result<std::string> read(const std::string& name) override {
    const auto found = files_->find(name);
    if (found == files_->end()) return not_there(name);
    return found->second;
  }
  base::Result<std::string> read_part(const std::string& name, std::uint64_t first, std::size_t most) override {
    const auto found = files_->find(name);
    if (found == files_->end()) return not_there(name);
    const std::string& bytes = found->second;
    return first < bytes.size() ? bytes.substr(static_cast<std::size_t>(first), most) : std::string();
  }
  base::Result<void> replace(const std::string& name, std::string_view contents) override {
    (*files_)[name] = std::string(contents);
    return {};
  }
  base::Result<void> commit(const std::string& from, const std::string& to) override {
    const auto found = files_->find(from);
    if (found == files_->end()) return not_there(from);
    std::string bytes = std::move(found->second);
    // The older ones would fill the memory that the model needs.
    const std::string folder = to.substr(0, to.rfind('/') + 1);
    std::erase_if(*files_, [&](const auto& one) { return one.first.starts_with(folder); });
    (*files_)[to] = std::move(bytes);
    return {};
  }
  void remove(const std::string& name) override { files_->erase(name); }
  std::vector<std::string> list(const std::string& folder) override {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : *files_) {
      if (name.starts_with(folder + "/")) names.push_back(name.substr(folder.size() + 1));
    }
    return names;
  }
  std::uint64_t size(const std::string& name) override {
    const auto found = files_->find(name);
    return found == files_->end() ? 0 : found->second.size();
  }
  bool is_in_memory() const override { return true; }

 private:
  class Sink final : public base::ByteSink {
   public:
    Sink(std::shared_ptr<Files> files, std::string name) : files_(std::move(files)), name_(std::move(name)) {
      files_->try_emplace(name_);
    }
    using base::ByteSink::write;
    base::Result<void> write(std::span<const std::byte> bytes) override {
      (*files_)[name_].append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return {};
    }

   private:
    std::shared_ptr<Files> files_;
    std::string name_;
  };
  static base::Error not_there(const std::string& name) {
    return {.found = name + ": no such file", .expected = "one that was written", .where = "run", .offset = {}};
  }

  std::shared_ptr<Files> files_ = std::make_shared<Files>();
};

}  // namespace

std::shared_ptr<RunFiles> make_memory_run() { return std::make_shared<MemoryRun>(); }

}  // namespace nns::train
