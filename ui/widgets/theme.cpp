#include "ui/widgets/theme.h"

#include <algorithm>
#include <cmath>

namespace nns::widgets {

namespace {

double linear(std::uint32_t channel) {
  const double value = static_cast<double>(channel & 0xFFU) / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(Colour colour) {
  return 0.2126 * linear(colour) + 0.7152 * linear(colour >> 8U) + 0.0722 * linear(colour >> 16U);
}

constexpr Theme make_dark() {
  Theme theme;
  theme.is_dark = true;
  theme.background = rgb(0x0D0F13);
  theme.surface = rgb(0x14171D);
  theme.raised = rgb(0x1C2028);
  theme.overlay = rgb(0x222731);
  theme.border = rgb(0x2A303B);
  theme.track = rgb(0x272D37);
  theme.text = rgb(0xE6E9EE);
  theme.muted = rgb(0xA2AAB8);
  theme.accent = rgb(0x7EB2FF);
  theme.on_accent = rgb(0x0B1526);
  theme.selection = rgb(0x1E2E49);
  theme.hover = rgb(0x1D222A);
  theme.parameter = rgb(0x74B4FF);
  theme.buffer = rgb(0x4ECDB6);
  theme.module = rgb(0xBCA6F7);
  theme.hook = rgb(0xF0B45E);
  theme.event = rgb(0xF28CB8);
  theme.good = rgb(0x66CB8C);
  theme.warning = rgb(0xE8B650);
  theme.danger = rgb(0xFF8880);
  theme.shadow = 0x80000000U;
  return theme;
}

constexpr Theme make_light() {
  Theme theme;
  theme.is_dark = false;
  theme.background = rgb(0xEDEFF2);
  theme.surface = rgb(0xFFFFFF);
  theme.raised = rgb(0xF3F5F7);
  theme.overlay = rgb(0xFFFFFF);
  theme.border = rgb(0xD9DEE5);
  theme.track = rgb(0xE3E7EC);
  theme.text = rgb(0x171A20);
  theme.muted = rgb(0x555D6B);
  theme.accent = rgb(0x1D5BC9);
  theme.on_accent = rgb(0xFFFFFF);
  theme.selection = rgb(0xDFEAFC);
  theme.hover = rgb(0xEFF2F5);
  theme.parameter = rgb(0x1A5DBA);
  theme.buffer = rgb(0x0A6B5E);
  theme.module = rgb(0x6644C4);
  theme.hook = rgb(0x855300);
  theme.event = rgb(0xA82D69);
  theme.good = rgb(0x17703A);
  theme.warning = rgb(0x805400);
  theme.danger = rgb(0xB52C24);
  theme.shadow = 0x33000000U;
  return theme;
}

constexpr Theme kDark = make_dark();
constexpr Theme kLight = make_light();

}  // namespace

Colour with_alpha(Colour colour, float alpha) {
  const auto scaled =
      static_cast<Colour>(std::lround(static_cast<float>(colour >> 24U) * std::clamp(alpha, 0.0F, 1.0F)));
  return (colour & 0x00FFFFFFU) | (scaled << 24U);
}

Colour mix(Colour from, Colour to, float at) {
  Colour mixed = 0;
  for (std::uint32_t shift = 0; shift < 32; shift += 8) {
    const auto a = static_cast<float>((from >> shift) & 0xFFU);
    const auto b = static_cast<float>((to >> shift) & 0xFFU);
    mixed |= static_cast<Colour>(std::lround(a + (b - a) * std::clamp(at, 0.0F, 1.0F))) << shift;
  }
  return mixed;
}

double contrast_ratio(Colour a, Colour b) {
  const double first = luminance(a);
  const double second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

const Theme& dark_theme() { return kDark; }
const Theme& light_theme() { return kLight; }

std::array<ContrastDemand, 42> contrast_demands() {
  using T = Theme;
  return {{
      {"text on background", &T::text, &T::background, 4.5},
      {"text on surface", &T::text, &T::surface, 4.5},
      {"text on raised", &T::text, &T::raised, 4.5},
      {"text on overlay", &T::text, &T::overlay, 4.5},
      {"text on selection", &T::text, &T::selection, 4.5},
      {"text on hover", &T::text, &T::hover, 4.5},
      {"muted on background", &T::muted, &T::background, 4.5},
      {"muted on surface", &T::muted, &T::surface, 4.5},
      {"muted on raised", &T::muted, &T::raised, 4.5},
      {"muted on overlay", &T::muted, &T::overlay, 4.5},
      {"muted on selection", &T::muted, &T::selection, 4.5},
      {"muted on hover", &T::muted, &T::hover, 4.5},
      {"accent on background", &T::accent, &T::background, 4.5},
      {"accent on surface", &T::accent, &T::surface, 4.5},
      {"accent on raised", &T::accent, &T::raised, 4.5},
      {"accent on overlay", &T::accent, &T::overlay, 4.5},
      {"accent on selection", &T::accent, &T::selection, 4.5},
      {"accent on hover", &T::accent, &T::hover, 4.5},
      {"text on accent", &T::on_accent, &T::accent, 4.5},
      {"parameter on surface", &T::parameter, &T::surface, 4.5},
      {"parameter on selection", &T::parameter, &T::selection, 4.5},
      {"parameter on hover", &T::parameter, &T::hover, 4.5},
      {"buffer on surface", &T::buffer, &T::surface, 4.5},
      {"buffer on selection", &T::buffer, &T::selection, 4.5},
      {"buffer on hover", &T::buffer, &T::hover, 4.5},
      {"module on surface", &T::module, &T::surface, 4.5},
      {"module on selection", &T::module, &T::selection, 4.5},
      {"module on hover", &T::module, &T::hover, 4.5},
      {"hook on surface", &T::hook, &T::surface, 4.5},
      {"hook on selection", &T::hook, &T::selection, 4.5},
      {"hook on hover", &T::hook, &T::hover, 4.5},
      {"event on surface", &T::event, &T::surface, 4.5},
      {"good on surface", &T::good, &T::surface, 4.5},
      {"good on selection", &T::good, &T::selection, 4.5},
      {"warning on surface", &T::warning, &T::surface, 4.5},
      {"warning on selection", &T::warning, &T::selection, 4.5},
      {"danger on surface", &T::danger, &T::surface, 4.5},
      {"danger on selection", &T::danger, &T::selection, 4.5},
      {"danger on overlay", &T::danger, &T::overlay, 4.5},
      {"parameter bar on its track", &T::parameter, &T::track, 3.0},
      {"buffer bar on its track", &T::buffer, &T::track, 3.0},
      {"accent on its track", &T::accent, &T::track, 3.0},
  }};
}

}  // namespace nns::widgets
