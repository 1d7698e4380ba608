import { Autocomplete, NumberInput, Switch, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isRangeWord } from '../../../../src/domain/logs/time-ranges.ts';
import { type Draft, useDraft } from '../../hooks/useDraft.ts';
import { dateTimeText } from '../../lib/text/dates.ts';
import { ChoiceInput } from '../forms/FilterInputs.tsx';
import { TimeRange } from '../forms/TimeRange.tsx';
import { FilterBar } from './FilterBar.tsx';

/** The values that a field has when it filters. */
type Value<T> = Exclude<T, '' | boolean | undefined> & (string | number);

interface RowBase {
  /** Names the input and the chip. */
  readonly label: string;
  readonly placeholder?: string;
  /** Pixels in the bar. */
  readonly width?: number;
  /** In the popover of further filters. */
  readonly isMore?: boolean;
}

interface TextRow<F> extends RowBase {
  readonly input: 'text';
  readonly field: F;
  readonly description?: string;
  readonly isMono?: boolean;
  /** The input that `/` focuses; a page has one. */
  readonly isSearch?: boolean;
  /** Offered while typing; any other text may be typed. */
  readonly offers?: readonly string[];
}

interface PlainRow<F> extends RowBase {
  /** A whole number, a switch, or a filter that only links set. */
  readonly input: 'number' | 'flag' | 'none';
  readonly field: F;
}

interface ChoiceRow<F, V extends string | number> extends RowBase {
  readonly input: 'choice';
  readonly field: F;
  readonly values: readonly V[];
  readonly text: (value: V) => string;
  readonly searchable?: boolean;
  readonly find?: (typed: string) => ReadonlySet<V>;
}

interface RangeRow extends Partial<RowBase> {
  /** The fields `from` and `to`. */
  readonly input: 'range';
  /** The start without a choice. */
  readonly usual?: string;
}

interface OwnRow<S, F extends keyof S> extends RowBase {
  readonly input: 'own';
  readonly field: F;
  /** What the chip shows; by default the value. */
  readonly text?: (value: Value<S[F]>) => string;
  readonly render: (filters: Draft<S>) => ReactNode;
}

export type FilterRow<S> =
  | TextRow<keyof S>
  | PlainRow<keyof S>
  | RangeRow
  | { readonly [F in keyof S]: ChoiceRow<F, Value<S[F]>> }[keyof S]
  | { readonly [F in keyof S]: OwnRow<S, F> }[keyof S];

export interface FilterProps<S extends object> {
  /** Has the fields of the rows. */
  readonly state: S;
  readonly set: (patch: Partial<S>, how?: { readonly replace?: boolean }) => void;
  readonly reset: () => void;
  /** On the right: column settings, display switches. */
  readonly tools: ReactNode;
}

export interface ListFiltersProps<S extends object> extends FilterProps<S> {
  readonly rows: readonly FilterRow<S>[];
  /** The values that a draft stands for. */
  readonly read?: (draft: S) => S;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;
type AnyRow =
  | TextRow<string>
  | PlainRow<string>
  | RangeRow
  | ChoiceRow<string, string | number>
  | (Omit<OwnRow<Values, string>, 'text'> & { readonly text?: (value: string | number) => string });

/** The text that the list is searched for. */
export function searchRow(
  t: TFunction,
  { label = t('common.search'), ...row }: { readonly placeholder: string } & Partial<RowBase>,
): TextRow<'q'> {
  return { input: 'text', field: 'q', isSearch: true, label, ...row };
}

/** The filter bar of a list by a table: inputs of URL fields, and a chip for each that is set. */
export function ListFilters<S extends object>(props: ListFiltersProps<S>) {
  const { t } = useTranslation();
  // The functions of a row take values of its own field, which the type of `rows` checks.
  const { state, set, reset, rows, read, tools } = props as unknown as ListFiltersProps<Values> & {
    readonly rows: readonly AnyRow[];
  };
  const fields = rows.flatMap((row) => (row.input === 'range' ? ['from', 'to'] : row.field));
  const committed = Object.fromEntries(fields.map((field) => [field, state[field]]));
  const filters = useDraft<Values>(committed, set, read);
  const further = rows.filter(({ isMore }) => isMore);
  const inputs = (shown: readonly AnyRow[]) =>
    shown.map((row) => (
      <Fragment key={row.input === 'range' ? row.input : row.field}>
        <FilterInput row={row} filters={filters} />
      </Fragment>
    ));
  return (
    <FilterBar
      filters={filters}
      onReset={() => reset()}
      chips={rows.map((row) => ({
        key: row.input === 'range' ? row.input : row.field,
        text: chipText(t, row, state),
        onRemove: () => set(unset(row, state)),
      }))}
      tools={tools}
      moreCount={further.filter((row) => chipText(t, row, state) !== '').length}
      {...(further.length > 0 && { more: inputs(further) })}
    >
      {inputs(rows.filter(({ isMore }) => !isMore))}
    </FilterBar>
  );
}

interface FilterInputProps {
  readonly row: AnyRow;
  readonly filters: Draft<Values>;
}

function FilterInput({ row, filters }: FilterInputProps) {
  const { t } = useTranslation();
  const { draft, type, choose } = filters;
  if (row.input === 'none') return null;
  if (row.input === 'own') return row.render(filters);
  if (row.input === 'range') {
    const [from, to] = [String(draft.from), String(draft.to)];
    return (
      <TimeRange
        value={{ from: from === 'all' ? '' : from, to }}
        onChange={(range) => {
          const isOpen = range.from === '' && range.to === '' && row.usual !== undefined;
          choose({ ...range, ...(isOpen && { from: 'all' }) });
        }}
      />
    );
  }
  const { field, label, placeholder = t('common.any'), width, isMore = false } = row;
  const value = draft[field];
  const w = width && { base: '100%', xs: width };
  if (row.input === 'choice') {
    const { values, text, searchable = false, find } = row;
    const chosen = value === '' || typeof value === 'boolean' ? undefined : value;
    const none = value === undefined || typeof value === 'number' ? undefined : '';
    return (
      <ChoiceInput
        {...{ label, placeholder, w, values, text, searchable, value: chosen, isInPopover: isMore }}
        {...(find && { find })}
        onChange={(next) => choose({ [field]: next ?? none })}
      />
    );
  }
  if (row.input === 'text')
    return (
      <TextFilter row={row} value={String(value)} onChange={(typed) => type({ [field]: typed })} />
    );
  if (row.input === 'flag') {
    const set = (event: React.ChangeEvent<HTMLInputElement>) =>
      choose({ [field]: event.currentTarget.checked });
    return <Switch label={label} checked={value === true} onChange={set} />;
  }
  return (
    <NumberInput
      label={label}
      w={w}
      min={1}
      hideControls
      value={value === undefined ? '' : Number(value)}
      onChange={(typed) => type({ [field]: typed === '' ? undefined : Number(typed) })}
    />
  );
}

interface TextFilterProps {
  readonly row: TextRow<string>;
  readonly value: string;
  readonly onChange: (typed: string) => void;
}

function TextFilter({ row, value, onChange }: TextFilterProps) {
  const { label, placeholder, description, width, isMono, isSearch, offers } = row;
  const props = {
    label,
    placeholder,
    description,
    w: width && { base: '100%', xs: width },
    value,
    ...(isMono && { styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } }),
    ...(isSearch && { 'data-page-search': true }),
  };
  if (offers) return <Autocomplete {...props} data={[...offers]} limit={30} onChange={onChange} />;
  return <TextInput {...props} onChange={(event) => onChange(event.currentTarget.value)} />;
}

/** '' for a filter that is not set. */
function chipText(t: TFunction, row: AnyRow, state: Values): string {
  if (row.input === 'range') {
    const [from, to] = [String(state.from), String(state.to)];
    return from === (row.usual ?? '') && to === '' ? '' : rangeText(t, from, to);
  }
  const value = state[row.field];
  if (value === '' || value === undefined || value === false) return '';
  if (value === true) return row.label;
  const text = 'text' in row && row.text ? row.text(value) : value;
  return t('part.named', { name: row.label, value: text });
}

function rangeText(t: TFunction, from: string, to: string): string {
  if (to === '' && isRangeWord(from)) return t(`part.range.${from}`);
  if (to === '' && (from === '' || from === 'all')) return t('part.range.open');
  const moment = (at: string, open: string) => {
    if (isRangeWord(at)) return t(`part.range.${at}`);
    return at === '' || at === 'all' ? open : dateTimeText(Number(at));
  };
  return `${moment(from, '…')} – ${moment(to, t('part.range.now'))}`;
}

function unset(row: AnyRow, state: Values): Values {
  if (row.input === 'range') return { from: row.usual ?? '', to: '' };
  const value = state[row.field];
  return { [row.field]: typeof value === 'string' ? '' : value === true ? false : undefined };
}
