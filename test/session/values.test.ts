import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors/errors.ts';
import { translator } from '../../src/locales/text.ts';
import { Values } from '../../src/session/values.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const values = new Values(translator('en'), () => NOW_MS);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return `${error.code} ${error.params.name}`;
  }
  return 'accepted';
}

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['2m', 120_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['45', 45_000],
])('%s lasts %i ms', (text, durationMs) => {
  expect(values.duration('--timeout', text)).toBe(durationMs);
});

test.each(['', 'soon', '-5s', '5x', '5 s'])('refuses "%s" as a duration', (text) => {
  expect(refusal(() => values.duration('--timeout', text))).toBe('argument_invalid --timeout');
});

describe('an expiry', () => {
  test('is never, a time from now, a moment, or the end of a local day', () => {
    expect(values.expiry('--expires', 'never')).toBe(-1);
    expect(values.expiry('--expires', '1h')).toBe(NOW_MS / 1000 + 3600);
    expect(values.expiry('--expires', '2027-01-01T00:00:00Z')).toBe(1_798_761_600);
    const endOfDay = new Date(2026, 11, 31, 23, 59, 59).getTime() / 1000;
    expect(values.expiry('--expires', '2026-12-31')).toBe(endOfDay);
  });

  test('is refused when it cannot be parsed', () => {
    for (const text of ['tomorrow', '2026-13-45', '31.12.2026', ''])
      expect(refusal(() => values.expiry('--expires', text))).toBe('argument_invalid --expires');
  });
});

test('"since" counts back from now, and a date starts at its first local second', () => {
  expect(values.since('--since', '15m')).toBe(NOW_MS / 1000 - 900);
  expect(values.since('--since', '2026-11-01')).toBe(new Date(2026, 10, 1).getTime() / 1000);
  expect(values.since('--since', '1795250677')).toBe(1_795_250_677);
});

test('an amount is exact, in units or dollars but not both', () => {
  expect(values.units({}, 500_000)).toBeUndefined();
  expect(values.signedUnits({ quota: '-500' }, 500_000)).toBe(-500);
  expect(refusal(() => values.units({ quota: '-500' }, 500_000))).toBe('argument_invalid --quota');
  expect(refusal(() => values.units({ usd: '-5' }, 500_000))).toBe('argument_invalid --usd');
  expect(values.units({ usd: '0.000001' }, 500_000)).toBe(1);
  expect(values.units({ usd: '20' }, 500_000)).toBe(10_000_000);
  expect(refusal(() => values.units({ quota: '1', usd: '1' }, 500_000))).toBe(
    'argument_invalid --usd',
  );
  expect(refusal(() => values.units({ quota: '1.5' }, 500_000))).toBe('argument_invalid --quota');
  expect(refusal(() => values.units({ quota: '9007199254740993' }, 500_000))).toBe(
    'argument_invalid --quota',
  );
  expect(refusal(() => values.units({ usd: 'ten' }, 500_000))).toBe('argument_invalid --usd');
});

test('a rate is calls per period', () => {
  expect(values.rate('--rate', '60/1m')).toEqual({ count: 60, periodSec: 60 });
  expect(values.rate('--rate', '5/s')).toEqual({ count: 5, periodSec: 1 });
  expect(values.rate('--rate', '1000/3600')).toEqual({ count: 1000, periodSec: 3600 });
  for (const text of ['60', '60/', 'x/1m', '1/2/3'])
    expect(refusal(() => values.rate('--rate', text))).toBe('argument_invalid --rate');
});

test('JSON comes as an argument or a file, and must be valid', () => {
  expect(values.json('--mapping', '{"a":"b"}')).toBe('{"a":"b"}');
  expect(values.json('--mapping', '')).toBe('');
  expect(JSON.parse(values.json('--setting', '@package.json'))).toHaveProperty('name');
  expect(JSON.parse(values.json('--setting', 'package.json'))).toHaveProperty('name');
  expect(refusal(() => values.json('--mapping', '{oops'))).toBe('argument_invalid --mapping');
  expect(refusal(() => values.json('--mapping', '@/no/such/file'))).toBe(
    'argument_invalid --mapping',
  );
});
