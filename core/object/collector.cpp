#include "core/object/collector.h"

#include <algorithm>

#include "core/object/interpreter.h"

namespace nns::object {
namespace {

// Deeper chains of containers that die together are put on a list instead of on the C++ stack.
constexpr int kMaxDisposeDepth = 64;
// Below this many new containers a collection is never due.
constexpr std::size_t kMinNewContainers = 10'000;
// What the mark of a container becomes in a collection that reaches it.
constexpr std::uint64_t kAlive = std::uint64_t{0} - 1;

}  // namespace

Container::Container(Class& cls, ObjectKind kind) : Object(cls, kind) { track(cls.interpreter().collector()); }

Container::Container(Collector& collector, ObjectKind kind) : Object(kind) { track(collector); }

void Container::track(Collector& collector) {
  is_container_ = true;
  collector_ = &collector;
  next_ = collector.head_;
  if (next_ != nullptr) next_->previous_ = this;
  collector.head_ = this;
  ++collector.count_;
}

Container::~Container() {
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else {
    collector_->head_ = next_;
  }
  if (next_ != nullptr) next_->previous_ = previous_;
  --collector_->count_;
}

void Collector::dispose(Container* container) noexcept {
  if (disposing_ >= kMaxDisposeDepth) {
    to_dispose_.push_back(container);
    return;
  }
  ++disposing_;
  delete container;
  if (disposing_ == 1) {
    while (!to_dispose_.empty()) {
      Container* next = to_dispose_.back();
      to_dispose_.pop_back();
      delete next;
    }
  }
  --disposing_;
}

void Collector::mark_reachable(std::span<const Ref<Container>> held) {
  // 1. Of each container's references, subtract those that come from containers.
  for (Container* c = head_; c != nullptr; c = c->next_) c->mark_ = c->references_;
  for (const Ref<Container>& c : held) --c->mark_;
  struct Subtract final : Visitor {
    void visit(Object& object) override {
      if (object.is_container_) --static_cast<Container&>(object).mark_;
    }
  } subtract;
  for (Container* c = head_; c != nullptr; c = c->next_) {
    if (c->class_ != nullptr) subtract.visit(*c->class_);
    c->traverse(subtract);
  }
  // 2. What is held from outside is alive, and so is all that it reaches.
  struct Reach final : Visitor {
    void visit(Object& object) override {
      if (!object.is_container_) return;
      auto& container = static_cast<Container&>(object);
      if (container.mark_ == kAlive) return;
      container.mark_ = kAlive;
      pending.push_back(&container);
    }
    std::vector<Container*> pending;
  } reach;
  for (Container* c = head_; c != nullptr; c = c->next_) {
    if (c->mark_ > 0) reach.visit(*c);
    while (!reach.pending.empty()) {
      Container* alive = reach.pending.back();
      reach.pending.pop_back();
      if (alive->class_ != nullptr) reach.visit(*alive->class_);
      alive->traverse(reach);
    }
  }
}

// Behaviour: CPython Python/gc.c, finalize_garbage and handle_resurrected_objects.
std::size_t Collector::collect() {
  if (running_) return 0;
  running_ = true;
  mark_reachable({});
  std::vector<Ref<Container>> dead;
  for (Container* c = head_; c != nullptr; c = c->next_) {
    if (c->mark_ != kAlive) dead.emplace_back(c);
  }
  // The list begins with the newest one; the oldest is finalized first.
  bool is_finalized = false;
  for (auto c = dead.rbegin(); c != dead.rend(); ++c) {
    if (!(*c)->interpreter().finalizers().is_due(**c)) continue;
    is_finalized = true;
    Finalizers::finalize(**c);
  }
  if (is_finalized) {
    mark_reachable(dead);
    std::erase_if(dead, [](const Ref<Container>& c) { return c->mark_ == kAlive; });
  }
  // The rest dies: weak references first, so that no callback meets half an object.
  for (const Ref<Container>& c : dead) {
    if (c->has_registrations_) c->interpreter().weak_registry_.forget(*c);
  }
  for (const Ref<Container>& c : dead) c->clear_references();
  const std::size_t found = dead.size();
  Finalizers* const finalizers = dead.empty() ? nullptr : &dead[0]->interpreter().finalizers();
  dead.clear();
  if (finalizers != nullptr) finalizers->run();
  count_after_last_ = count_;
  running_ = false;
  return found;
}

bool Collector::has_finalizers() const {
  for (Container* c = head_; c != nullptr; c = c->next_) {
    if (c->class_ != nullptr && c->interpreter().finalizers().is_due(*c)) return true;
  }
  return false;
}

std::size_t Collector::collect_if_due() {
  if (count_ < count_after_last_ + std::max(kMinNewContainers, count_after_last_ / 4)) return 0;
  return collect();
}

void Collector::clear_all() {
  std::vector<Ref<Container>> all;
  all.reserve(count_);
  for (Container* c = head_; c != nullptr; c = c->next_) all.emplace_back(c);
  for (const Ref<Container>& c : all) c->clear_references();
}

std::uint64_t WeakRegistry::registered_id(const Object& object) {
  Registration& registration = registrations_[&object];
  object.has_registrations_ = true;
  if (registration.id == 0) registration.id = ++last_id_;
  return registration.id;
}

void WeakRegistry::forget(const Object& object) {
  object.has_registrations_ = false;
  const auto found = registrations_.find(&object);
  if (found == registrations_.end()) return;
  std::vector<Ref<WeakReference>> with_callback;
  for (WeakReference* reference = found->second.first; reference != nullptr;) {
    WeakReference* next = reference->next_;
    reference->target_ = nullptr;
    reference->next_ = reference->previous_ = nullptr;
    if (!reference->callback_.is_none()) with_callback.emplace_back(reference);
    reference = next;
  }
  registrations_.erase(found);
  for (const Ref<WeakReference>& reference : with_callback) {
    object.interpreter().finalizers().call(std::exchange(reference->callback_, Value()), reference);
  }
}

WeakReference::WeakReference(Object& target, Value callback)
    : Object(*target.interpreter().builtins().weak_reference), target_(&target), callback_(std::move(callback)) {
  WeakRegistry::Registration& registration = target.interpreter().weak_registry_.registrations_[&target];
  target.has_registrations_ = true;
  next_ = registration.first;
  if (next_ != nullptr) next_->previous_ = this;
  registration.first = this;
}

WeakReference::~WeakReference() {
  if (target_ == nullptr) return;
  if (next_ != nullptr) next_->previous_ = previous_;
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else {
    target_->interpreter().weak_registry_.registrations_[target_].first = next_;
  }
}

PyResult<Value> WeakReference::call(const Arguments&) { return Value(target_); }

}  // namespace nns::object
