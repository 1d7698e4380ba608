import { Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS, statusWord } from '../../../../../src/domain/statuses.ts';
import { FilterBar, type FilterChip } from '../../../components/layout/FilterBar.tsx';
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
  const kinds = { gift: t('redemption.gift'), plain: t('redemption.plain') };
  const chips: FilterChip[] = [
    ...(q === '' ? [] : [{ key: 'q', text: q, onRemove: () => set({ q: '' }) }]),
    ...(status === undefined
      ? []
      : [{ key: 'status', text: statusText(status), onRemove: () => set({ status: undefined }) }]),
    ...(type === ''
      ? []
      : [{ key: 'type', text: kinds[type], onRemove: () => set({ type: '' as const }) }]),
  ];
  return (
    <FilterBar
      onSearch={() => set(send())}
      onReset={() => {
        clear();
        reset();
      }}
      chips={chips}
      tools={tools}
    >
      <TextInput
        w={260}
        label={t('redemption.search')}
        placeholder={t('redemption.searchHint')}
        data-page-search
        value={draft.q}
        onChange={(event) => change({ q: event.currentTarget.value })}
      />
      <Select
        w={130}
        label={t('redemption.status')}
        placeholder={t('redemption.any')}
        clearable
        data={Object.values(REDEMPTION_STATUS).map((status) => ({
          value: String(status),
          label: statusText(status),
        }))}
        value={draft.status === undefined ? null : String(draft.status)}
        onChange={(chosen) => change({ status: chosen === null ? undefined : Number(chosen) })}
      />
      <Select
        w={130}
        label={t('redemption.type')}
        placeholder={t('redemption.any')}
        clearable
        data={[
          { value: 'gift', label: kinds.gift },
          { value: 'plain', label: kinds.plain },
        ]}
        value={draft.type === '' ? null : draft.type}
        onChange={(chosen) => change({ type: (chosen ?? '') as Kind })} // one of the two above
      />
    </FilterBar>
  );
}
