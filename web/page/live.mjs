// The connection to a host on another machine, or in another process of this one: a WebSocket that is tried again, later
// and later, when it is lost. With each connection the host tells everything anew.

const kProtocol = 'nnscope.1';
const kFirstPause_ms = 250;
const kLongestPause_ms = 8000;

/// Where a stream is, out of what a person gave: "ws://host:port/live#token=...", "attach=ws://...&token=...", "host:port",
/// or nothing: a host on this machine, the one that gave out this page if it is one.
export function liveAddress(text, page) {
  const given = text.trim().replace(/^[^#]*#(?=attach=)/, '');
  const values = new URLSearchParams(given.startsWith('attach=') ? given : given.split('#')[1] ?? '');
  let address = given.startsWith('attach=') ? values.get('attach') : given.split('#')[0];
  if (!address) {
    const isLocal = page.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(page.hostname);
    address = `ws://${isLocal ? page.host : '127.0.0.1:7373'}/live`;
  }
  if (!/^[a-z]+:\/\//.test(address)) address = `ws://${address}`;
  const url = new URL(address.replace(/^http/, 'ws'));
  if (!/^wss?:$/.test(url.protocol)) throw new Error(`${url.protocol} is no WebSocket`);
  if (!url.port && url.protocol === 'ws:') url.port = '7373';
  if (url.pathname === '/') url.pathname = '/live';
  return { url: url.href, token: values.get('token') ?? '' };
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
      this.address = liveAddress(text, location);
    } catch (error) {
      return this.say(`That is no address of a stream: ${error.message}`);
    }
    this.pause_ms = kFirstPause_ms;
    this.connect();
  }

  connect() {
    const { url, token } = this.address;
    this.say('Connecting…');
    const socket = new WebSocket(url, token ? [kProtocol, `token.${token}`] : [kProtocol]);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    let isOpen = false;
    socket.onopen = () => {
      isOpen = true;
      this.pause_ms = kFirstPause_ms;
      this.say('');
    };
    socket.onmessage = ({ data }) => {
      if (this.socket === socket && data instanceof ArrayBuffer) this.deliver(data);
    };
    socket.onclose = ({ reason }) => {
      if (this.socket !== socket) return;
      // A page is not told why a handshake failed.
      const why = isOpen ? `the connection was lost${reason ? `: ${reason}` : ''}`
        : `nothing answers at ${url}, or it does not let this page in (token, --allow-origin ${location.origin})`;
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
