// What is said instead of the picture when the browser cannot show it.

/// Shows `what` went wrong and what the person can do about it. The page stays as it is behind it.
export function showTrouble(what, remedy) {
  document.getElementById('trouble-what').textContent = what;
  document.getElementById('trouble-remedy').textContent = remedy;
  document.getElementById('trouble').hidden = false;
}

/// Why this browser cannot run the page: [what, remedy], or null.
export function missingFeature() {
  const update = 'Any current Chrome, Edge, Firefox or Safari can. The command line shows the same: nnscope inspect FILE.';
  if (typeof WebAssembly !== 'object') {
    return ['WebAssembly is missing or switched off in this browser.', `Switch it on (some lockdown modes turn it off), or use another browser. ${update}`];
  }
  if (typeof Worker !== 'function' || typeof ResizeObserver !== 'function') {
    return ['This browser is too old.', update];
  }
  return null;
}

export const kNoWebGl2 = [
  'WebGL 2 is not available in this browser.',
  'Switch on hardware acceleration in the browser’s settings and restart it, or update the graphics driver. The command line shows the same: nnscope inspect FILE.',
];
