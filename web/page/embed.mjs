// The explorer in a frame of another page: the page around it may lead a lesson, and hears how it goes. It can say no
// more than a person could press, and is told nothing of what is open.
//
// To the frame: {nnscope: 'next'}, {nnscope: 'back'}, {nnscope: 'go', stop: NUMBER}.
// From the frame: {nnscope: 'stop', stop, stops, title}, {nnscope: 'answer', stop, right}.

const kStep = /^Step (\d+) of (\d+): (.*)$/;

/// What a message asks for: {key} to be pressed, or {link} to be followed; null: nothing that is known.
export function askedBy(data, link) {
  if (data === null || typeof data !== 'object') return null;
  if (data.nnscope === 'next') return { key: 'PageDown' };
  if (data.nnscope === 'back') return { key: 'PageUp' };
  if (data.nnscope !== 'go' || !Number.isSafeInteger(data.stop) || data.stop < 1) return null;
  const values = new URLSearchParams(link);
  values.set('stop', String(data.stop));
  return { link: values.toString() };
}

/// Compares what stands on the screen with what was told; gives the messages that are news.
export class Progress {
  constructor() {
    this.step = '';
    this.answer = '';
  }

  /// `lines`: the texts of the status controls.
  news(lines) {
    const told = [];
    const step = lines.find((line) => kStep.test(line)) ?? '';
    if (step && step !== this.step) {
      this.step = step;
      this.answer = '';
      const [, stop, stops, title] = kStep.exec(step);
      told.push({ nnscope: 'stop', stop: Number(stop), stops: Number(stops), title });
    }
    const answer = lines.find((line) => /^(Right:|Not so\.)/.test(line)) ?? '';
    if (answer !== this.answer) {
      this.answer = answer;
      if (answer) told.push({ nnscope: 'answer', stop: Number(kStep.exec(this.step)?.[1] ?? 0), right: answer.startsWith('Right') });
    }
    return told;
  }
}

/// `act({key} or {link})` carries out; returns what is to be called when the controls have changed.
export function embed(root, act) {
  if (window.parent === window) return () => {};
  const progress = new Progress();
  addEventListener('message', ({ source, data }) => {
    const asked = source === window.parent ? askedBy(data, location.hash.slice(1)) : null;
    if (asked) act(asked);
  });
  return () => {
    const lines = [...root.querySelectorAll('[role="status"]')].map((one) => one.getAttribute('aria-label') ?? one.textContent);
    // Nothing that a page must not know: only how far its own lesson is.
    for (const message of progress.news(lines)) window.parent.postMessage(message, '*');
  };
}
