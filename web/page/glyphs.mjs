// Letters that the picture's own typefaces lack, drawn by the browser with whatever typeface it has for them.

const kSans = 'system-ui, sans-serif';
/// By the numbers of GlyphStyle (ui/host/glyph.h): what stands around the size in a CSS font.
const kFonts = [['400', kSans], ['600', kSans], ['400', 'ui-monospace, monospace']];

export class Glyphs {
  #context = null;
  #pixels = null;

  /// Draws one letter, white where it takes the colour of its text. Gives [width, height, left, top, advance,
  /// isColoured], of which left and top lead from the pen on the base line to the picture's upper left; null if the
  /// browser draws nothing at all.
  draw(letter, style, em_px) {
    // Only a page that needs it has such a canvas; it lies in memory, since every letter is read back.
    this.#context ??= document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const context = this.#context;
    if (!context) return null;
    const text = String.fromCodePoint(letter);
    const [weight, family] = kFonts[style];
    const font = `${weight} ${em_px}px ${family}`;
    context.font = font;
    const box = context.measureText(text);
    const left = Math.floor(-box.actualBoundingBoxLeft) - 1;
    const top = Math.floor(-box.actualBoundingBoxAscent) - 1;
    const width = Math.ceil(box.actualBoundingBoxRight) + 1 - left;
    const height = Math.ceil(box.actualBoundingBoxDescent) + 1 - top;
    if (box.actualBoundingBoxRight <= -box.actualBoundingBoxLeft || !(width > 0 && height > 0)) return [0, 0, 0, 0, box.width, 0];
    const { canvas } = context;
    if (canvas.width < width || canvas.height < height) {
      canvas.width = Math.max(canvas.width, width);
      canvas.height = Math.max(canvas.height, height);
      context.font = font;  // a canvas that changes its size forgets it
    }
    context.clearRect(0, 0, width, height);
    context.fillStyle = '#fff';
    context.fillText(text, -left, -top);
    const pixels = context.getImageData(0, 0, width, height).data;
    let isColoured = false;
    for (let at = 0; at < pixels.length && !isColoured; at += 4) {
      isColoured = pixels[at + 3] > 127 && Math.min(pixels[at], pixels[at + 1], pixels[at + 2]) < 250;
    }
    // Where there is little of it, what is read back is rounded: it is to be white all the same.
    if (!isColoured) for (let at = 0; at < pixels.length; ++at) if (at % 4 < 3) pixels[at] = 255;
    this.#pixels = pixels;
    return [width, height, left, top, box.width, isColoured ? 1 : 0];
  }

  /// The pixels of the letter that was drawn last: red, green, blue, opacity.
  take() {
    return this.#pixels;
  }
}
