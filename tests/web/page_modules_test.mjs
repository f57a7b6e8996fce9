// The parts of the page's JavaScript that need no browser.
import assert from 'node:assert/strict';
import { resolveObjectURL } from 'node:buffer';
import test from 'node:test';
import { CancelReader, CancelSender } from '../../web/page/cancels.mjs';
import { askedBy, Progress } from '../../web/page/embed.mjs';
import { droppedFiles, groupFiles } from '../../web/page/files.mjs';
import { isText, keyName, wheelUnits } from '../../web/page/input.mjs';
import { besideAddress, bytesAddresses } from '../../web/page/links.mjs';
import { liveAddresses } from '../../web/page/live.mjs';
import { probe, sizeOfContentRange, Sources, kFailed } from '../../web/page/sources.mjs';

/// Files by their paths, or [path, text] where it matters what is in them.
const given = (...files) => files.map((one) => {
  const [path, text] = Array.isArray(one) ? one : [one, ''];
  return { path, file: new Blob([text]) };
});
const opened = async (...files) => (await groupFiles(given(...files))).map((group) => [group.name, group.files.map((file) => file.path)]);
const openedNames = async (...files) => (await opened(...files)).map(([name]) => name);

const bytesAddress = (text) => {
  const addresses = bytesAddresses(text);
  assert.equal(addresses.length, 1);
  return addresses[0];
};

test('a worker that does not return hears which request is to be cancelled, once', () => {
  // In a browser this is a request that blocks; here the registry of addresses is asked.
  globalThis.XMLHttpRequest = class {
    open(_, address) { this.address = address; }
    send() { this.status = resolveObjectURL(this.address) ? 200 : 0; }
  };
  const reader = new CancelReader();
  const sender = new CancelSender({ postMessage: ({ cancels }) => { reader.renewed = cancels; } });
  const hear = () => {
    // The message with fresh addresses comes when the worker returns.
    reader.take(reader.renewed);
    reader.listened = -Infinity;
  };
  hear();
  assert.equal(reader.request(), 0);
  for (const request of [1, 70001, 2 ** 29 + 5]) {
    sender.cancel(request);
    assert.equal(reader.request(), request);
    assert.equal(reader.request(), 0);
    hear();
    assert.equal(reader.request(), 0);
  }
  sender.cancel(3);
  reader.listen();
  assert.equal(reader.request(), 0, 'where messages come they are waited for');
  sender.cancel(2 ** 40);
  sender.end();
  delete globalThis.XMLHttpRequest;
});

test('a stream is looked for where the page came from, then at the usual port of this machine', () => {
  const page = (address) => new URL(address);
  const urls = (text, from) => liveAddresses(text, page(from)).urls;
  assert.deepEqual(urls('', 'http://127.0.0.1:8000/'), ['ws://127.0.0.1:8000/live', 'ws://127.0.0.1:7373/live']);
  assert.deepEqual(urls('', 'http://localhost/'), ['ws://localhost/live', 'ws://127.0.0.1:7373/live']);
  assert.deepEqual(urls('', 'http://localhost:7373/'), ['ws://localhost:7373/live']);
  assert.deepEqual(urls('', 'https://example.org/nnscope/'), ['ws://127.0.0.1:7373/live']);
  assert.deepEqual(urls('node7', 'http://localhost:8000/'), ['ws://node7:7373/live']);
  assert.deepEqual(liveAddresses('http://node7:80/#attach=wss://node7/live&token=abc', page('https://example.org/')),
    { urls: ['wss://node7/live'], token: 'abc' });
});

test('a Hugging Face repository leads to its index, else to its only file', () => {
  const names = ['model.safetensors.index.json', 'model.safetensors', 'pytorch_model.bin.index.json', 'pytorch_model.bin'];
  const under = (folder) => names.map((name) => `https://huggingface.co/${folder}/${name}`);
  assert.deepEqual(bytesAddresses('https://huggingface.co/openai-community/gpt2'), under('openai-community/gpt2/resolve/main'));
  assert.deepEqual(bytesAddresses('https://huggingface.co/org/name/?library=transformers#files').map((address) => address.split('?')[0]),
    under('org/name/resolve/main'));
  assert.deepEqual(bytesAddresses('https://huggingface.co/gpt2'), under('gpt2/resolve/main'));
  assert.deepEqual(bytesAddresses('https://huggingface.co/org/name/tree/v2/sub'), under('org/name/resolve/v2/sub'));
  for (const page of ['', 'models', 'docs/transformers', 'datasets/org/name', 'org/name/discussions']) {
    assert.equal(bytesAddress(`https://huggingface.co/${page}`), `https://huggingface.co/${page}`);
  }
});

test('a Hugging Face page about a file leads to its bytes', () => {
  assert.equal(bytesAddress('https://huggingface.co/org/name/blob/main/sub/model.safetensors?download=true#x'),
    'https://huggingface.co/org/name/resolve/main/sub/model.safetensors?download=true');
  assert.equal(bytesAddress('https://huggingface.co/datasets/org/name/blob/main/a.pt'),
    'https://huggingface.co/datasets/org/name/resolve/main/a.pt');
  assert.equal(bytesAddress('https://huggingface.co/gpt2/blob/main/model.safetensors'),
    'https://huggingface.co/gpt2/resolve/main/model.safetensors');
});

test('a GitHub page about a file leads to its bytes', () => {
  assert.equal(bytesAddress('https://github.com/owner/name/blob/v1.0/sub/model.pt?raw=true'),
    'https://raw.githubusercontent.com/owner/name/v1.0/sub/model.pt');
});

test('an address of bytes stays as it is', () => {
  for (const address of ['https://example.org/a/b.pt?token=1', 'http://127.0.0.1:9000/x', 'https://huggingface.co/org/name/resolve/main/a.pt']) {
    assert.equal(bytesAddress(address), address);
  }
});

test('what is no http address is refused', () => {
  for (const text of ['', 'model.pt', 'file:///etc/passwd', 'javascript:alert(1)', 'data:text/plain,x']) {
    assert.throws(() => bytesAddress(text));
  }
});

test('a shard lies beside its index, with the same query', () => {
  assert.equal(besideAddress('https://host/a/index.json?token=1', 'model-1.safetensors'), 'https://host/a/model-1.safetensors?token=1');
  assert.equal(besideAddress('https://host/a/index.json', 'sub dir/m#1.pt'), 'https://host/a/sub%20dir/m%231.pt');
});

test('files that are dropped one by one are opened one by one', async () => {
  assert.deepEqual(await openedNames('notes.txt', 'a.bin'), ['a.bin', 'notes.txt']);
});

test('an index that is dropped with its shards is opened alone, with them beside it', async () => {
  const [[name, beside], ...others] = await opened('m.index.json', 'm-00001-of-00002.safetensors', 'm-00002-of-00002.safetensors');
  assert.equal(name, 'm.index.json');
  assert.equal(beside.length, 3);
  assert.deepEqual(others, []);
});

test('a folder gives its checkpoints and leaves the rest alone', async () => {
  assert.deepEqual(await openedNames('f/README.md', 'f/model.safetensors', 'f/tokenizer.json', 'f/sub/extra.pt'), ['model.safetensors', 'extra.pt']);
});

test('a config.json is opened by itself only where its weights are not', async () => {
  assert.deepEqual(await openedNames('config.json'), ['config.json']);
  assert.deepEqual((await opened('config.json', 'model.safetensors')).map(([name, beside]) => [name, beside.length]), [['model.safetensors', 2]]);
  assert.deepEqual(await openedNames('config.json', 'other.pt'), ['config.json', 'other.pt']);
});

test('a quantize_config.json goes with its weights, and is opened by itself without them', async () => {
  assert.deepEqual(await openedNames('quantize_config.json'), ['quantize_config.json']);
  assert.deepEqual(await openedNames('f/quantize_config.json', 'f/README.md'), ['quantize_config.json']);
  for (const weights of ['model.safetensors', 'gptq_model-4bit-128g.safetensors']) {
    for (const folder of ['', 'f/']) {
      assert.deepEqual(await opened(`${folder}${weights}`, `${folder}quantize_config.json`), [[weights, [weights, 'quantize_config.json']]]);
    }
  }
});

test('paths beside an index are relative to its folder', async () => {
  const [[name, beside]] = await opened('f/m.index.json', 'f/parts/m-00001-of-00001.safetensors', 'g/other.txt');
  assert.equal(name, 'm.index.json');
  assert.deepEqual(beside, ['m.index.json', 'parts/m-00001-of-00001.safetensors']);
});

test('shards without an index are opened once', async () => {
  assert.deepEqual(await openedNames('f/m-00002-of-00002.bin', 'f/m-00001-of-00002.bin'), ['m-00001-of-00002.bin']);
});

const lesson = (name) => [name, '# A title\n\n```python\nimport helper\n```\n\n## A stop\nstop: end\n'];
const readme = (name) => [name, '# A project\n\nUse it so:\n\n```python\nimport project\n```\n\n## stop\n'];
const source = (name, text = '') => [name, text];

test('a lesson is opened alone, with all that was given along beside it', async () => {
  const all = ['data.csv', 'helper.py', 'own.md', 'weights.pt'];
  assert.deepEqual(await opened(...all.slice(0, 2), lesson('own.md'), 'weights.pt'), [['own.md', all]]);
  assert.deepEqual(await opened('f/data.csv', 'f/helper.py', lesson('f/own.md'), 'f/weights.pt'), [['own.md', all]]);
  assert.deepEqual(await opened('parts/data.csv', 'parts/model.safetensors', lesson('own.md')), [['own.md', ['parts/data.csv', 'parts/model.safetensors', 'own.md']]]);
});

test('what explains a project is no lesson, although source is in it', async () => {
  assert.deepEqual(await openedNames(readme('f/README.md'), source('f/main.py')), ['main.py']);
  assert.deepEqual(await openedNames(readme('README.md'), source('main.py')), ['main.py']);
  assert.deepEqual(await openedNames(readme('f/README.md'), lesson('f/second.md'), lesson('f/first.md')), ['first.md'], 'a folder gives its first lesson');
  assert.deepEqual(await openedNames(lesson('second.md'), lesson('first.md')), ['first.md', 'second.md']);
});

test('a folder without weights gives the program that one begins with', async () => {
  const one = (name, ...files) => async () => assert.deepEqual(await openedNames(...files), [name], files.join(' '));
  await one('only.py', 'f/data.csv', source('f/only.py'))();
  await one('main.py', source('f/a.py'), source('f/main.py'), source('f/test_main.py', 'import main'))();
  await one('train.py', source('f/model.py'), source('f/zoo.py', 'from .model import Net'), source('f/train.py', 'import torch, zoo\n'))();
  await one('fit.py', source('f/model.py'), source('f/fit.py', 'from model import Net\nif __name__ == "__main__":\n    Net()\n'), source('f/plot.py'))();
  await one('train.py', source('f/bench.py'), source('f/sample.py'), source('f/train.py'), source('f/setup.py'))();
  await one('go.py', source('f/pkg/__init__.py'), source('f/pkg/main.py'), source('f/go.py'))();
  assert.deepEqual(await opened('f/README.md', source('f/src/main.py'), 'f/src/data/x.npy', 'f/src/config.json'),
    [['main.py', ['main.py', 'data/x.npy', 'config.json']]], 'what is no weights for certain lies beside it');
});

test('weights in a folder are what is opened of it, and what libraries import is no program', async () => {
  assert.deepEqual(await openedNames(source('f/main.py'), 'f/runs/best.pt', 'f/x.npy'), ['x.npy', 'best.pt']);
  assert.deepEqual(await openedNames(source('f/modeling_own.py'), 'f/config.json'), ['config.json']);
  assert.deepEqual(await openedNames('f/notes.txt', source('f/test_it.py')), ['f']);
});

test('beside a program that was chosen data are not opened, weights are, and what it imports lies beside it', async () => {
  const all = ['a.csv', 'config.json', 'helper.py', 'main.py', 'model.safetensors', 'x.npy'];
  assert.deepEqual(await opened(...all.slice(0, 2), source('helper.py'), source('main.py', 'import os, helper\n'), ...all.slice(4)),
    [['main.py', all], ['model.safetensors', all]]);
  assert.deepEqual(await openedNames(source('a.py', 'import torch.b'), source('b.py', '# import a')), ['a.py', 'b.py']);
  assert.deepEqual(await openedNames(source('a.py', 'import b'), source('b.py', 'import a')), ['a.py', 'b.py'], 'two that import each other');
  assert.deepEqual(await openedNames(source('main.py'), source('pkg/other.py'), 'pkg/data.csv'), ['main.py']);
});

test('the size of a file is read from Content-Range, or is unknown', () => {
  assert.equal(sizeOfContentRange('bytes 0-0/810000000000'), 810000000000);
  assert.equal(sizeOfContentRange('bytes */0'), 0);
  for (const header of [null, '', 'bytes 0-0/*', 'bytes 0-0', 'items 0-0/3', 'bytes 0-0/99999999999999999999']) {
    assert.equal(sizeOfContentRange(header), null);
  }
});

test('an address that is none fails at once and tells what is wanted', () => {
  const sources = new Sources(() => {});
  const handle = sources.openAddress('nonsense');
  assert.equal(sources.state(handle), kFailed);
  assert.match(sources.error(handle), /nonsense.*\n.*https? address/);
});

test('a server that cannot be reached is told as that', async () => {
  await assert.rejects(probe('http://127.0.0.1:9/model.pt'), (error) => /cannot be reached/.test(error.message) && error.expected !== '');
});

test('a notch of the wheel is the same in every browser', () => {
  const pixels = wheelUnits({ deltaMode: 0, deltaX: 0, deltaY: 100 }, 800);
  const lines = wheelUnits({ deltaMode: 1, deltaX: 0, deltaY: 3 }, 800);
  assert.deepEqual(pixels, [0, 1.25]);
  assert.ok(Math.abs(lines[1] - pixels[1]) < 1e-9);
});

test('a wheel that the browser turned sideways for Shift is turned back', () => {
  assert.deepEqual(wheelUnits({ deltaMode: 0, deltaX: 80, deltaY: 0, shiftKey: true }, 800), [0, 1]);
});

test('keys are named by what they type where that is ASCII, else by their place', () => {
  assert.equal(keyName({ key: 'z', code: 'KeyY' }), 'KeyZ');
  assert.equal(keyName({ key: 'ф', code: 'KeyA' }), 'KeyA');
  assert.equal(keyName({ key: '/', code: 'Slash' }), 'Slash');
  assert.equal(keyName({ key: 'Control', code: 'ControlRight' }), 'ControlRight');
  assert.equal(keyName({ key: '1', code: 'Numpad1' }), 'Numpad1');
});

test('the page around a frame may lead its lesson and nothing else', () => {
  assert.deepEqual(askedBy({ nnscope: 'next' }, ''), { key: 'PageDown' });
  assert.deepEqual(askedBy({ nnscope: 'back' }, ''), { key: 'PageUp' });
  assert.deepEqual(askedBy({ nnscope: 'go', stop: 3 }, 'sample=lesson%2Fconv1&stop=1'), { link: 'sample=lesson%2Fconv1&stop=3' });
  for (const data of [null, 'next', 7, {}, { nnscope: 'open' }, { nnscope: 'go' }, { nnscope: 'go', stop: 0 }, { nnscope: 'go', stop: '2' }]) {
    assert.equal(askedBy(data, 'stop=1'), null);
  }
});

test('the page around a frame hears each stop and each answer once', () => {
  const progress = new Progress();
  assert.deepEqual(progress.news(['program']), []);
  assert.deepEqual(progress.news(['Step 2 of 7: A stop', 'x']), [{ nnscope: 'stop', stop: 2, stops: 7, title: 'A stop' }]);
  assert.deepEqual(progress.news(['Step 2 of 7: A stop']), []);
  assert.deepEqual(progress.news(['Step 2 of 7: A stop', 'Not so. Look again.']), [{ nnscope: 'answer', stop: 2, right: false }]);
  assert.deepEqual(progress.news(['Step 2 of 7: A stop', 'Right: it is.']), [{ nnscope: 'answer', stop: 2, right: true }]);
  assert.deepEqual(progress.news(['Step 2 of 7: A stop', 'Right: it is.']), []);
  assert.deepEqual(progress.news(['Step 3 of 7: Another']), [{ nnscope: 'stop', stop: 3, stops: 7, title: 'Another' }]);
});

test('a key writes its character, but not where it is a command', () => {
  const event = (key, held = {}) => ({ ctrlKey: false, metaKey: false, altKey: false, ...held, key, getModifierState: (name) => name === 'AltGraph' && Boolean(held.altGraph) });
  assert.ok(isText(event('i')));
  assert.ok(isText(event('I', { shiftKey: true })));
  assert.ok(!isText(event('i', { altKey: true })), 'Alt+I is a command');
  assert.ok(!isText(event('i', { ctrlKey: true })));
  assert.ok(!isText(event('Enter')));
  assert.ok(isText(event('\u00e9', { altKey: true })), 'Option chooses a character');
  assert.ok(isText(event('@', { ctrlKey: true, altKey: true, altGraph: true })), 'AltGr chooses a character');
});

test('folders and files of one name that are dropped together stay apart', async () => {
  const file = (name) => ({ isFile: true, name, file: (give) => give({ name }) });
  const folder = (name, ...children) => ({
    isDirectory: true,
    name,
    createReader: () => {
      const rest = [children, []];
      return { readEntries: (give) => give(rest.shift()) };
    },
  });
  const item = (entry) => ({ kind: 'file', webkitGetAsEntry: () => entry, getAsFile: () => ({ name: entry.name }) });
  const items = [folder('v1.5', file('model.safetensors'), folder('deep', file('a.pt'))), folder('v1.5', file('model.safetensors')),
    file('b.pt'), file('b.pt'), file('b (2).pt'), file('LICENSE'), file('LICENSE')];
  const dropped = await droppedFiles({ items: items.map(item) });
  assert.deepEqual(dropped.map(({ path }) => path), ['b.pt', 'b (2).pt', 'b (2) (2).pt', 'LICENSE', 'LICENSE (2)', 'v1.5/model.safetensors',
    'v1.5/deep/a.pt', 'v1.5 (2)/model.safetensors']);
  assert.deepEqual(dropped.map(({ file: { name } }) => name), ['b.pt', 'b.pt', 'b (2).pt', 'LICENSE', 'LICENSE', 'model.safetensors', 'a.pt', 'model.safetensors']);
});
