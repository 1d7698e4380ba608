import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchInput } from '../../components/forms/FilterInputs.tsx';
import { TimeRange } from '../../components/forms/TimeRange.tsx';
import { FilterBar } from '../../components/layout/FilterBar.tsx';
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
  const namedRange = isRangeWord(from) && to === '' ? momentText(from) : undefined;
  const isRange = from !== '' || to !== '';
  const rangeText = isRange ? (namedRange ?? `${momentText(from)} – ${momentText(to)}`) : '';
  return (
    <FilterBar
      onSearch={() => {
        commitSoon.cancel();
        set({ q: typed });
      }}
      onReset={reset}
      chips={[
        { key: 'q', text: q, onRemove: () => set({ q: '' }) },
        { key: 'range', text: rangeText, onRemove: () => set({ from: '', to: '' }) },
      ]}
      tools={tools}
    >
      <SearchInput
        width={260}
        label={t('message.search')}
        placeholder={t('message.searchHint')}
        value={typed}
        onChange={(text) => {
          setTyped(text);
          commitSoon(text);
        }}
      />
      <TimeRange value={{ from, to }} onChange={set} />
    </FilterBar>
  );
}
