/** Checks that docs/api.md and docs/errors.md match the code for errors and paths. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repeatOf, SHOWN_ROWS } from '../../system/sdk/error-rows.ts';
import { PROGRAMS } from '../../system/sdk/programs.ts';

const DOCS = path.join(import.meta.dirname, '../../../docs');
const text = await readFile(path.join(DOCS, 'api.md'), 'utf8');
const errors = await readFile(path.join(DOCS, 'errors.md'), 'utf8');

/** The cells of the rows of model calls in docs/errors.md. */
function documented(): string[][] {
  const [, section = ''] = errors.split('## Model calls');
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| (.*) \|$/gm)].slice(2);
  return rows.map(([, row = '']) => row.split(' | '));
}

test('docs/errors.md lists the errors of model calls as clients of every dialect get them', () => {
  const shown = documented().map(([code, openai, anthropic, gemini, repeat]) => ({
    code,
    openai,
    anthropic,
    gemini,
    repeat,
  }));
  const expected = SHOWN_ROWS.map((row) => ({
    code: row.code === '' ? '(empty)' : `\`${row.code}\``,
    openai: `${row.status} \`${row.type}\``,
    anthropic: row.anthropic.replace(/ (.*)/, ' `$1`'),
    gemini: `${row.status} \`${row.gemini}\``,
    repeat: repeatOf(row),
  }));
  expect(shown).toEqual(expected);
});

test('the table of SDKs lists the exception and retries of each', () => {
  const rows = [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  const retries = new Map(rows.map(([, name = '', ...cells]) => [name, cells]));
  const [, sameClasses = ''] = retries.get('openai') ?? [];
  for (const { name, repeats, thrownAt } of PROGRAMS) {
    const [asks = '', thrown = ''] = retries.get(name.split(',')[0] ?? '') ?? [];
    const classes = thrown.includes('the same classes') ? sameClasses + thrown : thrown;
    const statuses = asks === 'the same' ? (retries.get('openai')?.[0] ?? '') : asks;
    for (const { status, saysStop } of SHOWN_ROWS) {
      expect(classes).toContain(`\`${thrownAt({ status, saysStop })}\``);
      const isListed =
        statuses.includes(`${status}`) || (status >= 500 && statuses.includes('5xx'));
      expect([name, status, isListed]).toEqual([
        name,
        status,
        repeats({ status, saysStop: false }),
      ]);
    }
  }
});

test('the listed endpoints are the served ones', async () => {
  const source = await readFile(
    path.join(import.meta.dirname, '../../../src/server/routes/relay-routes.ts'),
    'utf8',
  );
  const served = [...source.matchAll(/^ {2}\['(\/[\w/:]+)', '\w+'\],$/gm)].map(([, served]) =>
    `/v1${served}`.replace(':model', '{model}'),
  );
  const endpoints = [...text.matchAll(/^\| `POST (\S+)` \|/gm)].map(([, endpoints]) => endpoints);
  expect(served.length).toBeGreaterThan(0);
  expect(endpoints).toEqual(served);
});
