// The browser's clipboard and its storage of small settings.

/// Puts `text` on the clipboard; must run inside of a click or key press. False: the browser refuses.
export function copyText(text) {
  if (navigator.clipboard?.writeText) {
    navigator.clipboard.writeText(text).catch(() => copyByCommand(text));
    return true;
  }
  return copyByCommand(text);
}

// Pages that are not on https or on this machine have no clipboard interface, but the old command.
function copyByCommand(text) {
  const area = document.getElementById('clipboard');
  const focused = document.activeElement;
  area.hidden = false;
  area.value = text;
  area.select();
  let isDone = false;
  try {
    isDone = document.execCommand('copy');
  } catch {
    isDone = false;
  }
  area.value = '';
  area.hidden = true;
  focused?.focus({ preventScroll: true });
  return isDone;
}

/// Texts by key that outlive the page; only as long as the page where the browser stores nothing. Keys that begin with `tab.`
/// belong to this tab alone.
const storageOf = (key) => (key.startsWith('tab.') ? sessionStorage : localStorage);

export class Settings {
  constructor() {
    this.own = new Map();
  }
  load(key) {
    try {
      return storageOf(key).getItem(`nnscope.${key}`) ?? this.own.get(key) ?? null;
    } catch {
      return this.own.get(key) ?? null;
    }
  }
  save(key, value) {
    this.own.set(key, value);
    try {
      storageOf(key).setItem(`nnscope.${key}`, value);
    } catch {
      // Storage is full or forbidden: the setting lasts until the page is closed.
    }
  }
}
