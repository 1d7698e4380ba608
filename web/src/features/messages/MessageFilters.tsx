import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isRangeWord } from '../../../../src/domain/logs/time-ranges.ts';
import { SearchInput } from '../../components/forms/FilterInputs.tsx';
import { TimeRange } from '../../components/forms/TimeRange.tsx';
import { FilterBar } from '../../components/layout/FilterBar.tsx';
import { useDraft } from '../../hooks/useDraft.ts';
import { dateTimeText } from '../../lib/text/dates.ts';

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

export function MessageFilters({ state, set, reset, tools }: MessageFiltersProps) {
  const { t } = useTranslation();
  const { q, from, to } = state;
  const filters = useDraft<Narrowing>({ q, from, to }, set);
  const momentText = (moment: string) => {
    if (moment === '') return '…';
    return isRangeWord(moment) ? t(`part.range.${moment}`) : dateTimeText(Number(moment));
  };
  const namedRange = isRangeWord(from) && to === '' ? momentText(from) : undefined;
  const isRange = from !== '' || to !== '';
  const rangeText = isRange ? (namedRange ?? `${momentText(from)} – ${momentText(to)}`) : '';
  return (
    <FilterBar
      filters={filters}
      onReset={reset}
      chips={[
        { key: 'q', text: q, onRemove: () => set({ q: '' }) },
        { key: 'range', text: rangeText, onRemove: () => set({ from: '', to: '' }) },
      ]}
      tools={tools}
    >
      <SearchInput
        width={260}
        label={t('common.search')}
        placeholder={t('message.searchHint')}
        value={filters.draft.q}
        onChange={(q) => filters.type({ q })}
      />
      <TimeRange
        value={{ from: filters.draft.from, to: filters.draft.to }}
        onChange={filters.choose}
      />
    </FilterBar>
  );
}
