#include "ui/app/tensor_exports.h"

#include <utility>

namespace nns::app {

std::unique_ptr<exports::Export> export_values(Requests& requests, const live::Mirror& mirror, std::uint32_t document,
                                               std::uint32_t tensor, base::TensorSlice slice, bool as_text) {
  return exports::make_tensor_values(
      mirror, document,
      [&requests, document, tensor, slice = std::move(slice), as_text](std::uint64_t first, std::uint64_t count) {
        return requests.tensor_file(document, tensor, slice, as_text, first, count);
      });
}

std::unique_ptr<exports::Picture> export_heat_map(Requests& requests, const live::Mirror& mirror,
                                                  exports::HeatSubject subject, const exports::PictureLook& look) {
  exports::TileAsker asker;
  asker.cancel = [&requests](std::uint64_t request) { requests.cancel(request); };
  if (subject.minus != nullptr) {
    const live::DiffTensors tensors{subject.minus->id(), subject.minus_tensor, subject.document->id(), subject.tensor};
    asker.ask = [&requests, tensors](const live::TileRequest& tile) { return requests.diff_tile(tensors, tile); };
    return exports::make_heat_picture(mirror, std::move(subject), look, std::move(asker));
  }
  asker.ask = [&requests, document = subject.document->id(), tensor = subject.tensor, slice = subject.slice](
                  const live::TileRequest& tile) { return requests.tile(document, tensor, slice, tile); };
  return exports::make_heat_picture(mirror, std::move(subject), look, std::move(asker));
}

}  // namespace nns::app
