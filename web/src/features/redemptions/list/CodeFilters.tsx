import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import {
  REDEMPTION_STATES,
  type RedemptionState,
} from '../../../../../src/domain/redemption-state.ts';
import { ChoiceInput, SearchInput } from '../../../components/forms/FilterInputs.tsx';
import { FilterBar } from '../../../components/layout/FilterBar.tsx';
import { useDraft } from '../../../hooks/useDraft.ts';

type Kind = 'gift' | 'plain' | '';

/** The filters in the URL. */
interface Narrowing {
  readonly q: string;
  readonly state: RedemptionState | '';
  readonly type: Kind;
}

interface CodeFiltersProps {
  readonly state: Narrowing;
  readonly set: (patch: Partial<Narrowing>, how?: { readonly replace?: boolean }) => void;
  readonly reset: () => void;
  readonly tools: ReactNode;
}

export function CodeFilters({ state, set, reset, tools }: CodeFiltersProps) {
  const { t } = useTranslation();
  const { q, state: codeState, type } = state;
  const filters = useDraft<Narrowing>({ q, state: codeState, type }, set);
  const { draft, choose } = filters;
  const stateText = (state: RedemptionState) => t(`status.redemption.${state}`);
  const kinds = { '': '', gift: t('redemption.gift'), plain: t('redemption.plain') };
  return (
    <FilterBar
      filters={filters}
      onReset={reset}
      chips={[
        { key: 'q', text: q, onRemove: () => set({ q: '' }) },
        {
          key: 'state',
          text: codeState === '' ? '' : stateText(codeState),
          onRemove: () => set({ state: '' }),
        },
        { key: 'type', text: kinds[type], onRemove: () => set({ type: '' }) },
      ]}
      tools={tools}
    >
      <SearchInput
        width={260}
        label={t('common.search')}
        placeholder={t('redemption.searchHint')}
        value={draft.q}
        onChange={(q) => filters.type({ q })}
      />
      <ChoiceInput
        width={130}
        label={t('common.status')}
        placeholder={t('common.any')}
        values={REDEMPTION_STATES}
        text={stateText}
        value={draft.state || undefined}
        onChange={(state) => choose({ state: state ?? '' })}
      />
      <ChoiceInput
        width={130}
        label={t('common.type')}
        placeholder={t('common.any')}
        values={['gift', 'plain'] as const}
        text={(kind) => kinds[kind]}
        value={draft.type || undefined}
        onChange={(chosen) => choose({ type: chosen ?? '' })}
      />
    </FilterBar>
  );
}
