// Pointer, wheel, touch and keyboard events of the page, told to the picture in its own terms:
// positions in CSS pixels, wheel in lines of scrolling, keys by their names.

/// The picture scrolls this many CSS pixels for one unit of the wheel (five lines of text).
const kWheelUnit_px = 80;
const kLine_px = 100 / 3;
const kTapSlop_px = 8;
const kHold_ms = 350;
const kPinchUnit = 0.15;  // change of the fingers' distance that counts as one unit of the wheel

/// What the browser keeps for itself: its own tabs, reloading, zooming, developer tools.
function belongsToBrowser(event) {
  const key = event.key.toLowerCase();
  if (/^f(3|5|7|11|12)$/.test(key)) return true;
  if (event.key === 'Tab' || event.key === 'Unidentified' || event.key === 'Process') return true;
  if (!event.ctrlKey && !event.metaKey) return event.altKey && (key === 'd' || key === 'f4');
  if (event.shiftKey && /^[ijcnrtw]$/.test(key)) return true;
  return /^[rtwnlq+\-=0-9]$/.test(key);
}

/// Copying, cutting and pasting also happen in the element that has the focus.
function isClipboardKey(event) {
  return (event.ctrlKey || event.metaKey) && /^[cxv]$/i.test(event.key);
}

/// The name under which the picture knows a key: by what it types where that is ASCII, else by its place on the keyboard.
export function keyName(event) {
  if (event.code.startsWith('Numpad') || /^(Shift|Control|Alt|Meta)(Left|Right)$/.test(event.code)) return event.code;
  if (/^[a-z]$/i.test(event.key)) return `Key${event.key.toUpperCase()}`;
  if (/^[0-9]$/.test(event.key)) return `Digit${event.key}`;
  return event.code || event.key;
}

/// Whether a key writes its character. Not with Ctrl or Command, and not with Alt where the character is the letter that is
/// on the key: that is a command. Where Alt chooses among the characters of a key (AltGr, Option on a Mac), it writes.
export function isText(event) {
  if ([...event.key].length !== 1) return false;
  if (event.getModifierState('AltGraph')) return true;
  return !event.ctrlKey && !event.metaKey && !(event.altKey && /^[a-z0-9]$/i.test(event.key));
}

/// Whether a key that is held acts again and again. The picture counts no time itself: a slow frame must not repeat anything.
const repeats = (event) => event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey &&
  /^(Arrow|Page|Backspace|Delete)/.test(event.key);

/// Units of the wheel that an event stands for: [right, down].
export function wheelUnits(event, pageHeight) {
  const scale = event.deltaMode === 1 ? kLine_px : event.deltaMode === 2 ? pageHeight : 1;
  let right = (event.deltaX * scale) / kWheelUnit_px;
  let down = (event.deltaY * scale) / kWheelUnit_px;
  // With Shift some browsers turn the wheel sideways themselves; the picture wants to do that on its own.
  if (event.shiftKey && down === 0) [right, down] = [0, right];
  return [right, down];
}

/// Listens to the page and tells `picture`: pointer(x, y), button(which, down), wheel(right, down), key(name, down),
/// modifiers(ctrl, shift, alt, meta), text(characters), focus(has), leave(). `changed(now)` follows each: the picture may
/// have to be drawn anew; with `now`, before the event's handler returns (the clipboard demands that).
/// `dragsAt(element)`: whether a finger there moves something rather than scrolls. `isModal()`: a dialog is open.
/// `catchUp()` draws until the picture has followed all that it was told.
export function listen(canvas, picture, changed, { dragsAt, isModal, catchUp }) {
  const modifiers = (event) => picture.modifiers(event.ctrlKey, event.shiftKey, event.altKey, event.metaKey);
  const at = (event) => picture.pointer(event.clientX, event.clientY);
  const pressed = new Set();
  let hasPressed = false;  // a key since the last Tab

  // ---- mouse and pen
  const buttons = { 0: 0, 1: 2, 2: 1, 3: 3, 4: 4 };  // the picture counts left, right, middle, back, forward
  addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch') return;
    at(event);
    changed();
  });
  addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch') return;
    modifiers(event);
    at(event);
    picture.button(buttons[event.button] ?? 0, true);
    canvas.setPointerCapture(event.pointerId);
    // An element that takes no focus must not take it away from a text field for the browser's reasons: the picture decides.
    if (!event.target.closest?.('[tabindex], input')) event.preventDefault();
    changed();
  });
  addEventListener('pointerup', (event) => {
    if (event.pointerType === 'touch') return;
    at(event);
    picture.button(buttons[event.button] ?? 0, false);
    changed(true);
  });
  addEventListener('pointercancel', (event) => {
    if (event.pointerType === 'touch') return;
    for (const button of Object.values(buttons)) picture.button(button, false);
    changed();
  });
  document.documentElement.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'touch' || event.buttons !== 0) return;
    picture.leave();
    changed();
  });
  addEventListener('contextmenu', (event) => event.preventDefault());
  addEventListener('auxclick', (event) => event.preventDefault());
  addEventListener('mousedown', (event) => {
    // Middle button: no automatic scrolling. Back and forward are for the picture.
    if (event.button !== 0) event.preventDefault();
  });

  addEventListener('wheel', (event) => {
    event.preventDefault();
    modifiers(event);
    at(event);
    picture.wheel(...wheelUnits(event, innerHeight));
    if (event.ctrlKey && !pressed.has('ControlLeft') && !pressed.has('ControlRight')) {
      // A pinch on a touch pad comes as a wheel with Ctrl that nobody holds.
      picture.modifiers(false, event.shiftKey, event.altKey, event.metaKey);
    }
    changed();
  }, { passive: false });

  listenToTouch(picture, changed, dragsAt);

  // ---- keyboard
  addEventListener('keydown', (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    modifiers(event);
    // The browser moves the focus, and the picture hears of it as of any focus; but not out of a dialog.
    const takesTab = event.key === 'Tab' && event.target.hasAttribute?.('data-takes-tab');
    if (event.key === 'Tab' && !takesTab && !isModal()) {
      // From where the last key led to, among the controls that it brought.
      if (hasPressed) catchUp();
      hasPressed = false;
      return;
    }
    hasPressed ||= !/^(Shift|Control|Alt|Meta)$/.test(event.key);
    const isInField = event.target.tagName === 'INPUT';
    // What the browser acts on must not act in the picture as well; Tab comes here only inside of a dialog.
    if (belongsToBrowser(event) && event.key !== 'Tab') return;
    const name = keyName(event);
    const isPaste = isInField && isClipboardKey(event) && /^v$/i.test(event.key);
    if (!isPaste && !event.repeat) {
      pressed.add(name);
      picture.key(name, true);
    } else if (repeats(event)) {
      picture.key(name, false);
      picture.key(name, true);
    }
    if (isText(event)) picture.text(event.key);
    if (!isClipboardKey(event)) event.preventDefault();
    changed(event.ctrlKey || event.metaKey || event.key === 'Enter' || event.key === ' ');
  });
  addEventListener('keyup', (event) => {
    modifiers(event);
    const name = keyName(event);
    if (pressed.delete(name)) picture.key(name, false);
    changed();
  });
  addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain');
    if (!text) return;
    event.preventDefault();
    picture.text(text);
    changed();
  });
  addEventListener('compositionend', (event) => {
    if (event.data) picture.text(event.data);
    changed();
  });

  addEventListener('blur', () => {
    pressed.clear();
    picture.focus(false);
    changed();
  });
  addEventListener('focus', () => {
    picture.focus(true);
    changed();
  });
}

/// One finger taps, scrolls, or (held, or on something that drags) moves; two fingers zoom and scroll.
function listenToTouch(picture, changed, dragsAt) {
  const fingers = new Map();
  let mode = 'none';  // none, undecided, scroll, drag, pinch
  let start = null;
  let hold = 0;
  let distance = 0;

  const middle = () => {
    const all = [...fingers.values()];
    return { x: all.reduce((sum, f) => sum + f.x, 0) / all.length, y: all.reduce((sum, f) => sum + f.y, 0) / all.length };
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  const press = () => {
    mode = 'drag';
    picture.pointer(start.x, start.y);
    picture.button(0, true);
    changed();
  };
  const end = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    clearTimeout(hold);
    if (fingers.size > 0) return;
    if (mode === 'undecided' && event.type === 'pointerup') {
      picture.pointer(start.x, start.y);
      changed(true);
      picture.button(0, true);
      changed(true);
    }
    if (mode === 'undecided' || mode === 'drag') picture.button(0, false);
    changed(true);
    // A finger that is not there hovers over nothing.
    picture.leave();
    changed();
    mode = 'none';
  };

  addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 1) {
      start = { x: event.clientX, y: event.clientY };
      mode = 'undecided';
      picture.pointer(start.x, start.y);
      if (dragsAt(event.target)) press();
      else hold = setTimeout(press, kHold_ms);
    } else if (fingers.size === 2) {
      clearTimeout(hold);
      if (mode === 'drag') picture.button(0, false);
      mode = 'pinch';
      distance = spread();
      start = middle();
    }
    changed();
  });
  addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const before = middle();
    finger.x = event.clientX;
    finger.y = event.clientY;
    const now = middle();
    if (mode === 'undecided' && Math.hypot(now.x - start.x, now.y - start.y) > kTapSlop_px) {
      clearTimeout(hold);
      mode = 'scroll';
    }
    if (mode === 'drag') {
      picture.pointer(now.x, now.y);
    } else if (mode === 'scroll' || mode === 'pinch') {
      picture.pointer(start.x, start.y);
      picture.wheel((before.x - now.x) / kWheelUnit_px, (before.y - now.y) / kWheelUnit_px);
    }
    if (mode === 'pinch' && fingers.size === 2) {
      const grown = Math.log(spread() / Math.max(1, distance));
      distance = spread();
      picture.pointer(now.x, now.y);
      picture.modifiers(true, false, false, false);
      picture.wheel(0, -grown / kPinchUnit);
      picture.modifiers(false, false, false, false);
    }
    changed();
  });
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
}
