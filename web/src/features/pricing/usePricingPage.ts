import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Field, field, type StateOf, useUrlState } from '../../lib/browser/url-state.ts';
import { type PriceList, priceListQuery } from '../../lib/pricing/price-list.ts';
import { useQuotaStyle } from '../../lib/pricing/quota-format.ts';
import { useUser } from '../../lib/session/session.ts';
import { figureText, type MoneyStyle, type TokenUnit, tokenFigure } from './figures.ts';
import {
  filteredRows,
  groupFor,
  type ModelRow,
  modelRows,
  type PriceFilter,
  SORTS,
  sortedRows,
} from './rows.ts';

/** The format of prices on this screen. */
export interface PriceFormat {
  readonly per: TokenUnit;
  readonly style: MoneyStyle;
  readonly perCall: (usd: number) => string;
  /** @param usd per million tokens. */
  readonly perTokens: (usd: number) => string;
}

export interface PricingState {
  readonly list: PriceList | undefined;
  readonly error: unknown;
  readonly retry: () => unknown;
  readonly state: UrlFilters;
  readonly set: SetState;
  readonly reset: () => void;
  readonly narrowing: PriceFilter;
  readonly isNarrowed: boolean;
  /** The group whose ratio the prices include. */
  readonly group: string;
  readonly all: readonly ModelRow[];
  /** Filtered and sorted. */
  readonly rows: readonly ModelRow[];
  readonly priceFormat: PriceFormat;
}

/** The user's price list and the state of its screen. */
export function usePricingPage(): PricingState {
  const user = useUser();
  const { data: list, error, refetch } = useQuery(priceListQuery(user?.id ?? 0));
  const { state, set, reset, isNarrowed } = useUrlState(FIELDS);
  const { q, vendor, billing, endpoint, usable, sort } = state;
  const group = list === undefined ? '' : groupFor(list, state.group, user?.group);
  const narrowing = useMemo(
    () => ({ q, vendor, billing, endpoint, usable }),
    [q, vendor, billing, endpoint, usable],
  );
  const all = useMemo(() => (list === undefined ? [] : modelRows(list, group)), [list, group]);
  const rows = useMemo(
    () => sortedRows(filteredRows(all, narrowing), sort),
    [all, narrowing, sort],
  );
  return {
    list,
    error: error ?? undefined,
    retry: refetch,
    state,
    set,
    reset: () => reset(),
    narrowing,
    isNarrowed,
    group,
    all,
    rows,
    priceFormat: usePriceFormat(state),
  };
}

function usePriceFormat({ per, money }: UrlFilters): PriceFormat {
  const { quotaPerUnit } = useQuotaStyle();
  return useMemo(() => {
    const style = { currency: money, quotaPerUnit };
    return {
      per,
      style,
      perCall: (usd) => figureText(usd, style),
      perTokens: (usd) => tokenFigure(usd, per, style),
    };
  }, [per, money, quotaPerUnit]);
}

/** Model names contain slashes, colons and dots, but no commas. */
const OPEN_MODEL: Field<string> = {
  fallback: '',
  parse: (text) => text,
  print: (value) => value,
  narrows: false,
};

const COMPARED: Field<readonly string[]> = { ...field.texts(), narrows: false };

/** Module-level defaults, so that they keep their identity. */
const FIELDS = {
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

type UrlFilters = StateOf<typeof FIELDS>;
type SetState = (patch: Partial<UrlFilters>, how?: { readonly replace?: boolean }) => void;
