// The controls of the picture as real elements: transparent, at their places, with ARIA roles and names. Screen readers
// and tests see these. What a mouse or keyboard does reaches the picture through input.mjs whatever element is hit; here
// are focus, clicks without a pointer, and text.

const kText = new Set(['textbox', 'searchbox', 'combobox']);
/// Elements that structure the page and are no target of their own.
const kHollow = new Set(['application', 'main', 'banner', 'navigation', 'region', 'status', 'alert', 'dialog', 'toolbar',
  'tablist', 'tabpanel', 'tree', 'table', 'list', 'menu', 'group', 'listbox', 'row', 'text', 'heading']);
/// One Tab stop for all of these inside of one parent; arrow keys go between them.
const kRoving = new Set(['treeitem', 'tab', 'menuitem', 'option', 'row', 'listitem', 'cell']);
/// An element of these roles says its name with its own text, so that it can be read letter by letter.
const kSpoken = new Set(['text', 'cell', 'columnheader', 'rowheader', 'heading', 'listitem', 'status', 'alert']);
/// What has a place between two ends.
const kRanges = new Set(['progressbar', 'slider', 'separator', 'scrollbar', 'meter']);

const kSetTextWait_ms = 1000;

function tagOf(role) {
  return kText.has(role) ? 'input' : 'div';
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === '') {
    element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, value);
  }
}

const triState = (value) => (value === undefined || value < 0 ? null : value > 0 ? 'true' : 'false');

/// Keeps the elements under `root` equal to the controls of the picture; `act(id, kind, text)` hands over what was asked of one,
/// and `isBehind()` tells whether the focus there is still on its way.
export class AccessTree {
  constructor(root, act, isBehind) {
    this.root = root;
    this.act = act;
    this.isBehind = isBehind;
    this.focusedId = 0;  // of the control that has the focus in the picture
    this.controls = new Map();  // id -> {element, state}
    this.isOurFocus = false;
    // A focus that a press of the pointer brings is no news: the picture hears of the press itself.
    this.isPressed = false;
    addEventListener('pointerdown', () => { this.isPressed = true; }, true);
    for (const type of ['pointerup', 'pointercancel', 'keydown']) addEventListener(type, () => { this.isPressed = false; }, true);
    root.addEventListener('focusin', (event) => this.focused(event));
    root.addEventListener('click', (event) => {
      // With a pointer the picture was told already; without one (assistive technology, element.click()) it was not.
      if (event.detail === 0) this.forward(event, 'activate');
    });
    root.addEventListener('input', (event) => this.typed(event));
    for (const [type, composes] of [['compositionstart', true], ['compositionend', false]]) {
      root.addEventListener(type, (event) => [root, event.target].forEach((element) => element.classList.toggle('composing', composes)));
    }
  }

  /// `update`: {gone: [id], set: [{id, ...changed fields}], order: {parent: [id]}}; parent 0 is the page.
  apply(update) {
    const hadFocus = this.hasFocus();
    for (const change of update.set) {
      const control = this.control(change);
      Object.assign(control.state, change);
      this.show(control, change);
      if (change.focused) this.focusedId = change.id;
      else if (change.focused === 0 && this.focusedId === change.id) this.focusedId = 0;
    }
    for (const [parent, children] of Object.entries(update.order)) this.arrange(Number(parent), children);
    for (const id of update.gone) {
      this.controls.get(id)?.element.remove();
      this.controls.delete(id);
      if (this.focusedId === id) this.focusedId = 0;
    }
    for (const parent of new Set(update.set.map((change) => this.controls.get(change.id)?.element.parentElement))) {
      if (parent) this.rove(parent);
    }
    // An element that goes, becomes another or is moved with what holds it takes the focus along.
    const isLost = hadFocus && !this.hasFocus();
    this.moveFocus(isLost || update.set.some((change) => change.focused !== undefined));
  }

  hasFocus() {
    return document.activeElement?.dataset.id !== undefined;
  }

  moveFocus(isNews) {
    // The picture may not have heard yet of where the person went since: its older news must not call them back.
    this.isFocusNews ||= isNews;
    if (!this.isFocusNews || this.isBehind()) return;
    this.isFocusNews = false;
    const element = this.controls.get(this.focusedId)?.element ?? null;
    if (element === document.activeElement) return;
    this.isOurFocus = true;
    if (element) element.focus({ preventScroll: true });
    else if (this.hasFocus()) document.activeElement.blur();
    this.isOurFocus = false;
  }

  control(change) {
    let control = this.controls.get(change.id);
    if (control && change.role && tagOf(control.state.role) !== tagOf(change.role)) {
      const element = this.make(change.id, change.role);
      element.append(...control.element.childNodes);
      control.element.replaceWith(element);
      control = { element, state: control.state };
      this.controls.set(change.id, control);
      this.show(control, control.state);
    }
    if (!control) {
      control = { element: this.make(change.id, change.role), state: { id: change.id } };
      this.controls.set(change.id, control);
    }
    return control;
  }

  make(id, role) {
    const element = document.createElement(tagOf(role));
    element.dataset.id = id;
    if (element.tagName === 'INPUT') {
      element.type = 'text';  // not `search`, whose cross would lie over the picture's
      element.autocomplete = 'off';
      element.spellcheck = false;
      element.setAttribute('autocapitalize', 'off');
    }
    return element;
  }

  /// Writes the fields that `change` has.
  show({ element, state }, change) {
    if ('role' in change) {
      setAttribute(element, 'role', state.role === 'text' ? null : state.role);
      element.toggleAttribute('data-hollow', kHollow.has(state.role) && !state.focusable);
    }
    if ('name' in change || 'role' in change) {
      const isSpoken = kSpoken.has(state.role) && element.childElementCount === 0;
      setAttribute(element, 'aria-label', isSpoken ? null : state.name);
      if (isSpoken && element.textContent !== state.name) element.textContent = state.name;
    }
    if ('value' in change || 'description' in change) this.showValue(element, state);
    if ('box' in change) {
      const [x, y, width, height] = state.box;
      Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    }
    if ('focusable' in change) {
      element.toggleAttribute('data-hollow', kHollow.has(state.role) && !state.focusable);
      if (!state.focusable) element.removeAttribute('tabindex');
      else if (!kRoving.has(state.role)) element.tabIndex = 0;
    }
    if ('disabled' in change) {
      setAttribute(element, 'aria-disabled', state.disabled ? 'true' : null);
      if (element.tagName === 'INPUT') element.readOnly = Boolean(state.disabled);
    }
    if ('takesTab' in change) element.toggleAttribute('data-takes-tab', Boolean(state.takesTab));
    if ('expanded' in change) setAttribute(element, 'aria-expanded', triState(state.expanded));
    if ('selected' in change) {
      // An item of a list cannot be selected, but it can be the one that everything is about.
      if (state.role === 'listitem') setAttribute(element, 'aria-current', state.selected > 0 ? 'true' : null);
      else setAttribute(element, 'aria-selected', triState(state.selected));
    }
    if ('checked' in change) {
      setAttribute(element, state.role === 'button' ? 'aria-pressed' : 'aria-checked', triState(state.checked));
    }
    if ('level' in change) setAttribute(element, 'aria-level', state.level || null);
    if ('position' in change) {
      setAttribute(element, state.role === 'row' ? 'aria-rowindex' : 'aria-posinset', state.position || null);
    }
    if ('setSize' in change && state.role !== 'row') setAttribute(element, 'aria-setsize', state.setSize || null);
    if ('range' in change) {
      const [low, high, now] = state.range;
      const known = high > low;
      setAttribute(element, 'aria-valuemin', known ? low : null);
      setAttribute(element, 'aria-valuemax', known ? high : null);
      setAttribute(element, 'aria-valuenow', known ? now : null);
    }
  }

  showValue(element, state) {
    const isField = element.tagName === 'INPUT';
    const isRange = kRanges.has(state.role);
    // Only what has a range may have a text of its value; elsewhere the value belongs to the description.
    const isDescribed = !isField && !isRange && !kSpoken.has(state.role);
    const description = [state.description, isDescribed ? state.value : ''].filter(Boolean).join(', ');
    setAttribute(element, 'aria-description', description || null);
    if (isRange) setAttribute(element, 'aria-valuetext', state.value);
    if (!isField) return;
    if (element.classList.contains('composing')) return;
    // What the person typed is on its way to the picture: an older text must not overwrite it.
    if (state.typed !== undefined && state.value !== state.typed && performance.now() < state.typedUntil) return;
    state.typed = undefined;
    if (element.value !== state.value) element.value = state.value;
  }

  arrange(parent, children) {
    const container = parent === 0 ? this.root : this.controls.get(parent)?.element;
    if (!container) return;
    let after = container.firstElementChild;
    for (const id of children) {
      const element = this.controls.get(id)?.element;
      if (!element) continue;
      if (element === after) {
        after = after.nextElementSibling;
      } else {
        this.isOurFocus = true;  // an element that is moved loses the focus and gets it back
        const hadFocus = element === document.activeElement;
        container.insertBefore(element, after);
        if (hadFocus) element.focus({ preventScroll: true });
        this.isOurFocus = false;
      }
    }
  }

  rove(parent) {
    const items = [...parent.children].filter((child) => {
      const state = this.controls.get(Number(child.dataset.id))?.state;
      return state?.focusable && kRoving.has(state.role);
    });
    if (items.length === 0) return;
    const state = (item) => this.controls.get(Number(item.dataset.id)).state;
    const stop = items.find((item) => state(item).focused) ?? items.find((item) => state(item).selected > 0) ?? items[0];
    for (const item of items) {
      const index = item === stop ? 0 : -1;
      if (item.tabIndex !== index || !item.hasAttribute('tabindex')) item.tabIndex = index;
    }
  }

  focused(event) {
    if (!this.isOurFocus && !this.isPressed) this.forward(event, 'focus');
  }

  typed(event) {
    const control = this.controls.get(Number(event.target.dataset.id));
    if (!control || event.isComposing) return;
    control.state.typed = event.target.value;
    control.state.typedUntil = performance.now() + kSetTextWait_ms;
    this.forward(event, 'text', event.target.value);
  }

  forward(event, kind, text = '') {
    const target = event.target.closest?.('[data-id]');
    if (target) this.act(Number(target.dataset.id), kind, text);
  }
}
