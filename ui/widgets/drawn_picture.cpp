#include "ui/widgets/drawn_picture.h"

namespace nns::widgets {

namespace {

class Bytes {
 public:
  explicit Bytes(std::string& bytes) : bytes_(bytes) { bytes_.clear(); }
  void add(const void* from, std::size_t size) { bytes_.append(static_cast<const char*>(from), size); }
  template <typename T>
  void add(const T& value) {
    add(&value, sizeof value);
  }
  template <typename T>
  void add_items(const ImVector<T>& items) {
    add(items.Size);
    add(items.Data, static_cast<std::size_t>(items.Size) * sizeof(T));
  }

 private:
  std::string& bytes_;
};

void add_command(Bytes& bytes, const ImDrawCmd& command) {
  // Field by field: what lies between them is not set.
  bytes.add(command.ClipRect);
  bytes.add(&command.TexRef._TexData, sizeof(void*));
  bytes.add(command.TexRef._TexID);
  bytes.add(command.VtxOffset);
  bytes.add(command.IdxOffset);
  bytes.add(command.ElemCount);
  bytes.add(command.UserCallback);
  if (command.UserCallbackDataSize > 0) {
    bytes.add(command.UserCallbackData, static_cast<std::size_t>(command.UserCallbackDataSize));
  } else {
    bytes.add(command.UserCallbackData);
  }
}

bool has_new_texture(const ImDrawData& data) {
  if (data.Textures == nullptr) return false;
  for (const ImTextureData* texture : *data.Textures)
    if (texture->Status != ImTextureStatus_OK) return true;
  return false;
}

}  // namespace

bool DrawnPicture::take(const ImDrawData& data) {
  Bytes bytes(next_);
  bytes.add(data.DisplayPos);
  bytes.add(data.DisplaySize);
  bytes.add(data.FramebufferScale);
  for (const ImDrawList* list : data.CmdLists) {
    bytes.add_items(list->VtxBuffer);
    bytes.add_items(list->IdxBuffer);
    bytes.add(list->CmdBuffer.Size);
    for (const ImDrawCmd& command : list->CmdBuffer) add_command(bytes, command);
  }
  const bool is_same = next_ == drawn_ && !has_new_texture(data);
  next_.swap(drawn_);
  return !is_same;
}

}  // namespace nns::widgets
