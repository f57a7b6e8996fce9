#include "core/live/commands.h"

#include "core/live/message.h"

namespace nns::live {

using flatbuffers::FlatBufferBuilder;

Bytes open_source(std::uint64_t request, std::uint64_t source, std::string_view name, std::string_view url) {
  FlatBufferBuilder builder(256);
  const auto name_text = builder.CreateString(name.data(), name.size());
  const auto url_text = builder.CreateString(url.data(), url.size());
  return finish_message(builder, wire::CreateOpenSource(builder, request, source, name_text, url_text));
}

Bytes open_sample(std::uint64_t request, std::string_view name) {
  FlatBufferBuilder builder(128);
  const auto text = builder.CreateString(name.data(), name.size());
  return finish_message(builder, wire::CreateOpenSample(builder, request, text));
}

Bytes close_document(std::uint32_t document) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateCloseDocument(builder, document));
}

Bytes inspect(std::uint64_t request, std::uint32_t document, std::uint32_t node) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateInspect(builder, request, document, node));
}

Bytes inspect_tensor(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, bool with_values) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateInspectTensor(builder, request, document, tensor, with_values));
}

Bytes cancel(std::uint64_t request) {
  FlatBufferBuilder builder(64);
  return finish_message(builder, wire::CreateCancel(builder, request));
}

Bytes request_tile(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, const TileRequest& tile) {
  FlatBufferBuilder builder(128);
  return finish_message(builder,
                        wire::CreateRequestTile(builder, request, document, tensor, tile.row_begin, tile.row_end,
                                                tile.column_begin, tile.column_end, tile.width, tile.height));
}

}  // namespace nns::live
