#include "ui/model/link.h"

#include <algorithm>
#include <array>

namespace nns::model {

namespace {

constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:,;@!$'()*";
constexpr std::string_view kHex = "0123456789ABCDEF";

int hex_digit(char letter) {
  const char upper = letter >= 'a' && letter <= 'f' ? static_cast<char>(letter - 'a' + 'A') : letter;
  const std::size_t digit = kHex.find(upper);
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

std::string encoded(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (kPlain.find(letter) != std::string_view::npos) {
      result += letter;
    } else {
      const auto byte = static_cast<unsigned char>(letter);
      result += '%';
      result += kHex[byte >> 4U];
      result += kHex[byte & 15U];
    }
  }
  return result;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[at + 2]) : -1;
    if (low >= 0) {
      result += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      result += text[at];
    }
  }
  return result;
}

}  // namespace

Link Link::parse(std::string_view text) {
  Link link;
  if (text.starts_with('#')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    link.set(decoded(part.substr(0, equals)), decoded(part.substr(equals + 1)));
  }
  return link;
}

std::string_view Link::get(std::string_view key) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return part.key == key; });
  return found == parts_.end() ? std::string_view() : found->value;
}

void Link::set(std::string_view key, std::string_view value) {
  std::erase_if(parts_, [&](const Part& part) { return part.key == key; });
  if (!value.empty()) parts_.push_back({std::string(key), std::string(value)});
}

std::string Link::text() const {
  std::string text;
  for (const Part& part : parts_) {
    text.append(text.empty() ? "" : "&").append(encoded(part.key)).append("=").append(encoded(part.value));
  }
  return text;
}

std::string_view Link::fragment_of(std::string_view pasted) {
  const std::size_t hash = pasted.find('#');
  if (hash == std::string_view::npos) return {};
  const std::string_view fragment = pasted.substr(hash + 1);
  for (const std::string_view key : {"file=", "url=", "sample=", "code="}) {
    if (fragment.starts_with(key)) return fragment;
  }
  return {};
}

namespace {

constexpr std::array<std::string_view, 4> kSources = {"file", "url", "sample", "code"};
constexpr std::array<std::string_view, 4> kOtherSources = {"with-file", "with-url", "with-sample", "with-code"};

}  // namespace

Link source_of(const Link& link) {
  Link source;
  for (const std::string_view key : kSources) source.set(key, link.get(key));
  return source;
}

Link other_source_of(const Link& link) {
  Link source;
  for (std::size_t i = 0; i < kSources.size(); ++i) source.set(kSources[i], link.get(kOtherSources[i]));
  return source;
}

void set_other_source(Link& link, const Link& source) {
  for (std::size_t i = 0; i < kSources.size(); ++i) link.set(kOtherSources[i], source.get(kSources[i]));
}

bool is_of_comparison(const Link& link) {
  return !other_source_of(link).is_empty() || !link.get("part").empty() || !link.get("with-part").empty();
}

bool is_same_source(const Link& a, const Link& b) {
  return file_name(a.get("file")) == file_name(b.get("file")) && a.get("url") == b.get("url") &&
         a.get("sample") == b.get("sample") && a.get("code") == b.get("code");
}

bool is_same_subject(const Link& a, const Link& b) {
  return is_same_source(a, b) && is_same_source(other_source_of(a), other_source_of(b)) &&
         a.get("part") == b.get("part") && a.get("with-part") == b.get("with-part");
}

std::string_view file_name(std::string_view place) {
  place = place.substr(0, place.find_first_of("?#"));
  while (place.ends_with('/')) place.remove_suffix(1);
  return place.substr(place.find_last_of("/\\") + 1);
}

}  // namespace nns::model
