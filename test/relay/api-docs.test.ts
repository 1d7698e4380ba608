/** docs/api.md says of errors and paths what the code does. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS, type ErrorRow, KINDS } from '../../src/domain/errors.ts';

const text = await readFile(path.join(import.meta.dirname, '../../docs/api.md'), 'utf8');

/** What a model call never answers: rows of management calls, and two that no path throws here. */
const FIRST_OF_MANAGEMENT = 'body_type_unknown';
const NOT_SHOWN = new Set(['upstream_status', 'upstream_saturated']);
const SHOWN_BESIDES = new Set([
  'database_unreachable',
  'limits_unavailable',
  'internal',
  'fetch_refused',
  'fetch_failed',
]);

interface Line {
  readonly status: number;
  readonly code: string;
  readonly isChinese: boolean;
}

function documented(): Line[] {
  const rows = text.matchAll(/^\| (\d{3}) \| (?:`(\w+)`|\(empty\)) \| (\*?)/gm);
  return [...rows].map(([, status, code = '', star]) => ({
    status: Number(status),
    code,
    isChinese: star === '*',
  }));
}

function inCode(): Line[] {
  const rows: [string, ErrorRow][] = Object.entries(ERRORS);
  const end = rows.findIndex(([name]) => name === FIRST_OF_MANAGEMENT);
  return rows
    .filter(([name], place) => (place < end && !NOT_SHOWN.has(name)) || SHOWN_BESIDES.has(name))
    .map(([name, row]) => ({
      status: row.http ?? KINDS[row.kind].http,
      code: row.wire ?? name,
      isChinese: row.literal === true,
    }));
}

function unique(lines: readonly Line[]): string[] {
  const shown = lines.map(({ status, code }) => `${status} ${code}`);
  return [...new Set(shown)].sort();
}

test('the table of errors names every status and code that a model call may answer, and no other', () => {
  expect(unique(documented())).toEqual(unique(inCode()));
});

test('the star stands at those that are Chinese by default', () => {
  const chinese = (lines: readonly Line[]) => unique(lines.filter((line) => line.isChinese));
  expect(chinese(documented())).toEqual(chinese(inCode()));
});

test('the endpoints are those that are served', async () => {
  const source = await readFile(
    path.join(import.meta.dirname, '../../src/server/relay-routes.ts'),
    'utf8',
  );
  const served = [...source.matchAll(/^ {2}\['(\/[\w/:]+)', '\w+'\],$/gm)].map(([, served]) =>
    `/v1${served}`.replace(':model', '{model}'),
  );
  const told = [...text.matchAll(/^\| `POST (\S+)` \|/gm)].map(([, told]) => told);
  expect(served.length).toBeGreaterThan(0);
  expect(told).toEqual(served);
});
