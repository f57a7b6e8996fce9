// The hosts in their workers: one reads files, the other runs programs and sample models. Each is started when there is
// something to tell it.

import { CancelSender } from './cancels.mjs';

export const kFiles = 0;
export const kPrograms = 1;

export class Hosts {
  /// `scripts`: of each host. `deliver(host, buffer)` gets what a host says, `stopped(host, why)` hears that one is gone.
  constructor(scripts, deliver, stopped) {
    this.scripts = scripts;
    this.deliver = deliver;
    this.stopped = stopped;
    this.workers = scripts.map(() => null);
    this.heard = scripts.map(() => {
      const one = {};
      one.promise = new Promise((resolve) => { one.resolve = resolve; });
      return one;
    });
    this.groups = [];  // files that the person gave: a host that starts later gets them, too
  }

  start(host) {
    if (this.workers[host]) return;
    const worker = new Worker(new URL(this.scripts[host], import.meta.url), { type: 'module', name: `nnscope ${host === kPrograms ? 'programs' : 'core'}` });
    this.workers[host] = worker;
    worker.onmessage = ({ data }) => {
      this.heard[host].resolve();
      if (data instanceof ArrayBuffer) this.deliver(host, data);
      else this.lose(host, data.failed);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.lose(host, event.message || 'its program did not load');
    };
    for (const group of this.groups) worker.postMessage(group);
    if (host === kPrograms) this.cancels = new CancelSender(worker);
  }

  /// The host that runs programs is to cancel that request, even while it is inside of a call that does not end.
  cancelProgram(request) {
    if (this.workers[kPrograms]) this.cancels.cancel(request);
  }

  /// Once that host has said something for the first time: then all of it is loaded.
  whenHeard(host) {
    return this.heard[host].promise;
  }

  /// The worker ends. What runs programs is started anew by the next of them; what reads files is not.
  lose(host, why) {
    console.error(`nnscope host ${host}: ${why}`);
    this.workers[host].terminate();
    if (host === kPrograms) {
      this.workers[host] = null;
      this.cancels.end();
    }
    this.stopped(host, why);
  }

  send(host, message, transfer) {
    this.start(host);
    this.workers[host].postMessage(message, transfer);
  }

  /// Files under a number, for whichever host will be told to open it.
  give(source, files) {
    const group = { source, files };
    this.groups.push(group);
    this.start(kFiles);
    for (const worker of this.workers) worker?.postMessage(group);
  }
}
