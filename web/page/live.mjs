// The connection to a host on another machine, or in another process of this one: a WebSocket that is tried again, later
// and later, when it is lost. With each connection the host tells everything anew.

const kProtocol = 'nnscope.1';
const kFirstPause_ms = 250;
const kLongestPause_ms = 8000;

/// Where a stream may be, out of what a person gave: "ws://host:port/live#token=...", "attach=ws://...&token=...",
/// "host:port", or nothing: a host on this machine, first the one that gave out this page, if it is one.
/// Gives { urls, token }, in the order in which they are to be tried.
export function liveAddresses(text, page) {
  const given = text.trim().replace(/^[^#]*#(?=attach=)/, '');
  const values = new URLSearchParams(given.startsWith('attach=') ? given : given.split('#')[1] ?? '');
  const address = given.startsWith('attach=') ? values.get('attach') : given.split('#')[0];
  const isLocal = page.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(page.hostname);
  const places = address ? [address] : isLocal && page.port !== '7373' ? [page.host, '127.0.0.1:7373']
    : [isLocal ? page.host : '127.0.0.1:7373'];
  const urls = places.map((place) => {
    const url = new URL((/^[a-z]+:\/\//.test(place) ? place : `ws://${place}`).replace(/^http/, 'ws'));
    if (!/^wss?:$/.test(url.protocol)) throw new Error(`${url.protocol} is no WebSocket`);
    if (!url.port && url.protocol === 'ws:' && address) url.port = '7373';
    if (url.pathname === '/') url.pathname = '/live';
    return url.href;
  });
  return { urls, token: values.get('token') ?? '' };
}

export class Live {
  /// `deliver(buffer)` gets what the host says; `changed()` hears that `trouble` is another.
  constructor(deliver, changed) {
    this.deliver = deliver;
    this.changed = changed;
    this.trouble = '';
    this.socket = null;
    this.timer = 0;
  }

  attach(text) {
    this.close();
    try {
      this.address = liveAddresses(text, location);
    } catch (error) {
      return this.say(`That is no address of a stream: ${error.message}`);
    }
    this.pause_ms = kFirstPause_ms;
    this.place = 0;
    this.connect();
  }

  connect() {
    const { urls, token } = this.address;
    const url = urls[this.place];
    this.say('Connecting…');
    const socket = new WebSocket(url, token ? [kProtocol, `token.${token}`] : [kProtocol]);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    let isOpen = false;
    socket.onopen = () => {
      isOpen = true;
      // From now on it is this run and no other.
      this.address.urls = [url];
      this.place = 0;
      this.pause_ms = kFirstPause_ms;
      this.say('');
    };
    socket.onmessage = ({ data }) => {
      if (this.socket === socket && data instanceof ArrayBuffer) this.deliver(data);
    };
    socket.onclose = ({ reason }) => {
      if (this.socket !== socket) return;
      if (!isOpen && this.place + 1 < urls.length) {
        this.place += 1;
        return this.connect();
      }
      // A page is not told why a handshake failed.
      const why = isOpen ? `the connection was lost${reason ? `: ${reason}` : ''}`
        : `nothing answers at ${urls.join(' or ')}, or it does not let this page in (token, --allow-origin ${location.origin})`;
      this.place = 0;
      this.say(`${why}; trying again`);
      this.timer = setTimeout(() => this.connect(), this.pause_ms);
      this.pause_ms = Math.min(2 * this.pause_ms, kLongestPause_ms);
    };
  }

  send(bytes) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(bytes);
  }

  close() {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.trouble = '';
  }

  say(trouble) {
    this.trouble = trouble;
    this.changed();
  }
}
