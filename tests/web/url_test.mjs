// Opening by address: servers with and without ranges, shards beside an index, and what the person is told otherwise.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { llamaTensors, writeSafetensors, writeShards } from './support/fixtures.mjs';
import { eachLook, folder, line, pageTest, suite, writeProgram } from './support/suite.mjs';

writeSafetensors(join(folder, 'llama.safetensors'), llamaTensors({ layers: 40, width: 1024, kv: 256, inner: 4096, words: 16000 }));
mkdirSync(join(folder, 'sharded'));
writeShards(join(folder, 'sharded'));
writeFileSync(join(folder, 'sharded', 'config.json'), JSON.stringify({ architectures: ['LlamaForCausalLM'], hidden_size: 4 }));

const openAddress = async (page, address) => {
  await page.getByRole('textbox', { name: 'Address' }).fill(address);
  await page.keyboard.press('Enter');
};
const refusal = (page, words) => page.getByRole('alert').filter({ hasText: words }).first().waitFor();
const network = [/Failed to load resource/, /has been blocked by CORS policy/];

eachLook('an address is opened by reading its header alone', async ({ page }) => {
  suite.server.requests.length = 0;
  await openAddress(page, `${suite.files}/files/llama.safetensors`);
  await line(page, 'model').waitFor();
  const read = suite.server.requests.filter(({ path }) => path.startsWith('/files/')).reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(read > 0 && read < 1_000_000, `${read} bytes were read of a file of gigabytes`);
});

pageTest('an address in the query is opened at once', async ({ page }) => {
  await page.goto(`${suite.server.address}/?url=${encodeURIComponent(`${suite.files}/files/llama.safetensors`)}`);
  await line(page, 'model').waitFor();
});

pageTest('an address that is dropped is opened', async ({ page }) => {
  const session = await page.context().newCDPSession(page);
  const address = `${suite.files}/files/llama.safetensors`;
  const data = { items: [{ mimeType: 'text/uri-list', data: address }], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  await line(page, 'model').waitFor();
});

eachLook('shards are found beside the index, and the configuration says what they are', async ({ page }) => {
  await openAddress(page, `${suite.files}/files/sharded/model.safetensors.index.json`);
  await line(page, 'lm_head').waitFor();
  await page.getByRole('treeitem', { name: /^model\.safetensors\.index\.json, LlamaForCausalLM/ }).waitFor();
  await page.getByText('config.hidden_size').waitFor({ state: 'attached' });
});

pageTest('the address of a repository on Hugging Face leads to its index and shards', async ({ page, context }) => {
  const asked = [];
  await context.route('https://huggingface.co/**', async (route) => {
    const path = new URL(route.request().url()).pathname;
    asked.push(path);
    const name = path.replace('/org/name/resolve/main/', '');
    const response = await fetch(`${suite.files}/files/sharded/${name}`, { headers: route.request().headers() });
    await route.fulfill({
      status: response.status,
      headers: { ...Object.fromEntries(response.headers), 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Content-Range' },
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  await openAddress(page, 'https://huggingface.co/org/name');
  await line(page, 'lm_head').waitFor();
  await page.getByRole('treeitem', { name: /^model\.safetensors\.index\.json, LlamaForCausalLM/ }).waitFor();
  assert.ok(asked.every((path) => path.startsWith('/org/name/resolve/main/')), asked.join(' '));
});

pageTest('a repository without weights is told as that, with what was looked for', async ({ page, context }) => {
  await context.route('https://huggingface.co/**', (route) => route.fulfill({ status: 404, headers: { 'Access-Control-Allow-Origin': '*' } }));
  await openAddress(page, 'https://huggingface.co/org/name');
  await refusal(page, 'one of model.safetensors.index.json, model.safetensors, pytorch_model.bin.index.json, pytorch_model.bin');
}, { expected: network });

pageTest('a server without ranges is told as that, and its file is not loaded', async ({ page }) => {
  suite.server.requests.length = 0;
  await openAddress(page, `${suite.files}/whole/llama.safetensors`);
  await refusal(page, 'whole file');
  const sent = suite.server.requests.filter(({ path }) => path.startsWith('/whole/')).reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(sent < 20_000_000, `${sent} bytes were sent`);
});

pageTest('an address that leads nowhere is told with its status', async ({ page }) => {
  await openAddress(page, `${suite.files}/files/nothing.safetensors`);
  await refusal(page, '404');
}, { expected: network });

pageTest('a server that hides the size is told as that', async ({ page }) => {
  await openAddress(page, `${suite.files}/unreadable/llama.safetensors`);
  await refusal(page, 'how large');
});

pageTest('a server that does not allow pages of others is told as that', async ({ page }) => {
  await openAddress(page, `${suite.files}/private/llama.safetensors`);
  await refusal(page, 'does not allow');
}, { expected: network });

pageTest('what is no address is told as that', async ({ page }) => {
  await openAddress(page, 'nonsense');
  await refusal(page, 'address');
});

pageTest('a small file comes whole from a server without ranges', async ({ page }) => {
  writeProgram('small.py', 'print("came", 6 * 7)\n');
  await openAddress(page, `${suite.files}/whole/small.py`);
  await page.getByRole('listitem').filter({ hasText: 'came 42' }).first().waitFor({ timeout: 120_000 });
});

pageTest('a program at an address imports and reads what lies beside it there, and nothing above', async ({ page }) => {
  mkdirSync(join(dirname(writeProgram('beside.py', '')), 'blocks'), { recursive: true });
  writeProgram('blocks/__init__.py', 'from .one import Block\n');
  writeProgram('blocks/one.py', 'import torch\nclass Block(torch.nn.Module):\n    pass\n');
  writeProgram('table.csv', 'a,b\n1,2\n3,4\n');
  writeProgram('beside.py', `from blocks import Block
import nowhere_at_all
model = Block()
with open('table.csv') as file:
    print('rows', len(file.readlines()), model)
try:
    open('../index.html')
except FileNotFoundError as error:
    print('not above')
`);
  for (const mount of ['files', 'whole']) {
    suite.server.requests.length = 0;
    await openAddress(page, `${suite.files}/${mount}/beside.py`);
    await page.getByRole('listitem').filter({ hasText: 'rows 3 Block()' }).first().waitFor({ timeout: 120_000 });
    await page.getByRole('listitem').filter({ hasText: 'not above' }).first().waitFor();
    const paths = suite.server.requests.map(({ path }) => path);
    assert.ok(paths.every((path) => !path.endsWith('index.html') || !path.includes(mount)), paths.join(' '));
    await page.keyboard.press('Alt+w');
    await page.getByRole('tab').first().waitFor({ state: 'detached' });
  }
}, { expected: network });
