/** Checks that docs/api.md matches the code for errors and paths. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repeatOf, SHOWN_ROWS } from '../sdk/error-rows.ts';
import { PROGRAMS } from '../sdk/programs.ts';

const text = await readFile(path.join(import.meta.dirname, '../../docs/api.md'), 'utf8');

interface Line {
  readonly status: number;
  readonly code: string;
  readonly isChinese: boolean;
  /** The cells after "When". */
  readonly cells: readonly string[];
}

function documented(): Line[] {
  const rows = text.matchAll(
    /^\| (\d{3}) \| (?:`(\w+)`|\(empty\)) \| (\*?)[^|]*((?:\|[^|\n]*)*)\|$/gm,
  );
  return [...rows].map(([, status, code = '', star, cells = '']) => ({
    status: Number(status),
    code,
    isChinese: star === '*',
    cells: cells
      .split('|')
      .slice(1)
      .map((cell) => cell.trim()),
  }));
}

interface Named {
  readonly status: number;
  readonly code: string;
}

function unique(lines: readonly Named[]): string[] {
  const shown = lines.map(({ status, code }) => `${status} ${code}`);
  return [...new Set(shown)].sort();
}

test('the error table lists exactly the statuses and codes that a model call can return', () => {
  expect(unique(documented())).toEqual(unique(SHOWN_ROWS));
});

test('the error table matches the catalogue for every dialect and for client retries', () => {
  for (const { status, code, cells } of documented()) {
    const rows = SHOWN_ROWS.filter((row) => row.status === status && row.code === code);
    const expected = rows.map((row) => [
      `\`${row.type}\``,
      `\`${row.anthropic}\``,
      `\`${row.gemini}\``,
      repeatOf(row),
    ]);
    expect(expected, `${status} ${code}: ${JSON.stringify(expected)}`).toContainEqual(cells);
  }
});

test('the error table lists the exception and retries of each SDK', () => {
  const rows = [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  const told = new Map(rows.map(([, name = '', ...cells]) => [name, cells]));
  const [, sameClasses = ''] = told.get('openai') ?? [];
  for (const { name, repeats, thrownAt } of PROGRAMS) {
    const [asks = '', thrown = ''] = told.get(name.split(',')[0] ?? '') ?? [];
    const classes = thrown.includes('the same classes') ? sameClasses + thrown : thrown;
    const statuses = asks === 'the same' ? (told.get('openai')?.[0] ?? '') : asks;
    for (const { status, saysStop } of SHOWN_ROWS) {
      expect(classes).toContain(`\`${thrownAt({ status, saysStop })}\``);
      const isTold = statuses.includes(`${status}`) || (status >= 500 && statuses.includes('5xx'));
      expect([name, status, isTold]).toEqual([name, status, repeats({ status, saysStop: false })]);
    }
  }
});

test('the error table marks errors whose message is Chinese by default', () => {
  const chinese = (lines: readonly (Named & { readonly isChinese: boolean })[]) =>
    unique(lines.filter((line) => line.isChinese));
  expect(chinese(documented())).toEqual(chinese(SHOWN_ROWS));
});

test('the listed endpoints are the served ones', async () => {
  const source = await readFile(
    path.join(import.meta.dirname, '../../src/server/routes/relay-routes.ts'),
    'utf8',
  );
  const served = [...source.matchAll(/^ {2}\['(\/[\w/:]+)', '\w+'\],$/gm)].map(([, served]) =>
    `/v1${served}`.replace(':model', '{model}'),
  );
  const told = [...text.matchAll(/^\| `POST (\S+)` \|/gm)].map(([, told]) => told);
  expect(served.length).toBeGreaterThan(0);
  expect(told).toEqual(served);
});
