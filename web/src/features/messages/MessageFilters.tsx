import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TimeRange } from '../../components/forms/TimeRange.tsx';
import { FilterBar, type FilterChip } from '../../components/layout/FilterBar.tsx';
import { isRangeWord } from '../../lib/browser/url-state.ts';
import { dateTimeText } from '../../lib/text/dates.ts';

const PAUSE_MS = 300;

/** The filters in the URL. */
interface Narrowing {
  readonly q: string;
  readonly from: string;
  readonly to: string;
}

interface MessageFiltersProps {
  readonly state: Narrowing;
  readonly set: (patch: Partial<Narrowing>, how?: { readonly replace?: boolean }) => void;
  readonly reset: () => void;
  readonly tools: ReactNode;
}

/** Searches when typing pauses, and at once on Enter. */
export function MessageFilters({ state, set, reset, tools }: MessageFiltersProps) {
  const { t } = useTranslation();
  const { q, from, to } = state;
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  // The submitted text comes back while the user types on and must not overwrite the input.
  useEffect(() => {
    if (q !== sent.current) setTyped(q);
    sent.current = q;
  }, [q]);
  const commitSoon = useDebouncedCallback((q: string) => {
    sent.current = q.trim();
    set({ q }, { replace: true });
  }, PAUSE_MS);
  const momentText = (moment: string) => {
    if (moment === '') return '…';
    return isRangeWord(moment) ? t(`part.range.${moment}`) : dateTimeText(Number(moment));
  };
  const isRange = from !== '' || to !== '';
  const rangeText =
    isRangeWord(from) && to === '' ? momentText(from) : `${momentText(from)} – ${momentText(to)}`;
  const chips: FilterChip[] = [
    ...(q === '' ? [] : [{ key: 'q', text: q, onRemove: () => set({ q: '' }) }]),
    ...(isRange
      ? [{ key: 'range', text: rangeText, onRemove: () => set({ from: '', to: '' }) }]
      : []),
  ];
  return (
    <FilterBar
      onSearch={() => {
        commitSoon.cancel();
        set({ q: typed });
      }}
      onReset={reset}
      chips={chips}
      tools={tools}
    >
      <TextInput
        w={260}
        label={t('message.search')}
        placeholder={t('message.searchHint')}
        data-page-search
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          commitSoon(event.currentTarget.value);
        }}
      />
      <TimeRange value={{ from, to }} onChange={set} />
    </FilterBar>
  );
}
