import { expect, test } from 'vitest';
import { type DraftState, followed } from '../../web/src/hooks/useDraft.ts';

const EMPTY = { q: '', group: '' };
type Filter = typeof EMPTY;

function kept(draft: Partial<Filter>, sent?: { values: Partial<Filter>; draft: Partial<Filter> }) {
  const whole = (part: Partial<Filter>): Filter => ({ ...EMPTY, ...part });
  const base: DraftState<Filter> = { seen: EMPTY, draft: whole(draft) };
  if (sent === undefined) return base;
  return { ...base, sent: { values: whole(sent.values), draft: whole(sent.draft) } };
}

test('resets a field when its committed value changes elsewhere', () => {
  const now = followed(kept({ q: 'typed' }), { ...EMPTY, q: 'by a link' });
  expect(now.draft.q).toBe('by a link');
});

test('keeps typed text when another field changes', () => {
  const now = followed(kept({ q: 'typed' }), { ...EMPTY, group: 'vip' });
  expect(now.draft).toEqual({ q: 'typed', group: 'vip' });
});

test('keeps letters typed after sending when the sent value arrives', () => {
  const sent = { values: { q: 'ab' }, draft: { q: 'ab' } };
  const now = followed(kept({ q: 'abcd' }, sent), { ...EMPTY, q: 'ab' });
  expect(now.draft.q).toBe('abcd');
});

test('a value sent as typed reads as committed, without surrounding blanks', () => {
  const sent = { values: { q: 'ab ' }, draft: { q: 'ab ' } };
  expect(followed(kept({ q: 'ab ' }, sent), { ...EMPTY, q: 'ab' }).draft.q).toBe('ab');
  const goneOn = followed(kept({ q: 'ab c' }, sent), { ...EMPTY, q: 'ab' });
  expect(goneOn.draft.q).toBe('ab c');
});

test('a link followed after sending replaces the typed letters', () => {
  const sent = { values: { q: 'ab' }, draft: { q: 'ab' } };
  const now = followed(kept({ q: 'abcd' }, sent), { ...EMPTY, q: 'other' });
  expect(now.draft.q).toBe('other');
});

test('a sent value counts once: going back and forth later resets the field', () => {
  const sent = { values: { q: 'ab' }, draft: { q: 'ab' } };
  const arrived = followed(kept({ q: 'abcd' }, sent), { ...EMPTY, q: 'ab' });
  const back = followed(arrived, EMPTY);
  expect(back.draft.q).toBe('');
  const typed = { ...back, draft: { ...back.draft, q: 'x' } };
  expect(followed(typed, { ...EMPTY, q: 'ab' }).draft.q).toBe('ab');
});

test('returns the same object while no committed value changes', () => {
  const before = kept({ q: 'typed' });
  expect(followed(before, { ...EMPTY })).toBe(before);
});
