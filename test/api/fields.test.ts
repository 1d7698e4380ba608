import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { TokenEdit } from '../../src/api/accounts/token.ts';
import { Username } from '../../src/api/accounts/user.ts';
import { ChannelEdit, NewChannel } from '../../src/api/channels/channel.ts';
import { CommaList, Count, FilterInt, Flag, JsonObjectText } from '../../src/api/fields.ts';

const accepts = (schema: z.ZodMiniType, value: unknown) => z.safeParse(schema, value).success;

describe('fields', () => {
  it.each([
    ['', undefined],
    ['7', 7],
    [7, 7],
    ['-1', -1],
    ['x', undefined],
    ['NaN', undefined],
    [undefined, undefined],
  ])('a filter reads %o as the number %o', (given, read) => {
    expect(z.parse(FilterInt, given)).toBe(read);
  });

  it.each([['1.5'], ['9'.repeat(20)], [1.5]])('a filter refuses %o', (given) => {
    expect(accepts(FilterInt, given)).toBe(false);
  });

  it.each([[0], [7], ['7']])('a count accepts %o', (given) => {
    expect(z.parse(Count, given)).toBe(Number(given));
  });

  it.each([['1e3'], ['0x10'], ['1.5'], ['-1'], [''], [1.5], [-1], [true], ['9007199254740993']])(
    'a count refuses %o',
    (given) => {
      expect(accepts(Count, given)).toBe(false);
    },
  );

  it('switches accept text too', () => {
    expect(['true', '1', true, 'false', '0', '', false].map((on) => z.parse(Flag, on))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(accepts(Flag, 'yes')).toBe(false);
  });

  it('a list may be text or a list, and is normalised', () => {
    expect(z.parse(CommaList, ' a, b,,a ')).toBe('a,b');
    expect(z.parse(CommaList, ['a', 'b,c', ' '])).toBe('a,b,c');
  });

  it('JSON columns hold objects only', () => {
    expect(z.parse(JsonObjectText, { a: 1 })).toBe('{"a":1}');
    expect(z.parse(JsonObjectText, ' ')).toBe('');
    expect(z.parse(JsonObjectText, null)).toBe('');
    for (const wrong of ['[1]', 'null', '1', '{', [1]])
      expect(accepts(JsonObjectText, wrong)).toBe(false);
  });

  it.each([['a'], ['exactly12chr'], ['名字'], ['a-b_c.d@e']])('%s is a username', (name) => {
    expect(accepts(Username, name)).toBe(true);
  });

  it.each([[''], ['   '], ['a b'], ['a\tb'], ['a\u0000b'], ['a\u202Eb'], ['exactly13char']])(
    '%o is not a username',
    (name) => {
      expect(accepts(Username, name)).toBe(false);
    },
  );
});

describe('edits', () => {
  it('add no default for a missing field', () => {
    expect(z.parse(TokenEdit, { id: '3', name: 'x' })).toEqual({ id: 3, name: 'x' });
    expect(z.parse(ChannelEdit, { id: 3, weight: 0 })).toEqual({ id: 3, weight: 0 });
  });

  it('a new channel needs a name, a key and models; the rest has defaults', () => {
    const channel = z.parse(NewChannel, { name: 'n', key: 'k', models: 'm' });
    expect(channel).toMatchObject({
      type: 1,
      group: 'default',
      auto_ban: 1,
      priority: 0,
      weight: 0,
      status: 1,
    });
    for (const missing of [
      { name: 'n', key: 'k' },
      { name: 'n', models: 'm' },
      { key: 'k', models: 'm' },
    ])
      expect(accepts(NewChannel, missing)).toBe(false);
  });
});
