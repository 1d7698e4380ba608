import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { EntityKeys } from '../../lib/api/query-keys.ts';

export interface Offer {
  readonly value: string;
  readonly label: string;
}

interface SearchSelectProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: ReactNode;
  readonly placeholder?: string;
  /** The kind of records, for the cache. */
  readonly keys: EntityKeys;
  /** What narrows the offers besides the typed text. */
  readonly within?: unknown;
  /** The first records with the typed text. */
  readonly find: (typed: string, signal: AbortSignal) => Promise<readonly Offer[]>;
}

const PAUSE_MS = 200;

/** One of many records, which the server searches. */
export function SearchSelect(props: SearchSelectProps) {
  const { label, value, onChange, error, placeholder, keys, within, find } = props;
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Offer>();
  // The text of the choice is no search.
  const typed = search === chosen?.label ? '' : search.trim();
  const [keyword] = useDebouncedValue(typed, PAUSE_MS);
  const { data: found = [], isPending } = useQuery({
    queryKey: keys.part('offers', { keyword, within }),
    queryFn: ({ signal }) => find(keyword, signal),
    placeholderData: keepPreviousData,
  });
  const kept = chosen?.value === value && found.every((offer) => offer.value !== value);
  return (
    <Select
      allowDeselect
      label={label}
      error={error}
      {...(placeholder !== undefined && { placeholder })}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      nothingFoundMessage={t(isPending ? 'part.loading' : 'common.nothingFound')}
      data={[...(kept ? [chosen] : []), ...found]}
      value={value === '' ? null : value}
      onChange={(next, offer) => {
        setChosen(next === null ? undefined : { value: offer.value, label: offer.label });
        onChange(next ?? '');
      }}
    />
  );
}
