#include "tests/support/make_serialized_json.h"

namespace nns::tests {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : bytes) {
    bits = (bits << 8U) | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kDigits[(bits >> (count - 6)) & 63U];
  }
  if (count != 0) text += kDigits[(bits << (6 - count)) & 63U];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string serialized_json(const std::vector<std::pair<std::string, std::string>>& plain,
                            const std::vector<std::pair<std::string, std::string>>& pickled) {
  std::string json = "{\n";
  std::string comma;
  for (const auto& [key, pickle] : pickled) {
    json.append(comma).append("    \"").append(key);
    json.append("\": {\n        \":type:\": \"<class 'object'>\",\n        \":serialized:\": \"");
    json.append(base64(pickle)).append("\"\n    }");
    comma = ",\n";
  }
  for (const auto& [key, value] : plain) {
    json.append(comma).append("    \"").append(key).append("\": ").append(value);
    comma = ",\n";
  }
  return json + "\n}";
}

}  // namespace nns::tests
