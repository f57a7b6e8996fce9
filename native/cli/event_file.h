#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "core/events/channel.h"
#include "core/python/eval/machine.h"
#include "native/cli/json_writer.h"

namespace nns::cli {

/// Writes what happens to modules while a program runs, one JSON object a line:
///   {"nnscope_events": 1, "program": "net.py"}
///   {"event": "attribute_set", "step": 12, "file": "net.py", "line": 5, "column": 9, "object": 3, "class": "Net",
///    "name": "fc", "place": "modules", "value": "Linear"}
/// step: statements run before; line and column (bytes, both from 1) of the instruction of the program that caused it.
/// Events: those of core/events/event.h.
class EventFile final : public events::Observer {
 public:
  /// Null if the file cannot be written. Observes the machine's interpreter while it lives.
  static std::unique_ptr<EventFile> open(python::Machine& machine, const std::string& path, const std::string& program);
  ~EventFile() override;
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  void on_event(const events::Event& event) override;
  /// Writes the rest. False if anything could not be written, a full disk for example.
  bool close();

 private:
  EventFile(python::Machine& machine, std::FILE* file, const std::string& program);
  void write_place();

  python::Machine& machine_;
  std::FILE* file_;
  JsonWriter json_;
};

}  // namespace nns::cli
