import { type Field, field, type StateOf } from '../../lib/browser/url-state.ts';
import { SORTS } from './rows.ts';

/** Model names contain slashes, colons and dots, but no commas. */
const OPEN_MODEL: Field<string> = {
  fallback: '',
  parse: (text) => text,
  print: (value) => value,
  narrows: false,
};

const COMPARED: Field<readonly string[]> = { ...field.texts(), narrows: false };

/** Module-level defaults, so that they keep their identity. */
export const FIELDS = {
  q: field.text(),
  vendor: field.texts(),
  billing: field.choice(['', 'tokens', 'call'], ''),
  endpoint: field.texts(),
  usable: field.flag(),
  group: { ...field.text(), narrows: false },
  view: field.tab(['table', 'cards'], 'table'),
  per: field.tab(['1M', '1K'], '1M'),
  money: field.tab(['usd', 'quota'], 'usd'),
  sort: { ...field.sort(SORTS, ''), narrows: false },
  page: field.page(),
  /** The model whose drawer is open. */
  model: OPEN_MODEL,
  /** Models the calculator compares it with. */
  with: COMPARED,
};

export type PricingState = StateOf<typeof FIELDS>;
export type SetState = (patch: Partial<PricingState>, how?: { readonly replace?: boolean }) => void;
