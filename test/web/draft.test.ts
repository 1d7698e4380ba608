import { expect, test } from 'vitest';
import { followed, type Kept } from '../../web/src/hooks/useDraft.ts';

const EMPTY = { q: '', group: '' };
type Filter = typeof EMPTY;

function kept(draft: Partial<Filter>, sent?: { values: Partial<Filter>; draft: Partial<Filter> }) {
  const whole = (part: Partial<Filter>): Filter => ({ ...EMPTY, ...part });
  const base: Kept<Filter> = { seen: EMPTY, draft: whole(draft) };
  if (sent === undefined) return base;
  return { ...base, sent: { values: whole(sent.values), draft: whole(sent.draft) } };
}

test('a field starts over when what is committed of it changes from elsewhere', () => {
  const now = followed(kept({ q: 'typed' }), { ...EMPTY, q: 'by a link' });
  expect(now.draft.q).toBe('by a link');
});

test('what is typed into one field stays when another changes', () => {
  const now = followed(kept({ q: 'typed' }), { ...EMPTY, group: 'vip' });
  expect(now.draft).toEqual({ q: 'typed', group: 'vip' });
});

test('letters typed after sending stay when what was sent arrives', () => {
  const sent = { values: { q: 'ab' }, draft: { q: 'ab' } };
  const now = followed(kept({ q: 'abcd' }, sent), { ...EMPTY, q: 'ab' });
  expect(now.draft.q).toBe('abcd');
});

test('what was sent as typed reads as it was committed, without blanks at its ends', () => {
  const sent = { values: { q: 'ab ' }, draft: { q: 'ab ' } };
  expect(followed(kept({ q: 'ab ' }, sent), { ...EMPTY, q: 'ab' }).draft.q).toBe('ab');
  const goneOn = followed(kept({ q: 'ab c' }, sent), { ...EMPTY, q: 'ab' });
  expect(goneOn.draft.q).toBe('ab c');
});

test('a link that is followed after sending wins over the letters', () => {
  const sent = { values: { q: 'ab' }, draft: { q: 'ab' } };
  const now = followed(kept({ q: 'abcd' }, sent), { ...EMPTY, q: 'other' });
  expect(now.draft.q).toBe('other');
});

test('what was sent counts once: going back and forth later starts over', () => {
  const sent = { values: { q: 'ab' }, draft: { q: 'ab' } };
  const arrived = followed(kept({ q: 'abcd' }, sent), { ...EMPTY, q: 'ab' });
  const back = followed(arrived, EMPTY);
  expect(back.draft.q).toBe('');
  const typed = { ...back, draft: { ...back.draft, q: 'x' } };
  expect(followed(typed, { ...EMPTY, q: 'ab' }).draft.q).toBe('ab');
});

test('nothing is made anew while nothing that is committed changes', () => {
  const before = kept({ q: 'typed' });
  expect(followed(before, { ...EMPTY })).toBe(before);
});
