import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { planDocument, planText } from '../../src/cli/output/dry-run-plan.ts';
import { TOKEN_WORDS } from '../../src/cli/output/field-formats.ts';
import {
  type Format,
  type RenderOptions,
  render,
  type View,
} from '../../src/cli/output/render-reply.ts';
import { tableText } from '../../src/cli/output/text-table.ts';
import { AppError } from '../../src/domain/errors/errors.ts';
import { amountText, localTime, truncated } from '../../src/session/text.ts';

const VIEW: View = {
  columns: ['id', 'name', 'status', 'remain_quota', 'expired_time'],
  wide: ['group'],
  words: TOKEN_WORDS,
};
const ROW = {
  id: 7,
  name: '生产 key',
  status: 4,
  remain_quota: 250_000,
  expired_time: 1_798_761_600,
  group: 'vip',
};
const PAGE = {
  items: [ROW, { ...ROW, id: 12, name: 'ci', status: 1, expired_time: -1 }],
  page: 1,
  page_size: 50,
  total: 2,
};

function shown(
  reply: unknown,
  format: Format,
  sheet: Partial<RenderOptions> = {},
  view: View = VIEW,
): Promise<string> {
  return render(reply, view, {
    format,
    quotaPerUnit: 500_000,
    isAligned: false,
    width: 80,
    dim: (text) => text,
    unknownField: (field) => new AppError('argument_invalid', { name: '--fields', problem: field }),
    ...sheet,
  });
}

describe('output documents', () => {
  test('a list keeps its envelope and adds readable amounts, times and names', async () => {
    const document = JSON.parse(await shown(PAGE, 'json'));
    expect(document).toMatchObject({ page: 1, total: 2 });
    expect(document.items[0]).toEqual({
      ...ROW,
      status_word: 'exhausted',
      remain_quota_usd: 0.5,
      expired_time: '2027-01-01T00:00:00.000Z',
      expired_time_epoch: 1_798_761_600,
    });
    expect(document.items[1]).toMatchObject({ expired_time: null, expired_time_epoch: -1 });
  });

  test('jsonl has one row per line, and yaml contains the same data as json', async () => {
    const lines = (await shown(PAGE, 'jsonl')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([7, 12]);
    expect(parse(await shown(PAGE, 'yaml'))).toEqual(JSON.parse(await shown(PAGE, 'json')));
  });

  test('--fields selects and orders fields, including their readable forms', async () => {
    const fields = ['remain_quota_usd', 'id'];
    expect(await shown([ROW], 'jsonl', { fields })).toBe('{"remain_quota_usd":0.5,"id":7}\n');
    expect(await shown([ROW], 'csv', { fields })).toBe('remain_quota_usd,id\n0.5,7\n');
    await expect(shown([ROW], 'json', { fields: ['nope'] })).rejects.toThrow(AppError);
  });

  test('ids are printed one per line', async () => {
    expect(await shown(PAGE, 'ids')).toBe('7\n12\n');
  });

  test('a spreadsheet gets numbers as numbers and no formula from user data', async () => {
    const row = { ...ROW, name: '=cmd()|x', remain_quota: -500 };
    expect(await shown([row], 'csv', { fields: ['name', 'remain_quota'] })).toBe(
      "name,remain_quota\n'=cmd()|x,-500\n",
    );
    expect(await shown([{ id: 'a"b,c\nd' }], 'csv', { fields: ['id'] })).toBe('id\n"a""b,c\nd"\n');
  });
});

describe('lines for scripts', () => {
  test('separates fields by tabs, without header or padding', async () => {
    expect(await shown(PAGE, 'table')).toBe(
      '7\t生产 key\texhausted\t250000\t2027-01-01T00:00:00.000Z\n12\tci\tenabled\t250000\t\n',
    );
  });

  test('tabs, line breaks and escape sequences in a value are harmless', async () => {
    const text = await shown([{ ...ROW, name: 'a\tb\nc\u001b[2J' }], 'table');
    expect(text.split('\t')[1]).toBe('a b c [2J');
    expect(text.match(/\n/g)).toHaveLength(1);
  });

  test('prints a single object as one name and value per line', async () => {
    expect(await shown({ id: 7, name: 'ci' }, 'table')).toBe('id\t7\nname\tci\n');
  });
});

describe('tables for people', () => {
  test('aligns columns under their header by display width, numbers on the right', async () => {
    const lines = (await shown(PAGE, 'table', { isAligned: true })).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^id {2}name {6}status {5}remain_quota {2}expired_time/);
    expect(lines[1]).toMatch(/^ 7 {2}生产 key {2}exhausted {9}\$0\.50 {2}2027|2026/);
    expect(lines[2]).toMatch(/^12 {2}ci {8}enabled {11}\$0\.50 {2}-$/);
  });

  test('groups the digits of counts, and leaves ids and documents as they are', async () => {
    const row = { id: 12_345, count: 1_234_567, prompt_tokens: 2699 };
    const view = { columns: ['id', 'count', 'prompt_tokens'] };
    const lines = (await shown([row], 'table', { isAligned: true }, view)).trimEnd().split('\n');
    expect(lines[1]?.split(/ +/)).toEqual(['12345', '1,234,567', '2,699']);
    expect(await shown([row], 'table', {}, view)).toBe('12345\t1234567\t2699\n');
  });

  test('a narrow terminal truncates the widest columns, wide output nothing', async () => {
    const row = { ...ROW, name: '很长的名字'.repeat(20) };
    const cut = await shown([row], 'table', { isAligned: true, width: 60 });
    for (const line of cut.trimEnd().split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    expect(cut).toContain('…');
    expect(await shown([row], 'wide', { isAligned: true, width: 60 })).toContain(row.name);
  });

  test('truncates names and numbers last', () => {
    const cell = (text: string, right = false) => ({ text, right });
    const rows = [
      [cell('openai-main'), cell('gpt-4o,gpt-4o-mini,gpt-4.1'), cell('$0.001914', true)],
    ];
    const header = ['name', 'models', 'used_quota_of_all'];
    const shown = tableText(header, rows, { width: 30, dim: (text) => text });
    expect(shown).toBe('name         models  used_quo…\nopenai-main  gpt-4…  $0.001914\n');
  });

  test('never splits a character when it truncates text', () => {
    expect(truncated('汉字汉字', 5)).toBe('汉字…');
    expect(truncated('👩‍👩‍👧 family', 4)).toBe('👩‍👩‍👧 …');
    expect(truncated('short', 5)).toBe('short');
  });

  test('prints only the header for a table without rows', () => {
    expect(tableText(['id', 'name'], [], { width: 80, dim: (text) => `<${text}>` })).toBe(
      '<id  name>\n',
    );
  });

  test('never shows a small cost as zero', () => {
    expect(amountText(120, 500_000)).toBe('$0.00024');
    expect(amountText(0, 500_000)).toBe('$0.00');
    expect(amountText(-600_000, 500_000)).toBe('-$1.20');
  });

  test('prints times in the local time zone', () => {
    const noon = new Date(2026, 10, 21, 12, 0, 5);
    expect(localTime(noon.getTime() / 1000)).toBe('2026-11-21 12:00:05');
  });
});

describe('a plan', () => {
  test('shows what changes and hides values generated in the dry run', () => {
    const change = {
      action: 'update',
      noun: 'token',
      name: 'ci',
      before: { group: '', key: 'a', status: 1 },
    } as const;
    const plan = planDocument(change, { group: 'vip', key: 'b', status: 1 });
    expect(plan.changes).toEqual([{ field: 'group', from: '', to: 'vip' }]);
    expect(planText(plan)).toBe('~ update token ci\n    group: "" -> vip\n');
  });

  test('lists the set fields of a new object, and only the name of a deleted one', () => {
    const created = planDocument(
      { action: 'create', noun: 'user', name: 'ann' },
      { id: 5, username: 'ann', quota: 0 },
    );
    expect(planText(created)).toBe('+ create user ann\n    username: ann\n');
    const deleted = planDocument({ action: 'delete', noun: 'user', name: 'ann' }, undefined);
    expect(planText(deleted)).toBe('- delete user ann\n');
  });
});

describe('a list', () => {
  test('is the same kind of document whether it has pages or not', async () => {
    const page = JSON.parse(await shown(PAGE, 'json'));
    const list = JSON.parse(await shown(PAGE.items, 'json'));
    expect(Object.keys(list).sort()).toEqual(Object.keys(page).sort());
    expect(list).toMatchObject({ items: page.items, total: 2 });
    expect(await shown(PAGE.items, 'yaml')).toMatch(/^items:/);
    expect(JSON.parse(await shown([], 'json'))).toMatchObject({ items: [], total: 0 });
  });

  test('has a header in tab-separated lines only as one of several', async () => {
    const [header] = (await shown(PAGE, 'table', { hasHeader: true })).split('\n');
    expect(header).toBe(VIEW.columns.join('\t'));
  });
});
