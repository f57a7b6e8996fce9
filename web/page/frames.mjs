// When the picture is drawn, and at which size. Nothing is drawn while nothing changes.

/// The picture needs a few frames until it has settled after an input (a press and its release are two of them) ...
const kSettle = 3;
const kRefresh_ms = 16;
/// ... and some later ones for what appears after resting, such as tooltips.
const kLater_ms = [200, 600];
/// More frames than any input takes: what follows from work elsewhere is not waited for.
const kMostSettling = 20;

/// Calls `draw(seconds, width, height, scale)` when something changed: width and height in CSS pixels, scale in pixels of the
/// screen for one of these.
export class FramePump {
  constructor(canvas, draw) {
    this.canvas = canvas;
    this.draw = draw;
    this.scale = devicePixelRatio || 1;
    this.width = innerWidth;
    this.height = innerHeight;
    this.pixels = null;  // exact size in pixels of the screen, where the browser tells it
    // Before there is a context: to give one a new size is slow.
    [canvas.width, canvas.height] = this.wantedPixels();
    this.wanted = 0;
    this.request = 0;
    this.later = [];
    this.isRunning = false;
    this.painted_ms = 0;
    this.frame = this.frame.bind(this);
    const observer = new ResizeObserver((entries) => this.resized(entries[entries.length - 1]));
    try {
      observer.observe(canvas, { box: 'device-pixel-content-box' });
    } catch {
      observer.observe(canvas);
    }
    // Zooming the page, or moving the window to another screen, may change the scale alone.
    addEventListener('resize', () => this.changed());
  }

  wantedPixels() {
    const ratio = devicePixelRatio || 1;
    const near = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    // The exact size differs by the rounding of edges alone; one that is far off (an emulated screen) is not meant.
    return this.pixels?.every((side, i) => Math.abs(side - near[i]) <= 2) ? this.pixels : near;
  }

  resized(entry) {
    const exact = entry.devicePixelContentBoxSize?.[0];
    this.pixels = exact ? [exact.inlineSize, exact.blockSize] : null;
    this.width = entry.contentRect.width;
    this.height = entry.contentRect.height;
    // A canvas that changes its size is empty: it is drawn before the browser shows it.
    const [width, height] = this.wantedPixels();
    if (this.isRunning && (width !== this.canvas.width || height !== this.canvas.height)) this.now();
  }

  start() {
    this.isRunning = true;
    this.now();
  }
  stop() {
    this.isRunning = false;
    cancelAnimationFrame(this.request);
    this.request = 0;
  }
  resume() {
    this.isRunning = true;
    this.changed();
  }

  /// Something changed: the picture is drawn with the screen's next refresh.
  changed() {
    this.wanted = kSettle;
    this.schedule();
    this.later.forEach(clearTimeout);
    this.later = kLater_ms.map((wait) => setTimeout(() => {
      this.wanted = Math.max(this.wanted, 1);
      this.schedule();
    }, wait));
  }

  /// Something came that somebody waits for: it is drawn at once if nothing is being drawn. A browser that draws in software may
  /// be slow to call back, and work that tells its progress must not fill its time.
  soon() {
    if (!this.isRunning) return;
    // While the browser still owes a frame, it is behind already.
    const isIdle = this.request === 0 && performance.now() - this.painted_ms >= kRefresh_ms;
    if (isIdle) this.paint(performance.now());
    this.wanted = Math.max(this.wanted, isIdle ? 1 : 2);
    this.schedule();
  }

  /// Draws before it returns, and then as after changed().
  now() {
    if (!this.isRunning) return;
    this.changed();
    this.paint(performance.now());
  }

  /// Draws before it returns until `isBehind` tells that nothing is on its way any more, or for so many frames.
  settle(isBehind) {
    for (let frame = 0; frame < kMostSettling && this.isRunning && isBehind(); ++frame) this.paint(performance.now());
  }

  schedule() {
    if (this.request === 0 && this.isRunning) this.request = requestAnimationFrame(this.frame);
  }

  frame(time) {
    this.request = 0;
    if (!this.isRunning) return;
    this.wanted -= 1;
    this.paint(time);
    if (this.wanted > 0) this.schedule();
  }

  paint(time) {
    if (this.isPainting) return;
    this.isPainting = true;
    try {
      const [width, height] = this.wantedPixels();
      if (width === 0 || height === 0) return;
      if (this.canvas.width !== width) this.canvas.width = width;
      if (this.canvas.height !== height) this.canvas.height = height;
      this.scale = width / this.width;
      this.painted_ms = performance.now();
      this.draw(time / 1000, this.width, this.height, this.scale);
    } finally {
      this.isPainting = false;
    }
  }
}
