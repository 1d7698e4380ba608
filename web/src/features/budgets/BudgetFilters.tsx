import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { BUDGET_SUBJECTS, type BudgetSubject } from '../../../../src/domain/budgets/budget.ts';
import { BUDGET_STATES, type BudgetState } from '../../../../src/domain/budgets/budget-state.ts';
import { ChoiceInput } from '../../components/forms/FilterInputs.tsx';
import { FilterBar } from '../../components/layout/FilterBar.tsx';
import { useDraft } from '../../hooks/useDraft.ts';

/** The filters in the URL. */
interface Narrowing {
  readonly subject: BudgetSubject | '';
  readonly state: BudgetState | '';
}

interface BudgetFiltersProps {
  readonly state: Narrowing;
  readonly set: (patch: Partial<Narrowing>, how?: { readonly replace?: boolean }) => void;
  readonly reset: () => void;
  readonly tools: ReactNode;
}

export function BudgetFilters({ state: chosen, set, reset, tools }: BudgetFiltersProps) {
  const { t } = useTranslation();
  const { subject, state } = chosen;
  const filters = useDraft<Narrowing>({ subject, state }, set);
  const subjectText = (subject: BudgetSubject) => t(`budget.subject.${subject}`);
  const stateText = (state: BudgetState) => t(`budget.state.${state}`);
  return (
    <FilterBar
      filters={filters}
      onReset={reset}
      chips={[
        {
          key: 'subject',
          text: subject === '' ? '' : subjectText(subject),
          onRemove: () => set({ subject: '' }),
        },
        {
          key: 'state',
          text: state === '' ? '' : stateText(state),
          onRemove: () => set({ state: '' }),
        },
      ]}
      tools={tools}
    >
      <ChoiceInput
        width={150}
        label={t('budget.subject')}
        placeholder={t('budget.any')}
        values={BUDGET_SUBJECTS}
        text={subjectText}
        value={filters.draft.subject || undefined}
        onChange={(subject) => filters.choose({ subject: subject ?? '' })}
      />
      <ChoiceInput
        width={150}
        label={t('budget.state')}
        placeholder={t('budget.any')}
        values={BUDGET_STATES}
        text={stateText}
        value={filters.draft.state || undefined}
        onChange={(state) => filters.choose({ state: state ?? '' })}
      />
    </FilterBar>
  );
}
