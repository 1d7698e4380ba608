import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS, statusWord } from '../../../../../src/domain/statuses.ts';
import { ChoiceInput, SearchInput } from '../../../components/forms/FilterInputs.tsx';
import { FilterBar } from '../../../components/layout/FilterBar.tsx';
import { useDraft } from '../../../hooks/useDraft.ts';

type Kind = 'gift' | 'plain' | '';

/** The filters in the URL. */
interface Narrowing {
  readonly q: string;
  readonly status: number | undefined;
  readonly type: Kind;
}

interface CodeFiltersProps {
  readonly state: Narrowing;
  readonly set: (patch: Partial<Narrowing>) => void;
  readonly reset: () => void;
  readonly tools: ReactNode;
}

export function CodeFilters({ state, set, reset, tools }: CodeFiltersProps) {
  const { t } = useTranslation();
  const { q, status, type } = state;
  const { draft, change, send, clear } = useDraft<Narrowing>({ q, status, type });
  const statusText = (status: number) => {
    const word = statusWord(REDEMPTION_STATUS, status);
    return word === 'unknown' ? t('status.unknown') : t(`status.redemption.${word}`);
  };
  const kinds = { '': '', gift: t('redemption.gift'), plain: t('redemption.plain') };
  return (
    <FilterBar
      onSearch={() => set(send())}
      onReset={() => {
        clear();
        reset();
      }}
      chips={[
        { key: 'q', text: q, onRemove: () => set({ q: '' }) },
        {
          key: 'status',
          text: status === undefined ? '' : statusText(status),
          onRemove: () => set({ status: undefined }),
        },
        { key: 'type', text: kinds[type], onRemove: () => set({ type: '' }) },
      ]}
      tools={tools}
    >
      <SearchInput
        width={260}
        label={t('redemption.search')}
        placeholder={t('redemption.searchHint')}
        value={draft.q}
        onChange={(q) => change({ q })}
      />
      <ChoiceInput
        width={130}
        label={t('redemption.status')}
        placeholder={t('redemption.any')}
        values={Object.values(REDEMPTION_STATUS)}
        text={statusText}
        value={draft.status}
        onChange={(status) => change({ status })}
      />
      <ChoiceInput
        width={130}
        label={t('redemption.type')}
        placeholder={t('redemption.any')}
        values={['gift', 'plain'] as const}
        text={(kind) => kinds[kind]}
        value={draft.type || undefined}
        onChange={(type) => change({ type: type ?? '' })}
      />
    </FilterBar>
  );
}
