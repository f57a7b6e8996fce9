// How a worker whose program does not return hears what is to be cancelled: it gets no message then, but it can ask
// whether an address of the page's is still there. Each bit of a request's number is the address of an empty Blob, which
// the page gives up; one more says that all of them are told.

const kBits = 30;

/// The page's side, for one worker.
export class CancelSender {
  constructor(worker) {
    this.worker = worker;
    this.spent = [];
    this.renew();
  }

  renew() {
    this.bits = Array.from({ length: kBits + 1 }, () => URL.createObjectURL(new Blob([])));
    this.worker.postMessage({ cancels: this.bits });
  }

  /// The worker is to cancel that request. A number that does not fit comes with its message alone.
  cancel(request) {
    if (!(request > 0) || request >= 2 ** kBits) return;
    const [told, ...bits] = this.bits;
    bits.forEach((address, bit) => { if ((request >>> bit) & 1) URL.revokeObjectURL(address); });
    URL.revokeObjectURL(told);
    // The worker may still ask about the others: they go with the next ones.
    this.spent.forEach((address) => URL.revokeObjectURL(address));
    this.spent = this.bits;
    this.renew();
  }

  end() {
    [...this.bits, ...this.spent].forEach((address) => URL.revokeObjectURL(address));
  }
}

function isThere(address) {
  const asked = new XMLHttpRequest();
  try {
    asked.open('GET', address, false);
    asked.send();
    return asked.status === 200;
  } catch {
    return false;
  }
}

const kPatience_ms = 60;

/// The worker's side.
export class CancelReader {
  constructor() {
    this.bits = null;
    this.listened = performance.now();
  }

  take(bits) {
    this.bits = bits;
  }

  /// Messages came, or could have.
  listen() {
    this.listened = performance.now();
  }

  /// The request that is to be cancelled, or 0. While messages come nobody is asked.
  request() {
    if (!this.bits || performance.now() - this.listened < kPatience_ms) return 0;
    const [told, ...bits] = this.bits;
    if (isThere(told)) return 0;
    this.bits = null;
    return bits.reduce((request, address, bit) => (isThere(address) ? request : request + 2 ** bit), 0);
  }
}
