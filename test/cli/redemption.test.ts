import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, gateway, makeSitePerFile } from './site-folder.ts';
import type { TerminalOptions } from './terminal.ts';

makeSitePerFile();

const redemption = (words: string, options?: TerminalOptions) =>
  gateway(`redemption ${words}`, options);

describe('gateway redemption', () => {
  test('makes codes of the given amount, named after it by default', async () => {
    const made = await redemption('create --usd 1 --count 3 --output ids');
    expect(made.out.trim().split('\n')).toHaveLength(3);
    const { items } = (await redemption('list --json')).json();
    expect(items[0]).toMatchObject({
      name: '$1.00',
      quota: 500_000,
      quota_usd: 1,
      status_word: 'unused',
      valid_from: null,
    });
  });

  test('writes keys into a new file that only its owner can read', async () => {
    const out = path.join(folder, 'spring.txt');
    const made = await redemption(`create --name spring --count 2 --out ${out}`);
    expect(made).toMatchObject({ exit: 0, out: '', err: expect.stringContaining('2') });
    expect(await readFile(out, 'utf8')).toMatch(/^[0-9a-f]{32}\n[0-9a-f]{32}\n$/);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    const again = await redemption(`create --name summer --count 2 --out ${out}`);
    expect(again).toMatchObject({ exit: 2, err: expect.stringContaining('--out') });
    expect((await redemption('list --q spring --json')).json().total).toBe(2);
  });

  test('leaves no file behind when no code could be made', async () => {
    const out = path.join(folder, 'never.txt');
    expect((await redemption(`create --count 101 --out ${out}`)).exit).toBe(6);
    await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await redemption(`create --out ${out} --dry-run`)).exit).toBe(0);
    await expect(stat(out)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('makes a gift code with a chosen key, and finds it by that key', async () => {
    const words = 'create --name hello --key WELCOME-1 --gift --max-uses 5 --until 2099-12-31';
    expect((await redemption(words)).exit).toBe(0);
    const gift = (await redemption('get WELCOME-1 --json')).json();
    expect(gift).toMatchObject({ name: 'hello', is_gift: true, max_uses: 5 });
    expect(gift.valid_until_epoch).toBe(Date.parse('2099-12-31T23:59:59') / 1000);
    const plain = await redemption('create --max-uses 5');
    expect(plain).toMatchObject({ exit: 2, err: expect.stringContaining('--gift') });
  });

  test('changes, disables and enables a code', async () => {
    await redemption('create --name one');
    expect((await redemption('edit one --usd 2 --until never')).exit).toBe(0);
    expect((await redemption('disable one')).exit).toBe(0);
    const { quota, status_word } = (await redemption('get one --json')).json();
    expect({ quota, status_word }).toEqual({ quota: 1_000_000, status_word: 'disabled' });
    expect((await redemption('edit one --usd 3')).exit).toBe(6);
    expect((await redemption('enable one')).exit).toBe(0);
    expect((await redemption('edit one')).exit).toBe(6);
  });

  test('lists the ids when a name is ambiguous', async () => {
    await redemption('create --name twin --count 9');
    const result = await redemption('disable twin');
    expect(result).toMatchObject({ exit: 2, err: expect.stringMatching(/(\d+, ){5}…/) });
    expect((await redemption('get nobody')).exit).toBe(5);
  });

  test('deletes codes by name after showing their count, or the disabled ones', async () => {
    await redemption('create --name gone --count 4');
    const alone = await redemption('delete-by-name gone');
    expect(alone.exit).toBe(2);
    const prompts = await redemption('delete-by-name gone', { answers: ['n'] });
    expect(prompts.questions[0]).toContain('redeemed: 4');
    expect((await redemption('delete-by-name gone --yes --json')).json()).toEqual({
      name: 'gone',
      deleted: 4,
    });
    await redemption('create --name off');
    await redemption('disable off');
    const planned = (await redemption('delete-disabled --dry-run --json')).json();
    expect(planned).toMatchObject({
      total: 1,
      items: [{ name: expect.stringMatching(/^off \(/) }],
    });
    expect((await redemption('delete-disabled --yes --json')).json()).toEqual({ deleted: 1 });
    await redemption('create --name last');
    expect((await redemption('delete last --yes')).exit).toBe(0);
    expect((await redemption('get last')).exit).toBe(5);
  });
});
