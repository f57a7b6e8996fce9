// Files that tests open, written here from a few lines each.
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const kItemSize = { F64: 8, F32: 4, F16: 2, BF16: 2, F8_E4M3: 1, F8_E5M2: 1, I64: 8, I32: 4, I16: 2, I8: 1, U8: 1, BOOL: 1 };
const nbytesOf = ([, dtype, shape]) => kItemSize[dtype] * shape.reduce((product, extent) => product * extent, 1);

/// The header of a safetensors file with tensors [name, dtype, shape] one after another: {head, dataSize}.
export function safetensorsHeader(tensors, metadata = { format: 'pt' }) {
  const header = metadata ? { __metadata__: metadata } : {};
  let offset = 0;
  for (const tensor of tensors) {
    const [name, dtype, shape] = tensor;
    const end = offset + nbytesOf(tensor);
    header[name] = { dtype, shape, data_offsets: [offset, end] };
    offset = end;
  }
  let json = JSON.stringify(header);
  json += ' '.repeat((8 - (Buffer.byteLength(json) % 8)) % 8);
  const head = Buffer.alloc(8 + Buffer.byteLength(json));
  head.writeBigUInt64LE(BigInt(head.length - 8));
  head.write(json, 8);
  return { head, dataSize: offset };
}

/// Writes a safetensors file; `fill(name, index)` gives the values of F32 tensors, otherwise the data is a hole in the file.
/// Gives its path.
export function writeSafetensors(path, tensors, { metadata, fill } = {}) {
  const { head, dataSize } = safetensorsHeader(tensors, metadata);
  const file = openSync(path, 'w');
  writeSync(file, head);
  ftruncateSync(file, head.length + dataSize);
  if (fill) {
    let at = head.length;
    for (const tensor of tensors) {
      const count = nbytesOf(tensor) / 4;
      const values = Float32Array.from({ length: count }, (_, i) => fill(tensor[0], i));
      writeSync(file, new Uint8Array(values.buffer), 0, values.byteLength, at);
      at += values.byteLength;
    }
  }
  closeSync(file);
  return path;
}

/// The tensors of a Llama-like model: `layers` blocks of `width`, `kv`, `inner`, and `words` words.
export function llamaTensors({ layers, width, kv, inner, words, rotary = false }) {
  const tensors = [['model.embed_tokens.weight', 'BF16', [words, width]]];
  for (let i = 0; i < layers; ++i) {
    const at = `model.layers.${i}.`;
    tensors.push([`${at}input_layernorm.weight`, 'BF16', [width]], [`${at}mlp.down_proj.weight`, 'BF16', [width, inner]],
      [`${at}mlp.gate_proj.weight`, 'BF16', [inner, width]], [`${at}mlp.up_proj.weight`, 'BF16', [inner, width]],
      [`${at}post_attention_layernorm.weight`, 'BF16', [width]], [`${at}self_attn.k_proj.weight`, 'BF16', [kv, width]],
      [`${at}self_attn.o_proj.weight`, 'BF16', [width, width]], [`${at}self_attn.q_proj.weight`, 'BF16', [width, width]],
      [`${at}self_attn.v_proj.weight`, 'BF16', [kv, width]]);
  }
  tensors.push(['model.norm.weight', 'BF16', [width]], ['lm_head.weight', 'BF16', [words, width]]);
  if (rotary) tensors.push(['model.rotary_emb.inv_freq', 'F32', [64]]);
  return tensors;
}

/// 91,991 tensors: a mixture-of-experts model of 62 layers with 256 experts, every weight with its scale.
export function expertTensors() {
  const tensors = [['model.embed_tokens.weight', 'BF16', [4, 4]]];
  const scaled = (name) => tensors.push([`${name}.weight`, 'F8_E4M3', [4, 4]], [`${name}.weight_scale_inv`, 'F32', [1, 1]]);
  const plain = (name, shape = [4], dtype = 'BF16') => tensors.push([name, dtype, shape]);
  const feedForward = (at) => ['gate_proj', 'up_proj', 'down_proj'].forEach((name) => scaled(`${at}.${name}`));
  for (let i = 0; i < 62; ++i) {
    const at = `model.layers.${i}`;
    scaled(`${at}.self_attn.q_a_proj`);
    plain(`${at}.self_attn.q_a_layernorm.weight`);
    scaled(`${at}.self_attn.q_b_proj`);
    scaled(`${at}.self_attn.kv_a_proj_with_mqa`);
    plain(`${at}.self_attn.kv_a_layernorm.weight`);
    scaled(`${at}.self_attn.kv_b_proj`);
    scaled(`${at}.self_attn.o_proj`);
    plain(`${at}.input_layernorm.weight`);
    plain(`${at}.post_attention_layernorm.weight`);
    if (i < 3) {
      feedForward(`${at}.mlp`);
      continue;
    }
    plain(`${at}.mlp.gate.weight`, [4, 4]);
    plain(`${at}.mlp.gate.e_score_correction_bias`, [4], 'F32');
    for (let expert = 0; expert < 256; ++expert) feedForward(`${at}.mlp.experts.${expert}`);
    feedForward(`${at}.mlp.shared_experts`);
  }
  for (const name of ['enorm', 'hnorm', 'shared_head.norm']) plain(`model.layers.61.${name}.weight`);
  plain('model.layers.61.embed_tokens.weight', [4, 4]);
  plain('model.layers.61.eh_proj.weight', [4, 8]);
  plain('model.layers.61.shared_head.head.weight', [4, 4]);
  plain('model.norm.weight');
  plain('lm_head.weight', [4, 4]);
  return tensors;
}

// ---- a torch checkpoint: a zip of stored members, the first a pickle

const kCrcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = kCrcTable[(c ^ byte) & 0xff] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/// A zip archive of stored members [[name, bytes]], each member's bytes aligned to 64 as torch.save does.
export function zipOf(members) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [name, bytes] of members) {
    const nameBytes = Buffer.from(name);
    const bare = at + 30 + nameBytes.length;
    const padding = (64 - ((bare + 4) % 64)) % 64;
    const extra = Buffer.alloc(4 + padding, 'Z');
    extra.write('FB', 0);
    extra.writeUInt16LE(padding, 2);
    const crc = crc32(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(bytes.length, 18);
    local.writeUInt32LE(bytes.length, 22);
    local.writeUInt16LE(nameBytes.length, 26);
    local.writeUInt16LE(extra.length, 28);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt32LE(crc, 16);
    central.writeUInt32LE(bytes.length, 20);
    central.writeUInt32LE(bytes.length, 24);
    central.writeUInt16LE(nameBytes.length, 28);
    central.writeUInt32LE(at, 42);
    directory.push(central, nameBytes);
    parts.push(local, nameBytes, extra, bytes);
    at += 30 + nameBytes.length + extra.length + bytes.length;
  }
  const centralBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  const count = Math.min(members.length, 0xffff);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(centralBytes.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, centralBytes, end]);
}

/// The pickle of a flat state dict of float32 tensors [name, shape], as torch.save writes it (protocol 2).
export function statePickle(tensors) {
  const out = [Buffer.from('\x80\x02ccollections\nOrderedDict\nq\x00)Rq\x01(', 'latin1')];
  const text = (value) => {
    const bytes = Buffer.from(value);
    const head = Buffer.alloc(5);
    head.write('X', 0);
    head.writeUInt32LE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };
  const number = (value) => {
    const bytes = Buffer.alloc(5);
    bytes.write('J', 0);
    bytes.writeInt32LE(value, 1);
    return bytes;
  };
  const op = (characters) => Buffer.from(characters, 'latin1');
  const tuple = (values) => Buffer.concat([op('('), ...values.map(number), op('t')]);
  tensors.forEach(([name, shape], i) => {
    const count = shape.reduce((product, extent) => product * extent, 1);
    const stride = shape.map((_, d) => shape.slice(d + 1).reduce((product, extent) => product * extent, 1));
    out.push(text(name), op('ctorch._utils\n_rebuild_tensor_v2\n(('), text('storage'), op('ctorch\nFloatStorage\n'),
      text(String(i)), text('cpu'), number(count), op('tQ'), number(0), tuple(shape), tuple(stride), op('\x89'),
      op('ccollections\nOrderedDict\n)RtR'));
  });
  out.push(op('u.'));
  return Buffer.concat(out);
}

/// Writes a torch checkpoint with zero-filled float32 tensors [name, shape]; gives its path.
export function writeTorchZip(path, tensors) {
  const stem = path.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  const members = [[`${stem}/data.pkl`, statePickle(tensors)], [`${stem}/byteorder`, Buffer.from('little')]];
  tensors.forEach(([, shape], i) => {
    members.push([`${stem}/data/${i}`, Buffer.alloc(4 * shape.reduce((product, extent) => product * extent, 1))]);
  });
  members.push([`${stem}/version`, Buffer.from('3\n')]);
  writeFileSync(path, zipOf(members));
  return path;
}

/// 10,000 tensors under 1,000 blocks of 5 modules.
export function tenThousandTensors() {
  return Array.from({ length: 10_000 }, (_, i) =>
    [`transformer.h.${Math.floor(i / 10)}.mod${Math.floor((i % 10) / 2)}.${i % 2 === 0 ? 'weight' : 'bias'}`, i % 2 === 0 ? [4, 4] : [4]]);
}

/// Writes a sharded model: an index and two shards; gives the paths.
export function writeShards(folder) {
  const first = [['model.embed.weight', 'F32', [8, 4]], ['model.layers.0.weight', 'F32', [4, 4]]];
  const second = [['model.layers.1.weight', 'F32', [4, 4]], ['lm_head.weight', 'F32', [8, 4]]];
  const names = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
  const paths = [writeSafetensors(join(folder, names[0]), first), writeSafetensors(join(folder, names[1]), second)];
  const map = Object.fromEntries([...first.map(([name]) => [name, names[0]]), ...second.map(([name]) => [name, names[1]])]);
  const index = join(folder, 'model.safetensors.index.json');
  const total = [...first, ...second].reduce((sum, tensor) => sum + nbytesOf(tensor), 0);
  writeFileSync(index, JSON.stringify({ metadata: { total_size: total }, weight_map: map }));
  return [index, ...paths];
}
