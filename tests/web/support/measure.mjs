// How long things take and how much memory they need, as the browser itself sees it.
import { readFileSync } from 'node:fs';

/// The middle one of some numbers.
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/// Resident bytes of the browser's largest renderer process: the page's, whose worker lives in it as well.
export async function rendererBytes(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const resident = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => {
    try {
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]) * 1024;
    } catch {
      return 0;  // it ended in between
    }
  });
  return Math.max(...resident);
}

/// Runs in the page before its own scripts: notes when what happens. Times are performance.now() of the page.
export function watchPage() {
  const watch = { firstControls: 0, frames: [], given: 0, drawn: 0, wanted: null };
  window.nnsWatch = watch;
  const original = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => original((time) => {
    const begin = performance.now();
    callback(time);
    watch.frames.push(performance.now() - begin);
  });
  addEventListener('change', () => { watch.given = performance.now(); }, true);
  addEventListener('drop', () => { watch.given = performance.now(); }, true);
  const found = () => [...document.querySelectorAll('#controls [role="treeitem"]')]
    .some((element) => (element.getAttribute('aria-label') ?? '').startsWith(watch.wanted));
  new MutationObserver(() => {
    if (watch.firstControls === 0 && document.querySelector('#controls [data-id]')) watch.firstControls = performance.now();
    if (watch.wanted !== null && watch.drawn === 0 && found()) {
      watch.drawn = -1;
      // The picture is on the screen when the next one may be drawn.
      original(() => { watch.drawn = performance.now(); });
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-label'] });
}

/// Counts the bytes that the core reads of files from now on; gives a function that tells them.
export async function countFileBytes(page) {
  const worker = page.workers()[0];
  await worker.evaluate(() => {
    self.nnsBytes = 0;
    const read = FileReaderSync.prototype.readAsArrayBuffer;
    FileReaderSync.prototype.readAsArrayBuffer = function (blob) {
      self.nnsBytes += blob.size;
      return read.call(this, blob);
    };
  });
  return () => worker.evaluate(() => self.nnsBytes);
}
