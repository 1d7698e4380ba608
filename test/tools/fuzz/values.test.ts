/** Days, times and sheets are read as written, at every edge of a time zone and of a cell. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { parseDocument } from '../../../src/api/local.ts';
import { SiteFile } from '../../../src/cli/site-file/document.ts';
import { splitKeys } from '../../../src/domain/channels/channel-keys.ts';
import { readAwsKey, secretPartsOf } from '../../../src/domain/channels/cloud-keys.ts';
import {
  boolIn,
  columnObject,
  columnText,
  decimalIn,
  intIn,
  secondsIn,
} from '../../../src/domain/import/values.ts';
import { calendarDay } from '../../../src/domain/logs/calendar-day.ts';
import { MAX_PRICE_USD } from '../../../src/domain/pricing/price-bounds.ts';
import { pricesForKnownModels } from '../../../src/domain/pricing/price-file/merge-price.ts';
import { readPrices } from '../../../src/domain/pricing/price-file/read.ts';
import { unitsOfUsd, usdText } from '../../../src/domain/pricing/quota-text.ts';
import { translator } from '../../../src/locales/text.ts';
import { csvText } from '../../../src/services/logs/csv.ts';
import { Values } from '../../../src/session/values.ts';
import { yamlText, yamlValue } from '../../../src/session/yaml.ts';
import { holds } from './holds.ts';
import { anyText, outcomeOf } from './pieces.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Asia/Shanghai',
];
const zone = fc.constantFrom(...ZONES);
const DAY_MS = 86_400_000;
/** Times from 1970 to 2100, including ones near midnight UTC and at year ends. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: 4_102_444_799_999 }),
  fc
    .tuple(fc.integer({ min: 0, max: 47_481 }), fc.integer({ min: -2, max: 2 }))
    .map(([day, by]) => Math.max(0, day * DAY_MS + by)),
  fc
    .tuple(fc.integer({ min: 1971, max: 2100 }), fc.integer({ min: -43_200_000, max: 43_200_000 }))
    .map(([year, by]) => Date.UTC(year, 0, 1) + by),
);

/** The zone's offset in minutes east, derived from its offset name instead of its calendar. */
function offsetMinutes(timeZone: string, atMs: number): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    timeZoneName: 'longOffset',
  }).formatToParts(atMs);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

holds(
  'a day is the date of the zone’s own clock',
  fc.property(zone, moment, (timeZone, atMs) => {
    const local = new Date(atMs + offsetMinutes(timeZone, atMs) * 60_000);
    expect(calendarDay(timeZone, atMs)).toBe(local.toISOString().slice(0, 10));
  }),
  { runs: 200 },
);

holds(
  'days never go back',
  fc.property(zone, moment, fc.nat(3 * DAY_MS), (timeZone, atMs, laterMs) => {
    expect(calendarDay(timeZone, atMs + laterMs) >= calendarDay(timeZone, atMs)).toBe(true);
  }),
);

holds(
  'a time of an old installation is the same however its database wrote it',
  fc.property(
    fc.integer({ min: 1_000_000_000, max: 4_000_000_000 }),
    fc.integer({ min: -12 * 60, max: 14 * 60 }),
    fc.stringMatching(/^\d{0,9}$/),
    (second, minutes, fraction) => {
      const iso = new Date(second * 1000).toISOString();
      const plain = iso.slice(0, 19);
      const local = new Date(second * 1000 + minutes * 60_000)
        .toISOString()
        .slice(0, 19)
        .replace('T', ' ');
      const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(
        (part) => String(part).padStart(2, '0'),
      );
      const tail = fraction === '' ? '' : `.${fraction}`;
      const forms: unknown[] = [
        second,
        String(second),
        `  ${second} `,
        second * 1000,
        new Date(second * 1000),
        iso,
        `${plain}${tail}Z`,
        `${plain.replace('T', ' ')}${tail}`,
        `${local}${tail}${minutes < 0 ? '-' : '+'}${hours}:${rest}`,
        Buffer.from(String(second)),
      ];
      for (const form of forms) expect(secondsIn(form), String(form)).toBe(second);
    },
  ),
);

holds(
  'any value of an old installation is read as something the books can hold',
  fc.property(
    fc.oneof(fc.anything({ withDate: true, withTypedArray: true, withBigInt: true }), anyText),
    (value) => {
      fc.pre(
        typeof value !== 'object' ||
          value === null ||
          value instanceof Date ||
          value instanceof Uint8Array,
      );
      fc.pre(typeof value !== 'symbol');
      expect(Number.isSafeInteger(intIn(value))).toBe(true);
      expect(Number.isSafeInteger(secondsIn(value))).toBe(true);
      expect(Number.isFinite(decimalIn(value))).toBe(true);
      expect(typeof boolIn(value)).toBe('boolean');
      const text = columnText(value, 10);
      expect(text.length).toBeLessThanOrEqual(10);
      expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
      const object = columnObject(value);
      expect(object === undefined || !Array.isArray(object)).toBe(true);
    },
  ),
  { runs: 300 },
);

const values = new Values(translator('en'), () => 1_800_000_000_000);

holds(
  'a time typed in any way means one moment',
  fc.property(fc.integer({ min: 1_000_000_000, max: 4_000_000_000 }), (second) => {
    const iso = new Date(second * 1000).toISOString();
    for (const text of [iso, iso.replace('.000Z', 'Z'), iso.replace('Z', '+00:00'), String(second)])
      expect([values.since('--since', text), values.expiry('--expires', text)]).toEqual([
        second,
        second,
      ]);
    const ago = 1_800_000_000 - second;
    if (ago > 0) expect(values.since('--since', `${ago}s`)).toBe(second);
  }),
);

holds(
  'what is no time, number or amount is refused by name, and never taken for one',
  fc.property(anyText, (text) => {
    for (const read of [
      () => values.wholeNumber('--x', text),
      () => values.decimal('--x', text),
      () => values.duration('--x', text),
      () => values.expiry('--x', text),
      () => values.since('--x', text),
      () => values.rate('--x', text).periodSec,
    ]) {
      const outcome = outcomeOf(read);
      if (typeof outcome === 'number') expect(Number.isFinite(outcome)).toBe(true);
      else expect(outcome).toEqual({ refused: 'argument_invalid' });
    }
  }),
  { runs: 200 },
);

holds(
  'an amount in dollars is the same after writing and reading it',
  fc.property(
    fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
    fc.constantFrom(500_000, 1_000_000, 100),
    (units, perUsd) => {
      expect(unitsOfUsd(usdText(units, perUsd, 6), perUsd)).toBe(units);
    },
  ),
);

/** A minimal RFC 4180 parser. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === ',') {
      row.push(cell);
      cell = '';
    } else if (character === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += character;
  }
  return rows;
}

const cell = fc.oneof(
  anyText,
  fc
    .tuple(
      fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\uFF1D', ' =', '"=', '\n=', '|', '%'),
      anyText,
    )
    .map((parts) => parts.join('')),
);

/** Without the guards of formulas inside a cell. */
function plain(text: string): string {
  return text.replaceAll(/([;；，|\t]\s*)'+(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g, '$1');
}

holds(
  'a sheet holds what was put in, and no text in it is a formula',
  fc.property(
    fc.array(
      fc.array(fc.oneof(cell, fc.integer(), fc.constant(null)), { minLength: 2, maxLength: 4 }),
      { minLength: 1, maxLength: 4 },
    ),
    (records) => {
      const read = cellsOf(csvText(records));
      expect(read.length).toBe(records.length);
      records.forEach((record, row) => {
        record.forEach((given, column) => {
          const found = read[row]?.[column] ?? 'missing';
          const text = given === null ? '' : String(given);
          if (typeof given === 'number' || given === null) expect(found).toBe(text);
          else expect([plain(text), `'${plain(text)}`]).toContain(plain(found));
          if (typeof given !== 'string') return;
          if (/^-?\d+(\.\d+)?$/.test(found)) return;
          // Spreadsheets ignore blanks before a formula.
          expect(/^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(found)).toBe(false);
        });
      });
    },
  ),
  { runs: 300 },
);

holds(
  'a document is the same in YAML and in JSON',
  fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), (value) => {
    const plain = JSON.parse(JSON.stringify(value));
    fc.pre(JSON.stringify(plain).isWellFormed());
    expect(yamlValue(yamlText(plain))).toEqual(plain);
    expect(yamlValue(JSON.stringify(plain))).toEqual(plain);
  }),
);

holds(
  'any text is a document or none, and an alias is no bomb',
  fc.property(
    fc.oneof(
      anyText,
      fc
        .array(
          fc.constantFrom(
            'a: &a [x,x]\n',
            'b: &b [*a,*a,*a]\n',
            'c: [*b,*b,*b]\n',
            '<<: *a\n',
            '- ',
            '? ',
            '!!js/function x\n',
            '%TAG',
            '---\n',
            '{',
            '"',
          ),
          { maxLength: 12 },
        )
        .map((parts) => parts.join('')),
    ),
    (text) => {
      const value = yamlValue(text);
      expect(value instanceof Function).toBe(false);
      expect((JSON.stringify(value) ?? '').length).toBeLessThan(100_000);
    },
  ),
  { runs: 200 },
);

const entry = fc.oneof(
  fc.dictionary(
    fc.constantFrom(
      'name',
      'ratio',
      'models',
      'type',
      'key',
      'role',
      'quota',
      'model',
      'in',
      '__proto__',
    ),
    fc.oneof(
      anyText,
      fc.integer(),
      fc.array(anyText, { maxLength: 2 }),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    { maxKeys: 5 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const list = fc.oneof(fc.array(entry, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));
const siteFile = fc.record(
  {
    version: fc.constantFrom(1, 2, '1'),
    options: fc.oneof(fc.dictionary(anyText, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), list),
    groups: list,
    prices: list,
    channels: list,
    users: list,
    tokens: list,
    redemptions: list,
    unknown: fc.constant(1),
  },
  { requiredKeys: [] },
);

holds(
  'a document of a site is refused by the place, or means the same when it is read again',
  fc.property(siteFile, (given) => {
    const read = outcomeOf(() => parseDocument(SiteFile, yamlValue(yamlText(given))));
    if ('refused' in read) expect(read.refused).toBe('input_invalid');
    else expect(parseDocument(SiteFile, yamlValue(yamlText(read)))).toEqual(read);
  }),
  { runs: 300 },
);

const key = fc.stringMatching(/^[A-Za-z0-9_.:|-]{1,20}$/);

holds(
  'keys come out one by one as they were joined',
  fc.property(
    fc.uniqueArray(
      fc.oneof(
        key,
        fc.dictionary(key, anyText, { maxKeys: 2 }).map((account) => JSON.stringify(account)),
      ),
      { minLength: 1, maxLength: 5 },
    ),
    fc.constantFrom('\n', ',', '\r\n', ' ,\n'),
    (keys, between) => {
      expect(splitKeys(keys.join(between))).toEqual(keys);
      expect(splitKeys(JSON.stringify(keys))).toEqual(keys);
    },
  ),
);

holds(
  'of a key of AWS every secret part is known as one',
  fc.property(
    fc.array(
      key.map((text) => text.replaceAll('|', 'x')),
      { minLength: 1, maxLength: 4 },
    ),
    fc.boolean(),
    (parts, hasRegion) => {
      const text = [...parts, ...(hasRegion ? ['eu-west-1'] : [])].join('|');
      const read = readAwsKey(text, 'us-east-1');
      if (read?.kind === 'signing') expect(secretPartsOf(text)).toContain(read.secretKey);
      if (read?.kind === 'bearer') expect(secretPartsOf(text)).toContain(read.apiKey);
    },
  ),
);

holds(
  'any document is a price list with sensible prices, or none',
  fc.property(
    fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.record(
        {
          model_ratio: fc.dictionary(anyText, fc.oneof(fc.double(), anyText)),
          model_price: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.array(
        fc.record({
          model_name: anyText,
          quota_type: fc.nat(1),
          model_ratio: fc.double(),
          model_price: fc.double(),
        }),
      ),
      fc.dictionary(
        anyText,
        fc.record({ input_cost_per_token: fc.double(), output_cost_per_token: fc.double() }),
      ),
    ),
    (document) => {
      const read = readPrices(document, new Set<string>()) ?? { prices: [], skipped: [] };
      for (const { rates, variants } of pricesForKnownModels(read, () => undefined).prices) {
        expect(Object.values(rates).every((rate) => rate >= 0 && rate <= MAX_PRICE_USD)).toBe(true);
        expect(variants).toEqual([]);
      }
    },
  ),
  { runs: 200 },
);
