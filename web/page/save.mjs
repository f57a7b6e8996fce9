// Files that the page writes: where the person says if the browser can ask, else as a download.

const kCrc = new Uint32Array(256).map((_, i) => {
  for (let bit = 0; bit < 8; ++bit) i = (i >>> 1) ^ (i & 1 ? 0xedb88320 : 0);
  return i;
});

/// A chunk of a PNG: length, type, data, checksum.
function idat(data) {
  const chunk = new Uint8Array(data.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set([0x49, 0x44, 0x41, 0x54], 4);
  chunk.set(data, 8);
  let crc = ~0;
  for (let i = 4; i < data.length + 8; ++i) crc = (crc >>> 8) ^ kCrc[(crc ^ chunk[i]) & 255];
  view.setUint32(data.length + 8, ~crc);
  return chunk;
}

/// By the numbers that web/host/save_file.cpp knows.
export const kSave = { waiting: 0, open: 1, cancelled: 2, done: 3, failed: 4 };
const kMostInMemory = 32 << 20;

/// One file on its way out; what is given is written in that order. `changed` is called when the viewer should look.
export class SavedFile {
  constructor(name, changed) {
    this.name = name;
    this.changed = changed;
    this.state = kSave.waiting;
    this.pending = 0;
    this.parts = [];
    this.held = 0;
    this.chain = this.#open().catch((error) => this.#fail(error));
  }

  async #open() {
    if (self.showSaveFilePicker) {
      try {
        const handle = await showSaveFilePicker({ suggestedName: this.name });
        this.out = await handle.createWritable();
      } catch (error) {
        if (error.name === 'AbortError') {
          this.state = kSave.cancelled;
          return this.changed();
        }
        // A frame of another site, or no click before: then as a download.
      }
    }
    this.state = kSave.open;
    this.changed();
  }

  #fail(error) {
    this.state = kSave.failed;
    this.error = error.message;
    this.#discard();
    this.changed();
  }

  #discard() {
    this.out?.abort().catch(() => {});
    this.out = null;
    this.parts = [];
  }

  #then(size, action) {
    this.pending += size;
    this.chain = this.chain.then(async () => {
      if (this.state === kSave.open) await action();
    }).catch((error) => this.#fail(error)).then(() => {
      this.pending -= size;
    });
  }

  #put(bytes) {
    if (this.out) return this.out.write(bytes);
    this.parts.push(bytes);
    this.held += bytes.length;
    // Many parts become one blob, which the browser may keep on the disk.
    if (this.held > kMostInMemory) {
      this.parts = [new Blob(this.parts)];
      this.held = 0;
    }
  }

  write(bytes) {
    this.#then(bytes.length, () => this.#put(bytes));
  }

  /// Into the one zlib stream of a PNG.
  pack(bytes, isLast) {
    this.#then(bytes.length, async () => {
      if (!this.packer) {
        const stream = new CompressionStream('deflate');
        this.packer = stream.writable.getWriter();
        this.packed = this.#drain(stream.readable.getReader());
        this.packed.catch(() => {});
      }
      await this.packer.write(bytes);
      if (!isLast) return;
      await this.packer.close();
      await this.packed;
    });
  }

  async #drain(reader) {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) await this.#put(idat(piece.value));
  }

  /// Ends the file, or lets nothing of it stay.
  end(isWhole) {
    if (!isWhole) {
      if (this.state < kSave.cancelled) this.state = kSave.cancelled;
      this.#discard();
      return;
    }
    this.#then(0, async () => {
      if (this.out) {
        await this.out.close();
      } else {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob(this.parts));
        link.download = this.name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
        this.parts = [];
      }
      this.state = kSave.done;
      this.changed();
    });
  }
}
